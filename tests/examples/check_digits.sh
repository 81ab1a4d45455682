#!/bin/sh
# check_digits.sh PROGRAM DEVICE EXPECTED: the example recognizes the same digits on this device as when it was trained.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" "$2" --predictions "$work/predictions.txt" | tee "$work/output.txt"
grep -q '^accuracy 99.7 %$' "$work/output.txt"
grep -q '^device: .' "$work/output.txt"
cmp "$work/predictions.txt" "$3"
