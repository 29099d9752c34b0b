"""Precision and recall of our edges against independent tools. Started by graph-check.sh."""

import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

EDGES, SCRATCH = Path(sys.argv[1]), Path(sys.argv[2])
BARS = (0.97, 0.95)
# Minimum precision of calls by confidence. `possible` and `guess` promise nothing.
CALL_BARS = {"certain": 0.97, "likely": 0.9, "possible": 0.0, "guess": 0.0}

NPM_PACKAGES = {"rxjs@7.8.1": "src", "redux@5.0.1": "src", "webpack@5.97.1": "lib"}
PYPI_PACKAGES = {"Django==5.1": "django", "SQLAlchemy==2.0.36": "sqlalchemy", "rich==13.9.4": "rich"}
# Number of definitions per language whose uses are judged, and the seed that selects them.
SAMPLE, SEED = 60, 1
SCRIPTS = Path(__file__).parent
MAVEN = "https://repo1.maven.org/maven2"
CRATES = {"tokio": '{ version = "=1.43.0", features = ["full"] }', "regex-automata": '"=0.4.9"', "zstd-sys": '"=2.0.13"'}


def run(*command, cwd=None, env=None):
    # Output goes to a file, because Node programs lose output that a slow pipe has not read when they exit.
    with tempfile.TemporaryFile("w+") as out:
        done = subprocess.run(command, cwd=cwd, env=env, stdout=out, stderr=subprocess.PIPE, text=True)
        out.seek(0)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr[-2000:]}")
        return out.read()


def our_edges(directory):
    """Our edges below a directory, as pairs of relative paths."""
    return {tuple(line.split("\t")) for line in run(EDGES, directory).splitlines()}


def report(name, ours, theirs, bars=BARS):
    """Prints one line, and the first differences to stderr; returns whether precision and recall are high enough."""
    both = len(ours & theirs)
    precision = both / len(ours) if ours else 0.0
    recall = both / len(theirs) if theirs else 0.0
    print(f"{name:34} {len(theirs):6} {len(ours):6} {precision:9.4f} {recall:7.4f}")
    for title, edges in (("only ours", ours - theirs), ("only theirs", theirs - ours)):
        for edge in sorted(edges)[:8]:
            print(f"  {name}: {title}: {' -> '.join(edge)}", file=sys.stderr)
    return precision >= bars[0] and recall >= bars[1]


def npm_tools():
    """A folder with madge and TypeScript in its `node_modules`."""
    tools = SCRATCH / "npm"
    if not (tools / "node_modules/.bin/madge").exists():
        tools.mkdir(exist_ok=True)
        run("npm", "install", "--silent", "--prefix", tools, "madge@8.0.0", "typescript@5")
    return tools


def language_servers():
    """The folder with the language servers that judge uses."""
    tools = SCRATCH / "servers"
    if not (tools / "node_modules/.bin/pyright-langserver").exists():
        tools.mkdir(exist_ok=True)
        packages = ("typescript@5", "pyright@1.1")
        run("npm", "install", "--silent", "--prefix", tools, *packages)
    return (tools / "node_modules/.bin").resolve()


def npm_package(package):
    """The folder of an unpacked package."""
    root = SCRATCH / package.replace("@", "-")
    if not root.exists():
        archive = run("npm", "pack", "--silent", package, cwd=SCRATCH).split()[-1]
        root.mkdir()
        run("tar", "xzf", SCRATCH / archive, "-C", root, "--strip-components=1")
    return root


def pypi_package(requirement):
    """The folder with an installed Python package."""
    root = SCRATCH / requirement.replace("==", "-")
    if not root.exists():
        run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", root, requirement)
    return root


def javascript():
    """TypeScript and JavaScript against madge."""
    tools = npm_tools()
    for package, folder in NPM_PACKAGES.items():
        root = npm_package(package)
        sources = root / folder
        command = [tools / "node_modules/.bin/madge", "--json", "--extensions", "ts,tsx,js,jsx,mjs,cjs", sources]
        if (root / "tsconfig.json").exists():
            command[1:1] = ["--ts-config", root / "tsconfig.json"]
        listed = json.loads(run(*command))
        theirs = {(file, to) for file, imported in listed.items() for to in imported}
        inside = lambda edge: all(not path.startswith("..") for path in edge)
        # madge does not list files that it does not read, such as JSON.
        ours = {edge for edge in our_edges(sources) if edge[1].rsplit(".", 1)[-1] != "json"}
        theirs = {edge for edge in theirs if inside(edge) and edge[0] != edge[1] and not edge[1].endswith(".json")}
        yield report(f"madge: {package}", ours, theirs)


def python():
    """Python against grimp."""
    import grimp

    for requirement, package in PYPI_PACKAGES.items():
        root = pypi_package(requirement)
        sys.path.insert(0, str(root))
        graph = grimp.build_graph(package, cache_dir=None)
        path = lambda module: module_path(root, module)
        theirs = {
            (path(module), path(imported))
            for module in graph.modules
            for imported in graph.find_modules_directly_imported_by(module)
        }
        # Skip files that are not modules for grimp: templates with names such as `apps.py-tpl`.
        modules = {path(module) for module in graph.modules}
        ours = {edge for edge in our_edges(root) if edge[0] in modules and edge[1] in modules}
        yield report(f"grimp: {requirement}", ours, theirs - {(module, module) for module in modules})


def module_path(root, module):
    path = Path(*module.split("."))
    package = path / "__init__.py"
    return str(package if (root / package).exists() else path.with_suffix(".py"))


def crates():
    """The folder with the sources of the crates."""
    project = SCRATCH / "crates-project"
    if not (project / "sources").exists():
        (project / "src").mkdir(parents=True, exist_ok=True)
        (project / "src/lib.rs").write_text("")
        dependencies = "\n".join(f"{name} = {requirement}" for name, requirement in CRATES.items())
        (project / "Cargo.toml").write_text(
            f'[package]\nname = "scratch"\nedition = "2021"\n[workspace]\n[dependencies]\n{dependencies}\n'
        )
        (project / ".cargo").mkdir(exist_ok=True)
        configuration = run("cargo", "vendor", "--quiet", "--versioned-dirs", "sources", cwd=project)
        (project / ".cargo/config.toml").write_text(configuration)
    return project


def rust():
    """Rust modules against the files that the compiler read."""
    project = crates()
    target = project / "target"
    run("cargo", "check", "--quiet", cwd=project, env={**os.environ, "CARGO_TARGET_DIR": str(target)})
    for name in ("tokio", "regex-automata", "regex-syntax", "mio", "bytes"):
        root = next((project / "sources").glob(f"{name}-[0-9]*"))
        dep_info = next((target / "debug/deps").glob(f"{name.replace('-', '_')}-*.d")).read_text()
        # Each file that was read is on a line of its own, after the folder of the crate.
        lines = (line.rstrip(":") for line in dep_info.splitlines() if line.endswith(".rs:"))
        read = {line.split(f"{root.name}/", 1)[1] for line in lines}
        reached = closure(our_edges(root), "src/lib.rs")
        ours, theirs = ({("lib", path) for path in paths} for paths in (reached, read))
        # The compiler reads the modules of one system, without tests; we read all of them. So only recall is judged.
        yield report(f"rustc: {root.name}", ours, theirs, (0, BARS[1]))


def closure(edges, start):
    following = {}
    for source, to in edges:
        following.setdefault(source, []).append(to)
    reached, waiting = {start}, [start]
    while waiting:
        for to in following.get(waiting.pop(), []):
            if to not in reached:
                reached.add(to)
                waiting.append(to)
    return reached


def go_tools():
    """The folder with the sources of the Go tools; `None` if they are not installed."""
    if shutil.which("go") is None:
        print("go: not installed, skipped")
        return None
    root = (Path(run("go", "env", "GOROOT").strip()) / "src/cmd").resolve()
    if not (root / "go.mod").exists():
        print("go: no sources of the Go tools, skipped")
        return None
    return root


def go():
    """Go against `go list`, by package, on the Go tools themselves."""
    root = go_tools()
    if root is None:
        return
    environment = {**os.environ, "GOFLAGS": "-mod=vendor", "CGO_ENABLED": "1"}
    listed = run("go", "list", "-json=Dir,ImportPath,GoFiles,CgoFiles,Imports", "./...", cwd=root, env=environment)
    packages, decoder, at = {}, json.JSONDecoder(), 0
    while at < len(listed.rstrip()):
        package, at = decoder.raw_decode(listed, at)
        packages[package["ImportPath"]] = package
        at += 1
    folder = {path: str(Path(package["Dir"]).resolve().relative_to(root)) for path, package in packages.items()}
    theirs = {
        (folder[path], folder[imported])
        for path, package in packages.items()
        for imported in package.get("Imports", [])
        if imported in folder
    }
    built = {
        f"{folder[path]}/{file}"
        for path, package in packages.items()
        for file in package.get("GoFiles", []) + package.get("CgoFiles", [])
    }
    # `go list` reads the files of one system only, so ours are limited to those.
    ours = {(str(Path(source).parent), str(Path(to).parent)) for source, to in our_edges(root) if source in built}
    yield report("go list: cmd", ours, theirs)


def c():
    """C against the headers that gcc reads for each file, with the options that include most."""
    root = next((crates() / "sources").glob("zstd-sys-*")) / "zstd/lib"
    edges = our_edges(root)
    ours, theirs = set(), set()
    for source in sorted(root.glob("*/*.c")):
        name = str(source.relative_to(root))
        rule = run("gcc", "-MM", "-DZSTD_MULTITHREAD", "-DDEBUGLEVEL=2", "-DZSTD_LEGACY_SUPPORT=1", "-I", root, "-I", root / "common", source)
        read = rule.replace("\\\n", " ").split()[1:]
        theirs |= {(name, str(Path(path).resolve().relative_to(root))) for path in read} - {(name, name)}
        ours |= {(name, path) for path in closure(edges, name)} - {(name, name)}
    yield report(f"gcc -MM: {root.parent.parent.name}", ours, theirs)


def calls():
    """Calls against TypeScript's checker, Go's type checker and jedi, by confidence."""
    for package in ("rxjs@7.8.1", "redux@5.0.1", "webpack@5.97.1"):
        sources = npm_package(package) / NPM_PACKAGES[package]
        listed = run("node", Path(__file__).parent / "calls-of-typescript.mjs", npm_tools(), sources)
        theirs = [tuple(line.split("\t")) for line in listed.splitlines() if line]
        yield report_calls(f"tsc: {package}", sources, theirs)
    if root := go_tools():
        listed = run("go", "run", Path(__file__).parent / "calls-of-go.go", root)
        theirs = [tuple(line.split("\t")) for line in listed.splitlines()]
        read = {source.rsplit(":", 1)[0] for source, _ in theirs}
        yield report_calls("go/types: cmd", root, theirs, read)
    root = pypi_package("rich==13.9.4")
    yield report_calls("jedi: rich==13.9.4", root, list(calls_of_python(root, root / "rich")))


def calls_of_python(root, folder):
    """Every call below a folder that jedi resolves to a definition of the project. Calls of anything but functions and classes, such
    as variables, have a third element."""
    import jedi

    project = jedi.Project(root)
    for path in sorted(folder.rglob("*.py")):
        script = jedi.Script(path=path, project=project)
        for line, column in called_names(path.read_text()):
            for found in script.goto(line, column, follow_imports=True):
                if found.module_path and found.line and found.module_path.is_relative_to(root):
                    edge = (f"{path.relative_to(root)}:{line}", f"{found.module_path.relative_to(root)}:{found.line}")
                    yield edge if found.type in ("function", "class") else (*edge, "other")


def called_names(text):
    """Line and column of the last letter of each called name."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
            name = node.func
            # Python's columns count bytes, jedi's count characters.
            before = lines[name.end_lineno - 1].encode()[: name.end_col_offset].decode()
            yield name.end_lineno, len(before) - 1


def report_calls(name, root, theirs, read=None):
    """Prints one line for each confidence: number of calls, precision, and cumulative recall. `read` are the files that the tool reads,
    if not all."""
    right = {edge[:2] for edge in theirs}
    from_files = lambda edges: {(source.rsplit(":", 1)[0], to) for source, to in edges}
    wanted = from_files(edge for edge in theirs if len(edge) == 2)
    ours = [line.split("\t") for line in run(EDGES, root, "--calls").splitlines()]
    ours = [edge for edge in ours if read is None or edge[0].rsplit(":", 1)[0] in read]
    found, held = set(), True
    for confidence, bar in CALL_BARS.items():
        edges = {(source, to) for source, to, said in ours if said == confidence}
        found |= from_files(edges)
        precision = len(edges & right) / len(edges) if edges else 1.0
        recall = len(found & wanted) / len(wanted)
        print(f"{name + ', ' + confidence:34} {len(wanted):6} {len(edges):6} {precision:9.4f} {recall:7.4f}")
        for edge in sorted(edges - right)[:8]:
            print(f"  {name}: {confidence}, only ours: {' -> '.join(edge)}", file=sys.stderr)
        held &= precision >= bar
    return held


def uses():
    """Uses of all kinds, for sampled definitions, against pyright, TypeScript's checker, rust-analyzer, clangd, Go's type checker and
    javac. Tools that are not installed are skipped."""
    servers = language_servers()
    samples = {"python": (pypi_package("starlette==0.41.3") / "starlette", (servers / "pyright-langserver", "--stdio"))}
    if shutil.which("rust-analyzer"):
        samples["rust"] = (next((crates() / "sources").glob("regex-automata-[0-9]*")), ("rust-analyzer",))
    if shutil.which("clangd"):
        root = next((crates() / "sources").glob("zstd-sys-*")) / "zstd/lib"
        (root / "compile_flags.txt").write_text("-I.\n-Icommon\n")
        samples["c"] = (root, ("clangd", "--background-index=false"))
    for language, (root, server) in samples.items():
        command = (sys.executable, SCRIPTS / "uses_of_server.py", language, root, str(SAMPLE), str(SEED), "--", *server)
        yield judged(language, root, run(*command))
    for name, root in {"rxjs": npm_package("rxjs@7.8.1") / "src", **workspaces()}.items():
        command = ("node", "--max-old-space-size=6144", SCRIPTS / "uses-of-typescript.mjs", servers.parent.parent, root, str(SAMPLE), str(SEED))
        yield judged(f"typescript-{name}", root, run(*command))
    if (tools := go_tools()) is not None:
        root = tools.parent / "net/http"
        yield judged("go", root, sampled(run("go", "run", SCRIPTS / "uses-of-go.go", root)))
    if shutil.which("javac"):
        root = maven_sources("com/google/code/gson", "gson", "2.11.0")
        yield judged("java", root, sampled(run("java", SCRIPTS / "UsesOfJava.java", root)))


def workspaces():
    """Clones of projects with several packages, by name: `WORKSPACES=vue=/path/to/core,...`. Their sources are in no registry."""
    named = (one.split("=", 1) for one in os.environ.get("WORKSPACES", "").split(",") if one)
    return {name: Path(path) for name, path in named}


def maven_sources(group, name, version):
    """The folder with the sources of a package from Maven Central."""
    root = SCRATCH / f"{name}-{version}"
    if not root.exists():
        archive = SCRATCH / f"{name}-{version}-sources.jar"
        urllib.request.urlretrieve(f"{MAVEN}/{group}/{name}/{version}/{archive.name}", archive)
        root.mkdir()
        run("unzip", "-q", archive, "-d", root)
    return root


def sampled(uses):
    """Samples definitions from lines `definition<TAB>use<TAB>kind<TAB>name<TAB>kind of definition`, as JSON lines."""
    found, read = {}, set()
    for line in uses.splitlines():
        definition, used, kind, name, definition_kind = line.split("\t")
        if kind == "read":
            read.add(used.rsplit(":", 1)[0])
            continue
        known = found.setdefault(definition, {"symbol": definition, "name": name, "kind": definition_kind, "uses": []})
        known["uses"].append({"at": used, "kind": kind})
    chosen = random.Random(SEED).sample(sorted(found), min(SAMPLE, len(found)))
    # Files for other systems are not read by the compiler, so their uses are not judged.
    files = [{"read": sorted(read)}] if read else []
    return "\n".join(json.dumps(row) for row in (*files, *(found[definition] for definition in chosen)))


def judged(name, root, truths):
    """Prints precision and recall of our uses; returns whether precision is high enough."""
    file = SCRATCH / f"uses-{name}.jsonl"
    file.write_text(truths)
    printed = run(sys.executable, SCRIPTS / "uses_judge.py", EDGES, root, file)
    print(f"{name}: {printed}")
    return "BELOW" not in printed


def main():
    known = {"uses": uses, "javascript": javascript, "python": python, "rust": rust, "go": go, "c": c, "calls": calls}
    print(f"{'tool: package':34} {'theirs':>6} {'ours':>6} precision  recall")
    held = [held for name in sys.argv[3:] or known for held in known[name]()]
    sys.exit(0 if all(held) else f"too low: precision must be {BARS[0]}, recall {BARS[1]}")


main()
