#!/usr/bin/env python3
"""Makes questions that write out a name, with the one file that the name denotes.

  written-names.py --trees DIR --out crates/vectorcode-eval/cases/written-names

DIR has a clone of each repository, with the names below. Each repository gives twelve questions:
- six identifiers: a sentence of a commit message with one name that exactly one source file defines, and that the commit changed;
- three modules and frames: a file by the name of its module, or a stack frame in one of its functions;
- three messages: a text in exactly one source file, with its placeholders filled in.
Definitions are found by the patterns below, not by vectorcode. The selection depends only on the seed.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import subprocess

# Name, language, owner/name on GitHub.
REPOSITORIES = [
    ("supervisor", "python", "Supervisor/supervisor"), ("fastify", "javascript", "fastify/fastify"), ("echo", "go", "labstack/echo"),
    ("sidekiq", "ruby", "sidekiq/sidekiq"), ("guzzle", "php", "guzzle/guzzle"), ("polly", "csharp", "App-vNext/Polly"),
    ("libuv", "c", "libuv/libuv"), ("guice", "java", "google/guice"), ("clap", "rust", "clap-rs/clap"), ("zod", "typescript", "colinhacks/zod"),
]
ENDINGS = {"python": "py", "javascript": "js", "go": "go", "ruby": "rb", "php": "php", "csharp": "cs", "c": "c", "java": "java", "rust": "rs", "typescript": "ts"}
DEFINITIONS = {
    "python": r"^[ \t]*(?:class|def)[ \t]+(\w+)",
    "javascript": r"^[ \t]*(?:async )?function\*?[ \t]+(\w+)|^class[ \t]+(\w+)|^(?:const|let|var)[ \t]+(\w+)[ \t]*=",
    "typescript": r"^(?:export )?(?:default )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|enum)[ \t]+(\w+)",
    "go": r"^func[ \t]+(?:\([^)]*\)[ \t]*)?(\w+)|^type[ \t]+(\w+)",
    "ruby": r"^[ \t]*(?:class|module|def)[ \t]+(?:self\.)?(\w+[?!]?)",
    "php": r"^[ \t]*(?:abstract |final )*(?:class|interface|trait)[ \t]+(\w+)|^[ \t]*(?:(?:public|private|protected|static|final|abstract)[ \t]+)*function[ \t]+&?(\w+)",
    "csharp": r"^[ \t]*(?:(?:public|internal|private|protected|static|sealed|abstract|partial|readonly|async|override|virtual)[ \t]+)+(?:class |interface |struct |enum |record )?(?:[\w<>?,.\[\]]+[ \t]+)?(\w+)[ \t]*(?:[(<:{]|$)",
    "c": r"^(?:[a-zA-Z_][\w \t]*[ \t*]+)(\w+)\([^;]*$|^#define[ \t]+(\w+)",
    "java": r"^[ \t]*(?:(?:public|private|protected|static|final|abstract)[ \t]+)*(?:class|interface|enum|@interface)[ \t]+(\w+)|^[ \t]+(?:(?:public|private|protected|static|final|abstract|synchronized)[ \t]+)+(?:<[^>]*>[ \t]*)?[\w<>?,.\[\] ]+[ \t]+(\w+)[ \t]*\(",
    "rust": r"^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?(?:const |async |unsafe )*(?:fn|struct|enum|trait|type|const|static|macro_rules!)[ \t]+(\w+)",
}
ASIDE = re.compile(r"(^|/)(tests?|test-\w+|spec|specs|__tests__|examples?|bench\w*|perf|docs?|vendor|vendored|node_modules|Snippets|samples?|fixtures?|myapp|website|packages/(bench|tsc|treeshake|resolution|integration|docs\w*))/|[._-](test|spec|snippets)\.|(^|/)test[_-]|Tests?\.(cs|java)$|Test/|_test\.|\.d\.ts$|\.pb\.|generated|/lang/|v3/", re.I)
STRING = {"go": r'"((?:[^"\\\n]|\\.)*)"', "c": r'"((?:[^"\\\n]|\\.)*)"', "java": r'"((?:[^"\\\n]|\\.)*)"', "csharp": r'"((?:[^"\\\n]|\\.)*)"', "rust": r'"((?:[^"\\\n]|\\.)*)"'}
ANY_STRING = r'"((?:[^"\\\n]|\\.)*)"|\'((?:[^\'\\\n]|\\.)*)\'|`((?:[^`\\\n]|\\.)*)`'
PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[-+0#]?\d*\.?\d*[sdvqwurxzflTp]+|\$\{[^}]*\}|#\{[^}]*\}|\{[^{} ]*\}")


def git(tree, *arguments):
    # The log stops at an object that the clone lacks; the commits before it are enough.
    return subprocess.run(["git", "-C", tree, *arguments], capture_output=True, text=True, errors="replace", check=arguments[0] != "log").stdout


class Source:
    """The source files of a tree and their definitions."""

    def __init__(self, tree, language):
        self.tree, self.language = tree, language
        ending = "." + ENDINGS[language]
        paths = [path for path in git(tree, "ls-files").split("\n") if path.endswith(ending)]
        if language == "javascript":
            paths = [path for path in paths if path.startswith("lib/") or path == "fastify.js"]
        self.all = {path: (tree / path).read_text(errors="replace") for path in paths if (tree / path).is_file()}
        self.texts = {path: text for path, text in self.all.items() if not ASIDE.search(path)}
        self.lines = {}
        self.definers = collections.defaultdict(set)
        for path, text in self.texts.items():
            for found in re.finditer(DEFINITIONS[language], text, flags=re.M):
                name = next(group for group in found.groups() if group)
                self.definers[name].add(path)
                line = text[found.start():].split("\n", 1)[0] + "("
                if f"{name}(" in line.replace(" (", "(") and "=" not in line.split("(")[0]:
                    self.lines.setdefault((path, name), text[:found.start(found.lastindex)].count("\n") + 1)

    def only_file(self, name):
        files = self.definers.get(name, ())
        return next(iter(files)) if len(files) == 1 else None


def is_code(name):
    return bool(re.search(r"[a-z0-9][A-Z]|[A-Za-z]_[A-Za-z]", name)) and len(name) > 4


def identifiers(source, count, choose):
    """Sentences of commit messages with exactly one name that is defined in exactly one file."""
    log = git(source.tree, "log", "-n", "4000", "--no-merges", "--name-only", "--format=%x02%H%x01%B%x03")
    found, names, files = [], set(), collections.Counter()
    entries = log.split("\x02")
    choose.shuffle(entries)
    for entry in entries:
        commit, _, rest = entry.strip().partition("\x01")
        message, _, changed = rest.partition("\x03")
        for sentence in re.split(r"\n|(?<=[.!?]) ", message):
            sentence = sentence.strip(" *-#")
            if not 20 <= len(sentence) <= 140 or re.search(r"https?:|Signed-off|Co-authored|Reviewed|PiperOrigin|[\w-]+/[\w/.-]+\.\w+|Revert|[Vv]ersion|\b[Tt]ests?\b|\b[Dd]ocs?\b|ocument|xample", sentence):
                continue
            quoted = set(re.findall(r"`(\w+)(?:\(\))?`", sentence))
            written = {name for name in re.findall(r"\w+", sentence) if is_code(name) or (name in quoted and len(name) > 4)}
            known = {name for name in written if name in source.definers}
            if len(known) != 1 or len(written) != 1:
                continue
            name = next(iter(known))
            path = source.only_file(name)
            # If the commit changes the file, the name means that file.
            if path in changed.split() and name not in names and files[path] < 2:
                names.add(name)
                files[path] += 1
                found.append({"query": sentence, "relevant": [path], "secondary": [], "category": "identifier", "commit": commit})
                break
        if len(found) == count:
            break
    return found


def module_of(path, language):
    stem = path.rsplit(".", 1)[0]
    parts = stem.split("/")
    return {
        "python": ".".join(parts), "java": ".".join(parts[parts.index("com"):] if "com" in parts else parts), "javascript": "fastify/" + stem,
        "php": "GuzzleHttp\\" + "\\".join(parts[1:]), "csharp": ".".join(parts[1:]), "rust": "::".join(part.replace("-", "_") for part in parts if part != "src"),
        "ruby": "::".join("".join(word.capitalize() for word in part.split("_")) for part in parts[1:]), "go": stem + ".go:%d", "c": path + ":%d", "typescript": "/".join(parts[-2:]),
    }[language]


def frame_of(path, name, line, language):
    below = path.split("/", 1)[1] if "/" in path else path
    return {
        "python": f'Traceback (most recent call last):\n  File "/usr/lib/python3/dist-packages/{path}", line {line}, in {name}\nTypeError: unexpected value',
        "javascript": f"TypeError: Cannot read properties of undefined\n    at {name} (/app/node_modules/fastify/{path}:{line}:15)\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)",
        "typescript": f"TypeError: Cannot read properties of undefined\n    at {name} (/home/me/app/node_modules/zod/{below}:{line}:15)\n    at Object.<anonymous> (/home/me/app/index.ts:3:1)",
        "go": f"panic: runtime error: invalid memory address or nil pointer dereference\ngoroutine 12 [running]:\ngithub.com/labstack/echo/v4.{name}(0x0)\n\t/root/go/pkg/mod/github.com/labstack/echo/v4@v4.11.1/{path}:{line} +0x1d\nmain.main()\n\t/src/main.go:12 +0x20",
        "ruby": f"NoMethodError: undefined method `[]' for nil\n/usr/local/bundle/gems/sidekiq-7.1.2/{path}:{line}:in `{name}'\n/usr/local/bundle/gems/sidekiq-7.1.2/bin/sidekiq:31:in `<main>'",
        "php": f"PHP Fatal error: Uncaught TypeError: Argument 1 must be an array\n#0 /var/www/vendor/guzzlehttp/guzzle/{path}({line}): {name}()\n#1 {{main}}",
        "csharp": f"System.NullReferenceException: Object reference not set to an instance of an object.\n   at {module_of(path, 'csharp')}.{name}() in C:\\build\\{path.replace('/', chr(92))}:line {line}",
        "c": f"Program received signal SIGSEGV, Segmentation fault.\n#0  {name} (handle=0x0) at {path}:{line}\n#1  0x00007f in main () at main.c:20",
        "java": f"java.lang.NullPointerException\n\tat {module_of(path, 'java')}.{name}({path.rsplit('/', 1)[-1]}:{line})\n\tat com.example.Main.main(Main.java:9)",
        "rust": f"thread 'main' panicked at {path}:{line}:9:\ncalled `Option::unwrap()` on a `None` value\nstack backtrace:\n   2: {module_of(path, 'rust')}::{name}\n             at ./{path}:{line}:9",
    }[language]


ASKED = ["{} fails since the last release", "what is {} responsible for?", "memory grows in {} over time"]


def modules_and_frames(source, count, choose):
    stems = collections.Counter(path.rsplit("/", 1)[-1].rsplit(".", 1)[0].lower() for path in source.all)
    # Only functions have stack frames.
    places = [(path, name) for path, name in sorted(source.lines) if len(name) > 3 and source.only_file(name) == path
              and not re.search(r"(^|/)(index|mod|lib|main|__init__)\.", path) and (source.language not in ("ruby", "python") or name.islower())]
    # Frames of Java and others have the file name; those of C and Go also its folder.
    places = [place for place in places if stems[place[0].rsplit("/", 1)[-1].rsplit(".", 1)[0].lower()] == 1]
    choose.shuffle(places)
    found, files = [], set()
    for path, name in places:
        if path in files:
            continue
        files.add(path)
        line = source.lines[path, name] + choose.randint(1, 4)
        if len(found) % 2 == 0:
            found.append({"query": frame_of(path, name, line, source.language), "relevant": [path], "secondary": [], "category": "frame"})
        else:
            module = module_of(path, source.language)
            module = module % line if "%d" in module else module
            found.append({"query": choose.choice(ASKED).format(module), "relevant": [path], "secondary": [], "category": "module"})
        if len(found) == count:
            break
    return found


def filled(text, choose):
    """The message as the program would print it."""
    text = text.replace("\\n", " ").replace('\\"', '"').replace("\\'", "'").replace("%%", "%")
    return PLACEHOLDER.sub(lambda _: choose.choice(["users", "42", "/tmp/a", "foo"]), text).strip()


def messages(source, count, choose):
    pattern = STRING.get(source.language, ANY_STRING)
    holders = collections.defaultdict(set)
    for path, text in source.texts.items():
        code = "\n".join(line for line in text.split("\n") if not re.match(r"\s*(//|\*|/\*|#(?!\{)|--)", line))
        for found in re.finditer(pattern, code):
            literal = next((group for group in found.groups() if group), "")
            fixed = PLACEHOLDER.sub(" ", literal)
            if 25 <= len(literal) <= 120 and len(re.findall(r"[A-Za-z]{2,}", fixed)) >= 4 and " " in literal and not re.search(r"https?:|[<>=;]{2}|\\[^n\"']|=>|\(\)", literal):
                holders[literal].add(path)
    everything = "\n".join(source.all.values())
    unique = [(literal, next(iter(paths))) for literal, paths in sorted(holders.items()) if len(paths) == 1 and everything.count(literal) == 1]
    choose.shuffle(unique)
    with_placeholder = [pair for pair in unique if PLACEHOLDER.search(pair[0])]
    chosen = with_placeholder[:(count + 1) // 2] + [pair for pair in unique if pair not in with_placeholder]
    forms = ["Error: {}", "I get the message \"{}\" when I start it", "{}"]
    made = [{"query": forms[place % 3].format(filled(literal, choose)), "relevant": [path], "secondary": [], "category": "message"}
            for place, (literal, path) in enumerate(chosen[:count])]
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=42)
    args = parser.parse_args()
    (args.out / "annotations").mkdir(parents=True, exist_ok=True)
    repositories = []
    for name, language, github in REPOSITORIES:
        tree, choose = args.trees / name, random.Random(f"{args.seed} {name}")
        source = Source(tree, language)
        questions = identifiers(source, 6, choose) + modules_and_frames(source, 3, choose) + messages(source, 3, choose)
        (args.out / "annotations" / f"{name}.json").write_text(json.dumps(questions, indent=2, ensure_ascii=False) + "\n")
        repositories.append({"name": name, "language": language, "github": github, "revision": git(tree, "rev-parse", "HEAD").strip(), "root": None})
        print(name, collections.Counter(question["category"] for question in questions))
    (args.out / "repos.json").write_text(json.dumps(repositories, indent=1) + "\n")


if __name__ == "__main__":
    main()
