#!/usr/bin/env python3
"""Measures a GPU and writes a report: gpu_bench.py BUILD_DIRECTORY PAGE.md

  --driver MANIFEST  the Vulkan driver; default: $VK_DRIVER_FILES, else the first with a hardware GPU
  --only PART        limits, kernels, networks, forced, decode, overhead or executors; may be repeated
  --add              keep the other parts in PAGE.json, for machines available only briefly
  --quick            fewer networks and operators, fewer rounds
  --no-peer          skip PyTorch, which otherwise takes turns with NNRt if installed with CUDA
  --peer-python P    another Python interpreter, which has PyTorch
  --peer-cpu         run PyTorch on the CPU, to try this script without CUDA
  --decoder MODEL    the model for tokens per second

Needs Python 3.9 or newer with NumPy and onnx, and nnrt, turns, kernels_bench and overhead_bench in bin/ of the build directory. Writes PAGE.json and
the page after every part. A failure becomes a row with the reason."""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from gpu_measure import GpuBench  # noqa: E402
from gpu_page import page  # noqa: E402
from measure import Failed, commit, driver_of, gpus, machine  # noqa: E402
from torch_peer import TorchPeer  # noqa: E402

PARTS = ["limits", "overhead", "networks", "kernels", "decode", "executors", "forced"]
MANIFESTS = ["/etc/vulkan/icd.d", "/usr/share/vulkan/icd.d"]
DECODER = pathlib.Path(__file__).parents[2] / "tests/data/text/decode_int8.onnx"


def find_manifest(build):
    """The driver from the environment, or the first with a hardware GPU."""
    if os.environ.get("VK_DRIVER_FILES"):
        return os.environ["VK_DRIVER_FILES"]
    for manifest in sorted(path for folder in MANIFESTS for path in pathlib.Path(folder).glob("*.json")):
        try:
            if any(device["kind"] not in ("software", "other") for device in gpus(build, str(manifest))):
                return str(manifest)
        except Failed:
            continue
    raise Failed("There is no Vulkan driver of a GPU; --driver names one.")


def about_peer(peer):
    """Returns the peer (None if it does not answer) and its description for the page."""
    if peer is None:
        return None, {}
    try:
        return peer, {"peer": peer.about()}
    except Failed as failure:
        return None, {"peer_failed": str(failure)}


def write(results, output):
    output.with_suffix(".json").write_text(json.dumps(results, indent=1) + "\n")
    output.write_text(page(results))


def measure(bench, parts, results, output):
    for part in parts:
        print(f"{part}:", file=sys.stderr, flush=True)
        results["failures"].pop(part, None)
        try:
            results[part] = getattr(bench, part)()
        except (Failed, OSError, ValueError, KeyError, IndexError, subprocess.SubprocessError) as failure:
            results["failures"][part] = f"{type(failure).__name__}: {failure}"
            print(f"  {failure}", file=sys.stderr)
        write(results, output)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--driver")
    parser.add_argument("--only", action="append", choices=PARTS)
    for flag in ("--add", "--quick", "--no-peer", "--peer-cpu"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("--peer-python", default=sys.executable)
    parser.add_argument("--decoder", type=pathlib.Path, default=DECODER)
    arguments = parser.parse_args()
    try:
        manifest = arguments.driver or find_manifest(arguments.build)
        driver = driver_of(arguments.build, manifest)
        if driver == "no GPU":
            raise Failed(f"The driver {manifest} shows no GPU.")
    except (Failed, OSError) as failure:
        sys.exit(str(failure))
    peer = None if arguments.no_peer else TorchPeer(["--cpu"] if arguments.peer_cpu else [], arguments.peer_python)
    peer, told = about_peer(peer)
    kept = arguments.page.with_suffix(".json")
    results = json.loads(kept.read_text()) if arguments.add and kept.exists() else {"failures": {}}
    results.update(date=datetime.date.today().isoformat(), commit=commit(), machine=machine(), quick=arguments.quick, driver=driver, **told)
    with tempfile.TemporaryDirectory(prefix="nnrt_bench_") as work:
        bench = GpuBench(arguments.build, manifest, work, peer, arguments.quick, arguments.decoder)
        measure(bench, arguments.only or PARTS, results, arguments.page)
    if peer:
        peer.close()
    print(arguments.page)


if __name__ == "__main__":
    main()
