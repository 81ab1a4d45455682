#!/bin/sh
# Compares tokens per second of a decoder on the CPU device and in ONNX Runtime, in turns; both must generate the same text:
# compare_text.sh NNRT NODE_MODULES MODEL [ROUNDS [THREADS]]
set -eu
nnrt=$1 modules=$2 model=$3 rounds=${4:-7} threads=${5:-$(nproc)}
folder=$(dirname "$0")
prompt="Ge1:1 In the beginning God created the "
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for _ in $(seq "$rounds"); do
  NNRT_THREADS=$threads NNRT_DEVICES=cpu "$nnrt" generate "$model" -d cpu -p "$prompt" -n 200 >"$work/ours" 2>"$work/times"
  sed -n 's/.*: \([0-9.]*\) tokens a second.*/\1/p' "$work/times" >>"$work/nnrt"
  node "$folder/onnxruntime_text.js" "$modules" "$model" "$prompt" 200 "$threads" >"$work/theirs" 2>"$work/times"
  sed -n 's/\([0-9.]*\) tokens a second/\1/p' "$work/times" >>"$work/onnxruntime"
  cmp "$work/ours" "$work/theirs"
done
median() { sort -n "$1" | sed -n "$((rounds / 2 + 1))p"; }
ours=$(median "$work/nnrt") theirs=$(median "$work/onnxruntime")
echo "NNRt $ours, ONNX Runtime $theirs tokens a second (medians of $rounds, $threads threads): $(awk "BEGIN { printf \"%.2f\", $ours / $theirs }") times"
