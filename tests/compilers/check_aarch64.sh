#!/usr/bin/env bash
# check_aarch64.sh COMPILER SOURCES GENERATED: checks that the CPU device's sources compile for Arm, without generating code. Debian's
# cross compiler has all headers that they include.
set -euo pipefail
cd "$2"
find backends/cpu -name '*.cpp' -print0 | xargs -0 -n 1 -P "$(nproc)" "$1" -std=c++20 -I. -I"$3" -fsyntax-only -Werror -Wno-psabi \
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
