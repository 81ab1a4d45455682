#!/bin/sh
# check_install.sh PYTHON BUILD_TREE: installs with the command in docs/python.md and imports the installed module.
set -eu
page=$(cd "$(dirname "$0")/../../docs" && pwd)/python.md
command=$(grep 'cmake --install build' "$page" | sed "s# build # $2 #")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DESTDIR="$work"
eval "$command" >/dev/null
cd "$work"
module=$(dirname "$(find "$work" -path '*/nnrt/__init__.py')")
PYTHONPATH=$(dirname "$module") PYTHONDONTWRITEBYTECODE=1 "$1" - "$work" <<'TEXT'
import sys, nnrt, nnrt.batch
with open("/proc/self/maps") as maps:
    libraries = {line.split()[-1] for line in maps if "/libnnrt" in line}
assert len(libraries) == 1 and all(path.startswith(sys.argv[1]) for path in libraries), libraries
assert nnrt.devices()
TEXT
