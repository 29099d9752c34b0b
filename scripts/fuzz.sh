#!/usr/bin/env bash
# Fuzzes the seven entry points for untrusted input, and prints the number of inputs for each.
#
#   scripts/fuzz.sh [seconds for each target] [target ...]
#   PLAIN=1 scripts/fuzz.sh ...                             mutates seeds without coverage, with the stable compiler
#
# The first form is libFuzzer under AddressSanitizer. It needs a nightly toolchain and no other tool; with cargo-fuzz,
# `cargo +nightly fuzz run TARGET` works too. The corpus is kept in fuzz/corpus, and the next run continues from it. Failing
# inputs are kept in fuzz/artifacts, and the exit code is not 0 if there are any.
set -u
cd "$(dirname "$0")/.." || exit
seconds=${1:-60}
[ $# -gt 0 ] && shift
targets=("$@")
[ $# -gt 0 ] || targets=(source markup config store_open query mcp_frames history)
target_dir=${CARGO_TARGET_DIR:-target}
plain=${PLAIN:-}

if [ -n "$plain" ]; then
  # Builds the whole workspace, because its tests were built with the same features.
  cargo build --quiet --workspace --bins --features vectorcode-torture/fuzz || exit 2
else
  # Use the dependency versions of the product.
  [ -f fuzz/Cargo.lock ] || cp Cargo.lock fuzz/Cargo.lock
  # The flags of cargo-fuzz. Coverage does not include SQLite and the grammars, which are C; scripts/fuzz-grammars.sh fuzzes the
  # grammars under the sanitizer.
  host=$(rustc -vV | sed -n 's/^host: //p')
  RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table
    -Cllvm-args=-sanitizer-coverage-trace-compares -Zsanitizer=address -Cdebug-assertions" \
    cargo +nightly build --manifest-path fuzz/Cargo.toml --release --target "$host" --target-dir "$target_dir/fuzz" || exit 2
fi

# Source seeds are the fixtures of the languages, each after a line with its name.
seed_corpus() {
  mkdir -p "fuzz/corpus/$1" "fuzz/artifacts/$1"
  case $1 in
    source | markup)
      for file in crates/vectorcode-source/tests/fixtures/languages/*; do
        { basename "$file" && cat "$file"; } >"fuzz/corpus/$1/$(basename "$file")"
      done
      ;;
    *) cp fuzz/seeds/"$1"/* "fuzz/corpus/$1/" ;;
  esac
}

run() {
  if [ -n "$plain" ]; then
    "$target_dir/debug/vectorcode-fuzz" "$1" "fuzz/corpus/$1" --seconds "$seconds" --seed "${SEED:-1}" \
      --last-input "fuzz/artifacts/$1/last-input"
  else
    # 16 KB is larger than most sources; larger inputs only take more time.
    ASAN_OPTIONS=detect_leaks=0 "$target_dir/fuzz/$host/release/$1" "fuzz/corpus/$1" -max_total_time="$seconds" \
      -max_len=16384 -timeout=25 -rss_limit_mb=1500 -malloc_limit_mb=512 -print_final_stats=1 \
      -artifact_prefix="fuzz/artifacts/$1/"
  fi
}

failed=0
for target in "${targets[@]}"; do
  seed_corpus "$target"
  log=fuzz/artifacts/$target.log
  if ! run "$target" 2>"$log"; then
    failed=1
    echo "$target FAILED: $(grep -m1 -E 'panicked|ERROR|SUMMARY|Error' "$log"), log in $log"
  fi
  awk -v target="$target" '/stat::number_of_executed_units/ { runs = $2 }
    END { printf "%-12s %9d inputs\n", target, runs }' "$log"
done
exit $failed
