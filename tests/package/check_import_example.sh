#!/bin/sh
# check_import_example.sh BUILD_TREE: installs into an empty folder, and builds examples/import against it outside the tree, with CMake and
# with pkg-config.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
model=$source/tests/import/models/onnx/digits.onnx
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --prefix "$work/installed" >/dev/null
cmake -S "$source/examples/import" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/installed" >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/import" "$model"

PKG_CONFIG_PATH=$(dirname "$(find "$work/installed" -name nnrt-import.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
cc -std=c11 "$source/examples/import/import.c" $(pkg-config --cflags --libs nnrt-import) \
  -Wl,-rpath,"$(pkg-config --variable=libdir nnrt-import)" -o "$work/import"
"$work/import" "$model"
