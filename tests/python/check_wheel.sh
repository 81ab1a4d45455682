#!/bin/sh
# check_wheel.sh PYTHON BUILD_TREE MODELS: builds the wheel, installs it into an empty folder and recognizes a digit by the command, in
# process and on a hosted device.
set -eu
source=$(cd "$(dirname "$0")/../../python" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source"
BUILD_TREE=$2 PYTHONDONTWRITEBYTECODE=1 "$1" -c "import wheel_backend; wheel_backend.build_wheel('$work')"
# Of the wheel's tag: a program that needs only the C library is for every distribution.
mkdir "$work/common"
cp "$(command -v gzip)" "$work/common"
PYTHONDONTWRITEBYTECODE=1 "$1" -c "import wheel_backend; print(wheel_backend._platform('$work/common'))" | grep -qx 'manylinux_2_[0-9]*_[a-z0-9_]*'
cd "$work"
"$1" - <<'TEXT'
# RECORD must list exactly the files of the wheel.
import base64, glob, hashlib, os, zipfile
with zipfile.ZipFile(glob.glob("nnrt-*.whl")[0]) as wheel:
    record = next(name for name in wheel.namelist() if name.endswith("/RECORD"))
    rows = [row.split(",") for row in wheel.read(record).decode().split()]
    assert {row[0] for row in rows} == set(wheel.namelist())
    for name, digest, size in rows:
        data = wheel.read(name)
        hashed = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        assert name == record or (digest, int(size)) == (hashed, len(data)), name
    wheel.extractall("installed")
    for entry in wheel.infolist():  # extractall() drops the modes
        os.chmod("installed/" + entry.filename, entry.external_attr >> 16 & 0o777 or 0o644)
TEXT
if "$1" -m pip --version >/dev/null 2>&1; then
  rm -r installed
  PIP_DISABLE_PIP_VERSION_CHECK=1 "$1" -m pip install --quiet --no-index --no-deps --target installed nnrt-*.whl
else
  (echo "#!$1" && tail -n +2 installed/nnrt-*.data/scripts/nnrt) >nnrt_command
  mkdir -p installed/bin
  install -m 755 nnrt_command installed/bin/nnrt
fi
PYTHONPATH=$work/installed installed/bin/nnrt run "$3/onnx/digits.onnx" --device cpu | grep -q probabilities
[ "$(PYTHONPATH=$work/installed installed/bin/nnrt --version)" = "nnrt $("$1" -c "
import sys; sys.path.insert(0, 'installed'); import importlib.metadata as m
found = m.metadata('nnrt')
assert found.get_all('License-File') == ['LICENSE', 'NOTICE'] and '# Python' in m.distribution('nnrt').metadata.get_payload()
print(found['Version'])")" ]
cat > digit.py <<'TEXT'
import os, sys, numpy, nnrt, nnrt.batch
assert nnrt.__file__.startswith("/") and "/installed/" in nnrt.__file__, nnrt.__file__

def libraries_of(process):
    with open(f"/proc/{process}/maps") as maps:
        return {line.split()[-1] for line in maps if "/libnnrt" in line}

libraries = libraries_of("self")
assert len(libraries) == 1 and all("/installed/nnrt/" in path for path in libraries), libraries
image = numpy.fromfile(sys.argv[1] + "/samples/onnx_digits/0.in0.bin", "uint8").reshape(1, 1, 8, 8)
expected = numpy.fromfile(sys.argv[1] + "/samples/onnx_digits/0.out0.bin", "float32")
numpy.testing.assert_allclose(nnrt.load(sys.argv[1] + "/onnx/digits.onnx")(image)[0], expected, atol=1e-4)
if os.environ.get("NNRT_HOSTED"):
    with open(f"/proc/self/task/{os.getpid()}/children") as children:
        hosts = [child for child in children.read().split() if "device-host" in os.readlink(f"/proc/{child}/exe")]
    assert hosts and all("/installed/nnrt/" in path for host in hosts for path in libraries_of(host)), hosts
TEXT
for hosted in "" cpu; do
  env -u NNRT_TEST_DEVICE_HOST -u LD_LIBRARY_PATH NNRT_HOSTED=$hosted PYTHONPATH="$work/installed" "$1" digit.py "$3"
done
