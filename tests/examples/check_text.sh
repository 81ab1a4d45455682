#!/bin/sh
# check_text.sh PROGRAM NNRT DEVICE MODELS: the example writes the model's known text on this device.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$2" compile "$4/decode_int8.onnx" -o "$work/decode.nnrt" --device "$3"
"$1" "$work/decode.nnrt" "$3" 200 "Ge1:1 In the beginning God created the " >"$work/text"
# An unknown device is an error that names those there are.
if "$1" "$work/decode.nnrt" nowhere 200 "Ge1:1" 2>"$work/error"; then exit 1; fi
grep -q 'nowhere; there are: .' "$work/error"
# The model writes trailing spaces; the program adds the final newline.
[ "$(cat "$work/text")" = "$(cat "$4/expected_greedy.txt")" ]
