#!/bin/sh
# check_digits.sh PROGRAM DEVICE EXPECTED [LINE]: the example recognizes the same digits on this device as when it was trained
# (EXPECTED, in rows), its lines fit 100 columns, and one of them matches LINE.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" "$2" --predictions "$work/predictions.txt" | tee "$work/output.txt"
grep -q '^accuracy 99.7 %$' "$work/output.txt"
grep -q '^device: .' "$work/output.txt"
if grep -E '^.{101}' "$work/output.txt"; then exit 1; fi
grep -Eq "${4:-.}" "$work/output.txt"
if [ -n "${4:-}" ]; then
  "$1" "$2" --images 0 --verbose >"$work/verbose.txt"
  grep -q '^node  operator ' "$work/verbose.txt"
  if "$1" "$2" --images x3 2>"$work/error"; then exit 1; fi
  grep -q 'images takes a number, not x3$' "$work/error"
fi
# An unknown device is an error that names those there are.
if "$1" nowhere 2>"$work/error"; then exit 1; fi
grep -q 'nowhere; there are: .' "$work/error"
fold -w 1 "$3" | cmp - "$work/predictions.txt"
