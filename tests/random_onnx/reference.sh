#!/bin/sh
# Writes random models and ONNX Runtime's results for them: reference.sh PROGRAM DRAWS FOLDER NODE_MODULES
set -e
"$1" --write "$3" --draws "$2"
if [ ! -f "$4/onnxruntime-node/package.json" ]; then
  echo "skipped: ONNX Runtime is not installed in $4; ./dev test does it"
  exit 77
fi
node "$(dirname "$0")/onnxruntime_reference.js" "$4" "$3"
