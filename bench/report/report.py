#!/usr/bin/env python3
"""Writes a report from the results of measure.py: report.py RESULTS.json PAGE.md"""
import json
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from figures import figure, geometric_mean  # noqa: E402


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


def devices_of(results):
    return ["CPU", *results["drivers"]]


def heading(results):
    machine = results["machine"]
    lines = [f"# {results['date']}: speed, measured" + (" (quick)" if results["quick"] else ""), "",
             f"Commit {results['commit']}, release build. {machine['cpu']}, {machine['cores']} cores, {machine['memory_gib']} GiB, "
             f"{machine['system']}; load when it began: {machine['load']:.1f}."]
    lines += [f"{name}: {version}." for name, version in results["drivers"].items()]
    if "peer" in results:
        lines.append(f"In the same run, in turns with the CPU device and with as many threads: {results['peer']}.")
    return lines + ["Batch 1, 224 x 224 (BERT layer: sequence 128), random weights. Times are medians.", ""]


def milliseconds(results, engine, device):
    return {row["network"]: row["ms"] for row in results["networks"] if row["engine"] == engine and row["device"] == device}


def network_section(results):
    lines = ["## Networks, milliseconds a run", ""]
    ours = {device: milliseconds(results, "ours", device) for device in devices_of(results)}
    runtime = milliseconds(results, "ONNX Runtime", "CPU")
    rows, ratios = [], {}
    for network in dict.fromkeys(row["network"] for row in results["networks"]):
        mine, theirs = ours["CPU"].get(network), runtime.get(network)
        if mine and theirs:
            ratios[network] = mine / theirs
        rows.append([network, figure(mine), figure(theirs), figure(ratios.get(network)),
                     *(figure(ours[device].get(network)) for device in results["drivers"])])
    means = [figure(geometric_mean([ratio for network, ratio in ratios.items() if network.endswith("_int8") == int8])) for int8 in (False, True)]
    rows.append(["geometric mean", "", "", f"{means[0]}; int8 {means[1]}" if ratios else "", *("" for _ in results["drivers"])])
    return lines + table(["network", "CPU", "ONNX Runtime", "of its time", *results["drivers"]], rows)


def cold_section(results):
    lines = ["## First inference, and memory", "",
             "Each in a fresh process, caches of the drivers off: to start and open the device, to read the file, to build the model, to run it "
             "once; all together; the second run. Peak memory is the process'. *Arena*: memory for intermediates, beside the most that lives "
             "at one step.", ""]
    header = ["network", "device", "start", "read", "build", "first run", "all, ms", "second run", "peak MB", "arena MB", "lives MB"]
    rows = []
    for row in results["cold"]:
        name = row["network"] + ("" if row["step"] == "cold" else f", {row['step']} a cache")
        rows.append([name, row["device"], *(figure(row[key]) for key in (
            "start_ms", "import_ms", "build_ms", "run_ms", "total_ms", "second_run_ms", "peak_mb")),
            figure(row["arena_bytes"] / 1e6), figure(row["live_bytes"] / 1e6)])
    return lines + table(header, rows)


def takeover_section(results):
    lines = ["## Until optimized shaders take over", "",
             "Runs without a pause in a fresh process, from the first inference on; see NNRT_VULKAN_SHADERS.", ""]
    header = ["network", "device", "first inference, ms", "taken over after, ms", "runs before", "median, ms", "longest, ms",
              "median after, ms", "before / after"]
    return lines + table(header, [
        [row["network"], row["device"], figure(row["first_inference_ms"]), figure(row["taken_over_ms"]), row["before"]["runs"],
         figure(row["before"]["median_ms"]), figure(row["before"]["max_ms"]), figure(row["after"]["median_ms"]),
         figure(row["before"]["median_ms"] / row["after"]["median_ms"])] for row in results["takeover"]])


def kernel_section(results):
    lines = ["## Operators", "",
             "GFLOP/s (GB/s where nothing is summed), and the part of the device's own limit: independent multiply-adds and a plain copy, "
             "measured in the same process (first row).", ""]
    devices = [device for device in devices_of(results) if any(row["device"] == device for row in results["kernels"])]
    found = {(row["name"], row["device"]): row for row in results["kernels"]}

    def cell(name, device):
        row = found.get((name, device))
        if row is None:
            return ""
        if name == "limit":
            return f"{figure(row['GFLOP/s'])} GFLOP/s, {figure(row['GB/s'])} GB/s"
        rate = figure(row["GFLOP/s"]) if row["GFLOP/s"] > 0 else f"{figure(row['GB/s'])} GB/s"
        return f"{rate}, {row.get('of_limit', 0) * 100:.0f} %"

    names = list(dict.fromkeys(row["name"] for row in results["kernels"]))
    return lines + table(["operator", *devices], [[name, *(cell(name, device) for device in devices)] for name in names])


def border_section(results):
    header = ["device", "bytes that cross", "borders", "all, us", "one border, us"]
    return ["## Borders between devices", "", "A chain that alternates between a GPU and the CPU. On the CPU device it has no borders: what "
            "is shown there is noise.", ""] + table(header, [
        [row["device"], row["name"].split("/")[1], figure(row["borders"]), figure(row["us"]), figure(row["border_us"])]
        for row in results["borders"]])


def overhead_section(results):
    return ["## Overhead, microseconds", ""] + table(["device", "what", "median", "99 %"], [
        [row["device"], row["what"], figure(row["median"]), figure(row["p99"])] for row in results["overhead"]])


def page(results):
    lines = heading(results)
    if results.get("networks"):
        lines += network_section(results)
    for part, section in (("cold", cold_section), ("takeover", takeover_section), ("kernels", kernel_section),
                          ("borders", border_section), ("overhead", overhead_section)):
        if results.get(part):
            lines += section(results)
    if results["failures"]:
        lines += ["## Not measured", ""] + [f"- {failure}" for failure in results["failures"]] + [""]
    return "\n".join(lines)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    results = json.loads(pathlib.Path(sys.argv[1]).read_text())
    pathlib.Path(sys.argv[2]).write_text(page(results))


if __name__ == "__main__":
    main()
