#!/bin/sh
# check_wheel.sh PYTHON BUILD_TREE MODELS: makes the wheel of this build, installs it into a folder of its own, where there is no build
# tree to be seen, and recognizes a digit with it.
set -eu
source=$(cd "$(dirname "$0")/../../python" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source"
BUILD_TREE=$2 PYTHONDONTWRITEBYTECODE=1 "$1" -c "import wheel_backend; wheel_backend.build_wheel('$work')"
cd "$work"
"$1" - <<'TEXT'
# RECORD lists exactly the files of the wheel.
import base64, glob, hashlib, zipfile
with zipfile.ZipFile(glob.glob("nnrt-*.whl")[0]) as wheel:
    record = next(name for name in wheel.namelist() if name.endswith("/RECORD"))
    rows = [row.split(",") for row in wheel.read(record).decode().split()]
    assert {row[0] for row in rows} == set(wheel.namelist())
    for name, digest, size in rows:
        data = wheel.read(name)
        hashed = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        assert name == record or (digest, int(size)) == (hashed, len(data)), name
    wheel.extractall("installed")
TEXT
if "$1" -m pip --version >/dev/null 2>&1; then
  rm -r installed
  PIP_DISABLE_PIP_VERSION_CHECK=1 "$1" -m pip install --quiet --no-index --no-deps --target installed nnrt-*.whl
fi
PYTHONPATH=$work/installed "$1" - "$3" <<'TEXT'
import sys, numpy, nnrt
assert nnrt.__file__.startswith("/") and "/installed/" in nnrt.__file__, nnrt.__file__
with open("/proc/self/maps") as maps:
    libraries = {line.split()[-1] for line in maps if "neural_network_core" in line or "nnrt_import" in line}
assert len(libraries) == 2 and all("/installed/nnrt/" in path for path in libraries), libraries
image = numpy.fromfile(sys.argv[1] + "/samples/onnx_digits/0.in0.bin", "uint8").reshape(1, 1, 8, 8)
expected = numpy.fromfile(sys.argv[1] + "/samples/onnx_digits/0.out0.bin", "float32")
numpy.testing.assert_allclose(nnrt.load(sys.argv[1] + "/onnx/digits.onnx")(image)[0], expected, atol=1e-4)
TEXT
