#!/bin/sh
# check_package.sh BUILD_TREE: installs it into a folder of its own, then builds and runs a client against that, by CMake and by
# pkg-config.
set -eu
source=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --prefix "$work/prefix" >/dev/null

cmake -S "$source" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/client"

PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name nnrt.pc)")
export PKG_CONFIG_PATH
library_path=$(pkg-config --variable=libdir nnrt)
# Headers by their bare names, as some clients include them.
sed 's|<neural_network_runtime/\(.*\)>|"\1"|' "$source/client.c" > "$work/bare.c"
# shellcheck disable=SC2046
cc -std=c11 "$work/bare.c" $(pkg-config --cflags --libs nnrt) -Wl,-rpath,"$library_path" -o "$work/bare"
"$work/bare"
