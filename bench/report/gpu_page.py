#!/usr/bin/env python3
"""Writes a report from the results of gpu_bench.py: gpu_page.py RESULTS.json PAGE.md."""
import json
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from figures import figure, geometric_mean, row_of  # noqa: E402
from gpu_kernels import part_lines  # noqa: E402
from gpu_measure import TYPES  # noqa: E402
from report import table  # noqa: E402


def rows_in(results, part):
    return [row for rows in results["parts"].get(part, {}).values() for row in rows]


def heading(results):
    of, peer = results["machine"], results.get("peer")
    lines = [f"# {results['date']}: a GPU, measured" + (" (quick)" if results["quick"] else ""), "",
             f"{results['driver']}. {of['cpu']}, {of['cores']} cores, {of['memory_gib']} GiB, {of['system']}; load when it began: {of['load']:.1f}. "
             f"Commit {results['commit']}, release build, `bench/report/gpu_bench.py`."]
    how = "with CUDA graphs, channels_last and no TF32, in turns with ours" if peer and not peer.endswith("CPU") else "on the processor"
    lines.append(f"Peer: {peer}, {how}." if peer
                 else f"Without a peer: {results.get('peer_failed', 'none was wanted.')}")
    for limit in rows_in(results, "limits"):
        if limit.get("failed"):
            lines += ["", f"Limits: {limit['failed']}"]
            continue
        lines += ["", f"Limits, by the device's timestamps in buffers larger than its caches: {figure(limit['GFLOP/s'])} GFLOP/s of float32 "
                  f"multiply-adds, {figure(limit['copied GB/s'])} GB/s of a copy (read and written), {figure(limit['read GB/s'])} GB/s of reading."]
    if results.get("left"):
        lines += ["", f"{results['left']} measurements are left."]
    return lines + [""]


def ratio_of(row):
    """Our time relative to the peer's; None if one is missing."""
    return row["ms"] / row["peer_ms"] if row.get("ms") and row.get("peer_ms") else None


def times_as_fast(row):
    """The speedup in device time; the peer uses its own clock."""
    return row["peer_us"] / row["device_us"] if row.get("peer_us") and row.get("device_us") else None


def why(row):
    """Why a figure is missing, or None."""
    return row.get("failed") or row.get("peer_failed")


def remarks(rows, name):
    found = [f"- {name(row)}: {why(row)}" for row in rows if why(row)]
    return ["Not measured:", "", *found, ""] if found else []


def network_rows(results, batch):
    """One row per network, with cells for each dtype."""
    rows = rows_in(results, "networks")
    names = dict.fromkeys(row["network"] for row in rows if row["batch"] == batch)
    for name in names:
        cells = [name]
        for dtype in TYPES:
            row = row_of(rows, network=name, batch=batch, dtype=dtype) or {}
            cells += [figure(row.get(key)) for key in ("ms", "device_ms", "transfers_ms", "peer_ms", "peer_device_ms")]
            cells.append(figure(ratio_of(row)))
        yield cells


def network_section(results):
    lines = ["## Networks, milliseconds", "", "A run with inputs and outputs in the host's memory, the median of the rounds; of it the device's kernels "
             "and its copies, by its timestamps. The ratio is our run as a multiple of PyTorch's.", ""]
    header = ["network"] + [f"{dtype} {what}" if what == "run" else what for dtype in TYPES
                            for what in ("run", "kernels", "copies", "PyTorch", "its kernels", "ratio")]
    networks = rows_in(results, "networks")
    for batch in dict.fromkeys(row["batch"] for row in networks):
        rows = list(network_rows(results, batch))
        of_batch = [row for row in networks if row["batch"] == batch]
        means = [geometric_mean([ratio for row in of_batch if row["dtype"] == dtype and (ratio := ratio_of(row))]) for dtype in TYPES]
        if any(means) and len(rows) > 1:
            rows.append(["geometric mean", *[cell for mean in means for cell in ("", "", "", "", "", figure(mean))]])
        lines += [f"### Batch {batch}", "", *table(header, rows)]
    builds = [row["build_ms"] for row in networks if row.get("build_ms")]
    if builds:
        lines += [f"Builds took {figure(min(builds))} to {figure(max(builds))} ms.", ""]
    return lines + remarks(networks, lambda row: f"{row['network']}, batch {row['batch']}, {row['dtype']}")


def kernel_section(results):
    lines = ["## Operators, microseconds", "", "Times of the kernels on the device, with tensors in its memory; copies of inputs and outputs that "
             "lie in the host's memory; a run as its caller sees it. `of limit` is the greater of GFLOP/s and GB/s as fractions of what the device "
             "can do in float32. PyTorch's time is that of one of twenty in a CUDA graph.", ""]
    for dtype in TYPES:
        rows = [row for row in rows_in(results, "kernels") if row["dtype"] == dtype and not row.get("failed")]
        if rows:
            lines += [f"### {dtype}", "", *table(
                ["operator", "kernels", "copies", "run", "GFLOP/s", "GB/s", "of limit", "PyTorch", "times as fast"],
                [[row["name"], figure(row.get("device_us")), figure(row.get("transfers_us")), figure(row["us"]), figure(row.get("GFLOP/s") or None),
                  figure(row.get("GB/s")), f"{100 * row['of_limit']:.0f} %" if row.get("of_limit") else "", figure(row.get("peer_us")),
                  figure(times_as_fast(row))] for row in rows])]
    return lines + remarks(rows_in(results, "kernels"), lambda row: f"{row['name']}, {row['dtype']}")


def forced_section(results):
    lines = ["## Kernels, each forced", "", "The shortest of the rounds in which the ways took turns, on the device; a way that cannot compute an "
             "operator leaves it to the choice of the device.", ""]
    for part in rows_in(results, "forced"):
        dtype = "fp16" if part["fp16"] else "fp32"
        peer = {row["name"]: row["peer_us"] for row in rows_in(results, "kernels") if row["dtype"] == dtype and row.get("peer_us")}
        lines += part_lines(part, peer)
    return lines


def decode_section(results):
    rows = rows_in(results, "decode")
    return ["## Text, token by token", "", *table(["decoder", "type", "tokens a second"], [
        [row["model"], row["dtype"], figure(row.get("tokens"))] for row in rows]), *remarks(rows, lambda row: f"{row['model']}, {row['dtype']}")]


def overhead_section(results):
    return ["## Overhead, microseconds", "", *table(["what", "median", "99 %"], [
        [row["what"], figure(row["median"]), figure(row["p99"])] for row in rows_in(results, "overhead") if not row.get("failed")]),
            *remarks(rows_in(results, "overhead"), lambda row: row["what"])]


def executor_section(results):
    rows = rows_in(results, "executors")
    counts = list(dict.fromkeys(row["executors"] for row in rows))
    lines = ["## Several executors, runs a second", "", *table(["network", "type", *map(str, counts)], [
        [name, dtype, *[figure((row_of(rows, network=name, dtype=dtype, executors=count) or {}).get("gpu")) for count in counts]]
        for name in dict.fromkeys(row["network"] for row in rows) for dtype in TYPES])]
    return lines + remarks(rows, lambda row: f"{row['network']}, {row['dtype']}, {row['executors']} executors")


def device_section(results):
    rows = rows_in(results, "devices")
    lines = ["## The automatic choice beside each device, runs a second", "", "With two executors, a part on the GPU may run beside another run's "
             "part on the CPU. The last operation of `detector` is none of the GPU's.", "",
             *table(["network", "executors", "auto", "GPU", "CPU"], [
                 [row["network"], str(row["executors"]), *[figure(row.get(device)) for device in ("auto", "gpu", "cpu")]] for row in rows])]
    return lines + remarks(rows, lambda row: f"{row['network']}, {row['executors']} executors")


def test_section(title, part):
    def section(results):
        rows = rows_in(results, part)
        return [f"## {title}", "", *table(["what", "passed", "failed", "skipped", "seconds"], [
            [row["what"], *[str(row.get(count, "")) for count in ("passed", "wrong", "skipped")], figure(row.get("seconds"))] for row in rows]),
            *remarks(rows, lambda row: row["what"])]
    return section


SECTIONS = {"golden": test_section("Golden cases", "golden"), "device_tests": test_section("Device tests", "device_tests"),
            "networks": network_section, "kernels": kernel_section, "forced": forced_section, "decode": decode_section, "overhead": overhead_section,
            "executors": executor_section, "devices": device_section}


def page(results):
    lines = heading(results)
    for part, section in SECTIONS.items():
        if rows_in(results, part):
            lines += section(results)
    return "\n".join(lines).rstrip() + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[2]).write_text(page(json.loads(pathlib.Path(sys.argv[1]).read_text())))


if __name__ == "__main__":
    main()
