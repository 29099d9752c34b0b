"""Compares our uses with the ground truth of another tool: precision by confidence, recall by kind. Started by graph_check.py.

Usage: uses_judge.py EDGES DIRECTORY TRUTHS [DIRECTORY TRUTHS]... [-v]. Several projects, of one language, are also counted together."""

import json
import subprocess
import sys
from collections import Counter, defaultdict

# `family`: uses of methods that override each other, which only some tools count.
ORDER = ["certain", "likely", "possible", "family", "guess", "text"]


class Count:
    """Counts of right, found and expected uses."""

    def __init__(self):
        self.symbols, self.unknown, self.false_none = 0, [], []
        self.right, self.total = Counter(), Counter()
        self.found, self.resolved, self.wanted = Counter(), Counter(), Counter()

    def add(self, other):
        self.symbols += other.symbols
        self.unknown += other.unknown
        self.false_none += other.false_none
        for part in ("right", "total", "found", "resolved", "wanted"):
            getattr(self, part).update(getattr(other, part))

    def show(self):
        print(f"{self.symbols} symbols, {len(self.unknown)} of them unknown to us: {sorted(self.unknown)[:5]}")
        precision = (f"{level} {self.right[level]}/{self.total[level]} = {self.right[level] / max(self.total[level], 1):.3f}" for level in ORDER)
        print("precision: " + ", ".join(precision))
        print("recall: " + ", ".join(map(self.recall, ("call", "other", "all"))))
        sure = [count["certain"] + count["likely"] for count in (self.right, self.total)]
        if sure[0] < 0.98 * sure[1]:
            print("BELOW the goal: 0.98 of the certain and likely uses must be right")
        print(f"no use found, but the ground truth has one: {self.false_none}")

    def recall(self, kind):
        resolved, found, wanted = self.resolved[kind], self.found[kind], self.wanted[kind]
        return f"{kind} {resolved}/{wanted} = {resolved / max(wanted, 1):.3f} (with listed lines {found / max(wanted, 1):.3f})"


def judge(edges, directory, truths, is_verbose):
    truths = [json.loads(line) for line in open(truths)]
    # The tool may list the files that it read, or the lines that it did not.
    read = next((set(truth["read"]) for truth in truths if "read" in truth), None)
    unread = next((set(truth["unread"]) for truth in truths if "unread" in truth), set())
    truths = [truth for truth in truths if "symbol" in truth]
    ours, unknown = answers(edges, directory, truths, read, unread)
    count = Count()
    count.symbols, count.unknown = len(truths), list(unknown)
    for truth in (truth for truth in truths if truth["symbol"] not in unknown):
        add(count, truth, ours[truth["symbol"]], unread, is_verbose)
    return count


def answers(edges, directory, truths, read, unread):
    """The confidence of each line of each symbol, and the symbols that we do not know."""
    asked = "\n".join(truth["symbol"] for truth in truths)
    printed = subprocess.run([edges, directory, "--uses"], input=asked, capture_output=True, text=True, check=True).stdout
    ours, unknown = defaultdict(dict), set()
    for line in printed.splitlines():
        symbol, at, kind, confidence = line.split("\t")
        if confidence == "unknown":
            unknown.add(symbol)
        elif kind != "import" and at not in unread and (read is None or at.rsplit(":", 1)[0] in read):
            known = ours[symbol].get(at, "text")
            ours[symbol][at] = min(known, confidence, key=ORDER.index)
    return ours, unknown


def add(count, truth, ours, unread, is_verbose):
    uses = [use for use in truth["uses"] if use["at"] not in unread]
    true = {use["at"] for use in uses}
    for at, confidence in ours.items():
        count.total[confidence] += 1
        count.right[confidence] += at in true
        if is_verbose and at not in true and confidence in ("certain", "likely", "possible"):
            print(f"wrong {confidence}: {truth['name']} {truth['symbol']} <- {at}")
    for use in uses:
        confidence = ours.get(use["at"])
        for kind in (use["kind"], "all"):
            count.wanted[kind] += 1
            count.resolved[kind] += confidence not in (None, "text")
            count.found[kind] += confidence is not None
        if is_verbose and confidence in (None, "text"):
            print(f"missed ({confidence or 'not listed'}) {use['kind']}: {truth['name']} {truth['kind']} {truth['symbol']} <- {use['at']}")
    if true and not ours:
        count.false_none.append(truth["name"])


def main():
    edges, *places = (argument for argument in sys.argv[1:] if argument != "-v")
    together = Count()
    for directory, truths in zip(places[::2], places[1::2]):
        count = judge(edges, directory, truths, "-v" in sys.argv)
        count.show()
        together.add(count)
    if len(places) > 2:
        print("together:")
        together.show()


main()
