#!/bin/sh
# check_import.sh PROGRAM MODEL DEVICE: the example describes the digits model and gets ten probabilities.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" "$2" "$3" | tee "$work/output"
grep -q '^  image, type 11, \[-1,1,8,8\]$' "$work/output"
grep -q '^  probabilities, type 11, \[-1,10\]$' "$work/output"
awk '/^10 elements:/ { for (i = 3; i <= NF; ++i) sum += $i } END { exit !(sum > 0.999 && sum < 1.001) }' "$work/output"
# An unknown device is an error that names those there are.
if "$1" "$2" nowhere 2>"$work/error"; then exit 1; fi
grep -q 'nowhere; there are: .' "$work/error"
# An unreadable file is an error with a reason.
if "$1" "$work/missing.onnx" "$3" 2>"$work/error"; then exit 1; fi
grep -q 'missing.onnx' "$work/error"
