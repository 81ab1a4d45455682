#!/bin/sh
# check_text.sh PROGRAM NNRT DEVICE MODELS: the example writes the model's known text on this device.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$2" compile "$4/decode_int8.onnx" -o "$work/decode.nnrt" --device "$3"
"$1" "$work/decode.nnrt" "$3" 200 "Ge1:1 In the beginning God created the " >"$work/text"
# The model writes trailing spaces; the program adds the final newline.
[ "$(cat "$work/text")" = "$(cat "$4/expected_greedy.txt")" ]
