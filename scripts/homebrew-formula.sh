#!/bin/sh
# Prints the Homebrew formula of a release: scripts/homebrew-formula.sh 0.2.0 path/to/SHA256SUMS
set -eu

version=$1
sums=$2
template=$(dirname "$0")/../packaging/homebrew/vectorcode.rb

digest() {
    found=$(awk -v name="vectorcode-$1.tar.gz" '$2 == name { print $1 }' "$sums")
    [ -n "$found" ] || { echo "error: $sums does not list vectorcode-$1.tar.gz" >&2; exit 2; }
    echo "$found"
}

darwin_arm=$(digest darwin-aarch64)
darwin_intel=$(digest darwin-x86_64)
linux_arm=$(digest linux-aarch64)
linux_intel=$(digest linux-x86_64)

sed -e '1d' \
    -e "s/@VERSION@/$version/" \
    -e "s/@SHA256_DARWIN_AARCH64@/$darwin_arm/" \
    -e "s/@SHA256_DARWIN_X86_64@/$darwin_intel/" \
    -e "s/@SHA256_LINUX_AARCH64@/$linux_arm/" \
    -e "s/@SHA256_LINUX_X86_64@/$linux_intel/" \
    "$template"
