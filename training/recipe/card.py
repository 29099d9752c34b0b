"""Writes the model card: data and licences from the manifest, files from the folder, figures from the measurements."""
import hashlib
import json
from collections import Counter


def licence_table(rows):
    counts = Counter(row["licence"] for row in rows if "refused" not in row)
    return "\n".join(["| licence | repositories |", "|---|---|"] + [f"| {name} | {count} |" for name, count in counts.most_common()])


def data_table(counts):
    return "\n".join(["| texts | number |", "|---|---|"] + [f"| {kind} | {count:,} |" for kind, count in counts.items()])


def file_table(folder):
    rows = [f"| `{path.name}` | {path.stat().st_size:,} | `{hashlib.sha256(path.read_bytes()).hexdigest()}` |"
            for path in sorted(folder.iterdir()) if path.is_file()]
    return "\n".join(["| file | bytes | SHA-256 |", "|---|---|---|"] + rows)


def write_card(path, manifest, counts, figures, folder):
    rows = [json.loads(line) for line in manifest.read_text().splitlines()]
    used = [row for row in rows if "refused" not in row]
    parts = [
        "# Model card", "## Data",
        f"{len(used)} repositories, listed with revision and licence in `{manifest.name}`; {len(rows) - len(used)} more were refused, "
        "for their licence or because they are held back for evaluation.",
        licence_table(rows), data_table(counts), "## Figures",
        "\n".join(f"- {name}: {value}" for name, value in figures.items()) or "Not measured.", "## Files", file_table(folder)]
    path.write_text("\n\n".join(parts) + "\n")
