#!/bin/sh
# check_text.sh PROGRAM NNRT DEVICE MODELS: the example writes on this device the text that the model is known for.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$2" compile "$4/decode_int8.onnx" -o "$work/decode.nnrt" --device "$3"
"$1" "$work/decode.nnrt" "$3" 200 "Ge1:1 In the beginning God created the " >"$work/text"
# Trailing spaces are the model's, the last line's end is the program's.
[ "$(cat "$work/text")" = "$(cat "$4/expected_greedy.txt")" ]
