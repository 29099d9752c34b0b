#!/usr/bin/env bash
# Fuzzes every grammar, including the scanners that the build patches, with broken variants of real sources under AddressSanitizer.
#
#   scripts/fuzz-grammars.sh [inputs for each grammar] [random seed] [directory of more sources, one folder per grammar]
#
# ONLY=name selects one grammar. Needs a C compiler with AddressSanitizer, but no nightly toolchain. Texts that crash or hang are kept in
# target/fuzz-grammars, and the exit code is not 0 if there are any. Build vectorcode-grammars first.
set -u
cd "$(dirname "$0")/.." || exit
inputs=${1:-5000} random=${2:-1} more=${3:-}
out=target/fuzz-grammars
mkdir -p "$out"
patched=$(dirname "$(ls -t target/*/build/vectorcode-grammars-*/out/python_scanner.c | head -1)") || exit 2

# The build downloads only what this platform needs.
host=$(rustc -vV | sed -n 's/^host: //p')
packages=$(cargo metadata --format-version 1 --locked --offline --filter-platform "$host" |
  python3 -c 'import json, os, sys
for package in json.load(sys.stdin)["packages"]: print(package["name"], os.path.dirname(package["manifest_path"]))')
package() { awk -v name="$1" '$1 == name { print $2 }' <<<"$packages"; }

core=$(package tree-sitter)
flags=(-O1 -g -fsanitize=address -fno-omit-frame-pointer -w -std=gnu11 -DTREE_SITTER_REUSE_ALLOCATOR -I "$core/include")
${CC:-cc} "${flags[@]}" -I "$core/src" -c "$core/src/lib.c" -o "$out/core.o" || exit 2

failed=0
# Name, package and folder of each grammar, from the one file that lists them.
while read -r name package folder; do
  case "${ONLY:-$name}" in "$name") ;; *) continue ;; esac
  source=$(package "$package")/$folder
  scanner=()
  [ -f "$source/scanner.c" ] && scanner=("$patched/${name}_scanner.c")
  # Compiling the tables takes longer than a short run, and they change only with the version of a grammar.
  if [ ! "$out/$name" -nt crates/vectorcode-grammars/fuzz/parse.c ] || [ ! "$out/$name" -nt "${scanner[0]:-$source/parser.c}" ]; then
    ${CC:-cc} "${flags[@]}" -I "$source" -DLANGUAGE="tree_sitter_$name" crates/vectorcode-grammars/fuzz/parse.c \
      "$source/parser.c" "${scanner[@]}" "$out/core.o" -o "$out/$name" || exit 2
  fi
  mkdir -p "$out/seeds/$name"
  extension=$(sed 's/^c_sharp$/cs/; s/^python$/py/; s/^rust$/rs/; s/^ruby$/rb/; s/^bash$/sh/; s/^elixir$/ex/; s/^haskell$/hs/;
    s/^javascript$/js/; s/^kotlin$/kt/; s/^typescript$/ts/' <<<"$name")
  cp crates/vectorcode-source/tests/fixtures/languages/*."$extension" "$out/seeds/$name/"
  [ -n "$more" ] && cp "$more/$name"/* "$out/seeds/$name/" 2>/dev/null
  printf '%-12s ' "$name"
  if ! ASAN_OPTIONS=detect_leaks=0:handle_abort=1 nice -n 15 \
    "$out/$name" "$out/seeds/$name" "$inputs" "$random" "$out/$name.input" 2>"$out/$name.log"; then
    failed=1
    mv "$out/$name.input" "$out/$name.failed"
    echo "FAILED: $(grep -m1 -E 'HANG|ERROR|Assertion' "$out/$name.log"), text in $out/$name.failed"
  fi
done < <(sed -nE 's/^ +"[a-z]+": "([a-z_]+)" in "([a-z-]+)" \/ "([a-z\/]+)".*/\1 \2 \3/p' crates/vectorcode-grammars/build/catalogue.rs)
exit $failed
