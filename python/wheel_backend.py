"""Builds the wheel (PEP 517) with CMake and the standard library only.

The wheel holds the module, the runtime's libraries, nnrt-device-host and the command nnrt. System libraries (the Vulkan
loader and so on) are not included. If it needs only those that every distribution has, its tag is of manylinux (PEP 600);
otherwise it is for the distribution it was built on, and the build says which libraries it needs.

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


# The libraries that PEP 600 allows (of those that anything here could need), and the oldest glibc of distributions whose libstdc++
# is of at least these versions.
_COMMON = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libgcc_s.so.1", "libstdc++.so.6", "libz.so.1",
           "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
_LIBSTDCXX = {(3, 4, 24): 27, (3, 4, 25): 28, (3, 4, 28): 31, (3, 4, 29): 34, (3, 4, 30): 35, (3, 4, 32): 38, (3, 4, 33): 39}


def _readelf(option, files):
    done = subprocess.run(["readelf", "--wide", option, *files], check=True, text=True, stdout=subprocess.PIPE)
    return done.stdout


def _platform(folder):
    """The platform's tag for these files: that of manylinux, or the machine's."""
    files = [path for path in pathlib.Path(folder).rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", _readelf("--dynamic", files)))
    others = sorted(needed - _COMMON - {path.name for path in files})
    if others:
        print(f"Not for manylinux, because of {', '.join(others)}.", file=sys.stderr)
        return re.sub("[-.]", "_", sysconfig.get_platform())
    versions = _readelf("--version-info", files)
    glibc = max(int(minor) for minor in re.findall(r"\bGLIBC_2\.(\d+)", versions))
    newest = max((tuple(map(int, version.split("."))) for version in re.findall(r"\bGLIBCXX_([\d.]+)", versions)), default=(3, 4))
    glibc = max(glibc, next(minor for version, minor in _LIBSTDCXX.items() if newest <= version))
    return f"manylinux_2_{glibc}_{os.uname().machine}"


def _tag(folder):
    interpreter = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{interpreter}-{interpreter}-{_platform(folder)}"


def _build_tree():
    given = os.environ.get("BUILD_TREE")
    if given:
        return pathlib.Path(given)
    tree = SOURCE / "build-wheel"
    options = [f"-DNNRT_{part}=OFF" for part in ("TESTS", "BENCH", "EXAMPLES")]
    subprocess.run(["cmake", "-S", SOURCE, "-B", tree, "-G", "Ninja", f"-DPython_EXECUTABLE={sys.executable}", *options], check=True)
    subprocess.run(["cmake", "--build", tree, "--target", "nnrt_python_package", "nnrt-device-host", "nnrt"], check=True)
    return tree


_LICENCES = ("LICENSE", "NOTICE")


def _metadata():
    fields = [("Metadata-Version", "2.1"), ("Name", "nnrt"), ("Version", _version()),
              ("Summary", "Neural networks on any Vulkan GPU and CPU"), ("License", "Apache-2.0"),
              *(("License-File", name) for name in _LICENCES), ("Requires-Python", ">=3.9"), ("Requires-Dist", "numpy"),
              ("Classifier", "Operating System :: POSIX :: Linux"), ("Description-Content-Type", "text/markdown")]
    # Links to other pages lead nowhere outside of the sources.
    description = re.sub(r"\[([^]]+)\]\((?!http)[^)]+\)", r"\1", (SOURCE / "docs" / "python.md").read_text())
    return "\n".join(f"{name}: {value}" for name, value in fields) + "\n\n" + description


# Starts the program without importing the package. Installers replace the first line.
_COMMAND = """#!python
import importlib.util
import os
import sys

folder = importlib.util.find_spec("nnrt").submodule_search_locations[0]
os.execv(os.path.join(folder, "bin", "nnrt"), ["nnrt", *sys.argv[1:]])
"""


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
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cmake", "--install", tree, "--component", "wheel", "--prefix", folder, "--strip"], check=True,
                       stdout=subprocess.DEVNULL)
        tag = _tag(folder)
        name = f"nnrt-{_version()}-{tag}.whl"
        with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w") as wheel:
            record = []
            for path in sorted(pathlib.Path(folder).rglob("*")):
                if path.is_file():
                    _write(wheel, record, path.relative_to(folder).as_posix(), path.read_bytes(), path.stat().st_mode & 0o777)
            _write(wheel, record, f"{info}/METADATA", _metadata().encode())
            tags = f"Wheel-Version: 1.0\nGenerator: nnrt\nRoot-Is-Purelib: false\nTag: {tag}\n"
            _write(wheel, record, f"{info}/WHEEL", tags.encode())
            _write(wheel, record, f"nnrt-{_version()}.data/scripts/nnrt", _COMMAND.encode(), 0o755)
            for licence in _LICENCES:
                _write(wheel, record, f"{info}/{licence}", (SOURCE / licence).read_bytes())
            wheel.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""]))
    return name
