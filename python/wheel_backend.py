"""Builds the wheel (PEP 517) with CMake and the standard library only.

The wheel holds the module, the runtime's libraries and nnrt-device-host. System libraries (the Vulkan loader
and so on) are not included: the wheel is for the distribution it was built on.

BUILD_TREE names an existing build tree to use instead of a new one.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent


def _version():
    return re.search(r"project\(NNRt VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]


def _tag():
    interpreter = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{interpreter}-{interpreter}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def _build_tree():
    given = os.environ.get("BUILD_TREE")
    if given:
        return pathlib.Path(given)
    tree = SOURCE / "build-wheel"
    options = [f"-DNNRT_{part}=OFF" for part in ("TESTS", "BENCH", "EXAMPLES")]
    subprocess.run(["cmake", "-S", SOURCE, "-B", tree, "-G", "Ninja", f"-DPython_EXECUTABLE={sys.executable}", *options], check=True)
    subprocess.run(["cmake", "--build", tree, "--target", "nnrt_python_package", "nnrt-device-host"], check=True)
    return tree


def _metadata():
    return (f"Metadata-Version: 2.1\nName: nnrt\nVersion: {_version()}\n"
            "Summary: Neural networks on any Vulkan GPU and CPU\nLicense: Apache-2.0\n"
            "Requires-Python: >=3.9\nRequires-Dist: numpy\n")


def _write(wheel, record, name, data, mode=0o644):
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # reproducible wheels
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    wheel.writestr(entry, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record.append(f"{name},sha256={digest},{len(data)}")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel and returns its name."""
    tree, info = _build_tree(), f"nnrt-{_version()}.dist-info"
    name = f"nnrt-{_version()}-{_tag()}.whl"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cmake", "--install", tree, "--component", "wheel", "--prefix", folder, "--strip"], check=True,
                       stdout=subprocess.DEVNULL)
        with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w") as wheel:
            record = []
            for path in sorted(pathlib.Path(folder).rglob("*")):
                if path.is_file():
                    _write(wheel, record, path.relative_to(folder).as_posix(), path.read_bytes(), path.stat().st_mode & 0o777)
            _write(wheel, record, f"{info}/METADATA", _metadata().encode())
            tags = f"Wheel-Version: 1.0\nGenerator: nnrt\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
            _write(wheel, record, f"{info}/WHEEL", tags.encode())
            for licence in ("LICENSE", "NOTICE"):
                _write(wheel, record, f"{info}/{licence}", (SOURCE / licence).read_bytes())
            wheel.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""]))
    return name
