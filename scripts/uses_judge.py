"""Compares our uses with those of a referee: precision by confidence, recall by kind. Started by graph_check.py.

Usage: uses_judge.py EDGES DIRECTORY TRUTHS [-v]"""

import json
import subprocess
import sys
from collections import defaultdict

edges, directory, truths = sys.argv[1:4]
truths = [json.loads(line) for line in open(truths)]
# A referee may say which files it has read, or which lines it has not.
read = next((set(truth["read"]) for truth in truths if "read" in truth), None)
unread = next((set(truth["unread"]) for truth in truths if "unread" in truth), set())
truths = [truth for truth in truths if "symbol" in truth]
asked = "\n".join(truth["symbol"] for truth in truths)
printed = subprocess.run([edges, directory, "--uses"], input=asked, capture_output=True, text=True, check=True).stdout
ours, unknown = defaultdict(dict), set()
# Of the family are uses of methods that override each other: a referee counts them or not, as its language does.
ORDER = ["certain", "likely", "possible", "family", "guess", "text"]
for line in printed.splitlines():
    symbol, at, kind, confidence = line.split("\t")
    if confidence == "unknown":
        unknown.add(symbol)
    elif kind != "import" and at not in unread and (read is None or at.rsplit(":", 1)[0] in read):
        known = ours[symbol].get(at, "text")
        ours[symbol][at] = min(known, confidence, key=ORDER.index)
right, total = defaultdict(int), defaultdict(int)
found, resolved, wanted = defaultdict(int), defaultdict(int), defaultdict(int)
false_none = []
for truth in truths:
    symbol = truth["symbol"]
    if symbol in unknown:
        continue
    true = {use["at"] for use in truth["uses"]} - unread
    for at, confidence in ours[symbol].items():
        total[confidence] += 1
        right[confidence] += at in true
        if "-v" in sys.argv and at not in true and confidence in ("certain", "likely", "possible"):
            print(f"wrong {confidence}: {truth['name']} {symbol} <- {at}")
    for use in (use for use in truth["uses"] if use["at"] not in unread):
        confidence = ours[symbol].get(use["at"])
        for kind in (use["kind"], "all"):
            wanted[kind] += 1
            resolved[kind] += confidence is not None and confidence != "text"
            found[kind] += confidence is not None
        if "-v" in sys.argv and confidence in (None, "text"):
            print(f"missed ({confidence or 'not listed'}) {use['kind']}: {truth['name']} {truth['kind']} {symbol} <- {use['at']}")
    if true and not ours[symbol]:
        false_none.append(truth["name"])
print(f"{len(truths)} symbols, {len(unknown)} of them unknown to us: {sorted(unknown)[:5]}")
print("precision: " + ", ".join(f"{level} {right[level]}/{total[level]} = {right[level] / max(total[level], 1):.3f}" for level in ORDER))
print("recall: " + ", ".join(f"{kind} {resolved[kind]}/{wanted[kind]} = {resolved[kind] / max(wanted[kind], 1):.3f} (with listed lines {found[kind] / max(wanted[kind], 1):.3f})" for kind in ("call", "other", "all")))
sure = right["certain"] + right["likely"], total["certain"] + total["likely"]
if sure[0] < 0.98 * sure[1]:
    print("BELOW the bar: 0.98 of what is certain or likely must be right")
print(f"none where the referee has one: {false_none}")
