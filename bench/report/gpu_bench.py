#!/usr/bin/env python3
"""Measures a GPU and writes a report: gpu_bench.py BUILD_DIRECTORY PAGE.md

  --driver MANIFEST  the Vulkan driver; default: $VK_DRIVER_FILES, else the first with a hardware GPU
  --only PART        limits, networks, decode, devices, overhead, executors, kernels, forced, golden or device_tests; may be repeated
  --add              keep the other parts in PAGE.json
  --all              every part, tests too, most wanted first; skips what PAGE.json has of this commit, for machines available only briefly
  --minutes M        start nothing after this time
  --quick            fewer networks and operators, fewer rounds
  --no-peer          skip PyTorch, which otherwise takes turns with NNRt if installed with CUDA
  --peer-python P    another Python interpreter, which has PyTorch
  --peer-cpu         run PyTorch on the CPU, to try this script without CUDA
  --decoder MODEL    the model for tokens per second

Needs Python 3.10 or newer with NumPy and onnx, and nnrt, turns, kernels_bench and overhead_bench in bin/ of the build directory, for --all also
conformance_runner and device_tests. Writes PAGE.json and the page after every measurement. A failure becomes a row with the reason; then the exit status is 1."""
import argparse
import datetime
import json
import os
import pathlib
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from gpu_measure import GpuBench  # noqa: E402
from gpu_page import page  # noqa: E402
from measure import Failed, commit, driver_of, gpus, machine  # noqa: E402
from torch_peer import TorchPeer  # noqa: E402

PARTS = ["limits", "overhead", "networks", "kernels", "decode", "devices", "executors", "forced"]
WANTED = ["golden", "limits", "networks", "decode", "devices", "device_tests", "overhead", "executors", "forced", "kernels"]
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


def measure(bench, parts, results, output, until=None):
    """Keeps the rows that the results have of a part. Counts what it did not start."""
    results["left"] = 0
    for part in parts:
        kept = results.setdefault("parts", {}).setdefault(part, {})
        for job in getattr(bench, part)():
            if job.key in kept and not any(row.get("failed") for row in kept[job.key]):
                continue
            if until is not None and time.monotonic() > until:
                results["left"] += 1
                continue
            print(f"{part}: {job.key}", file=sys.stderr, flush=True)
            kept[job.key] = job.rows()
            for row in kept[job.key]:
                if row.get("failed"):
                    print(f"  {row['failed']}", file=sys.stderr)
            write(results, output)
    write(results, output)


def earlier(arguments, commit_now, driver):
    """The parts to keep of an earlier page."""
    file = arguments.page.with_suffix(".json")
    if not file.exists() or not (arguments.add or arguments.all):
        return {}
    results = json.loads(file.read_text())
    if arguments.all:
        return results["parts"] if (results["commit"], results["driver"], results["quick"]) == (commit_now, driver, arguments.quick) else {}
    return {part: rows for part, rows in results["parts"].items() if part not in (arguments.only or PARTS)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--driver")
    parser.add_argument("--only", action="append", choices=WANTED)
    parser.add_argument("--minutes", type=float)
    for flag in ("--add", "--all", "--quick", "--no-peer", "--peer-cpu"):
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
    results = {"date": datetime.date.today().isoformat(), "commit": commit(), "machine": machine(), "quick": arguments.quick, "driver": driver, **told}
    results["parts"] = earlier(arguments, results["commit"], driver)
    until = time.monotonic() + 60 * arguments.minutes if arguments.minutes else None
    with tempfile.TemporaryDirectory(prefix="nnrt_bench_") as work:
        bench = GpuBench(arguments.build, manifest, work, peer, arguments.quick, arguments.decoder)
        measure(bench, arguments.only or (WANTED if arguments.all else PARTS), results, arguments.page, until)
    if peer:
        peer.close()
    print(arguments.page)
    if results["left"]:
        print(f"{results['left']} measurements are left: run again with the same arguments.")
    wrong = [key for rows in results["parts"].values() for key, its in rows.items() if any(row.get("failed") or row.get("wrong") for row in its)]
    if wrong:
        sys.exit(f"Failed: {'; '.join(wrong)}")


if __name__ == "__main__":
    main()
