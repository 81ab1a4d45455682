#!/usr/bin/env python3
"""Measures each GPU kernel on a driver: reports operator times with the kernel forced, next to the device's choice.

gpu_kernels.py BUILD_DIRECTORY PAGE.md --driver NAME=MANIFEST [--driver ...] [--rounds N] [--only TEXT]

Variants take turns: each round runs every variant of an operator once, and the fastest round counts. Times are device timestamps. Software
drivers emulate cooperative matrices. `gpu_bench.py` writes the complete report of a GPU, including these."""
import argparse
import dataclasses
import datetime
import json
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from figures import figure  # noqa: E402
from measure import Failed, commit, driver_of, environment, is_software, machine, output_of, write_models  # noqa: E402
from report import table  # noqa: E402


@dataclasses.dataclass
class Part:
    """Operators of kernels_bench selected by a filter, and the variants to compute them, the baseline first."""
    title: str
    filter: str
    ways: dict
    fp16: bool = False
    matrices: bool = False  # needs cooperative matrices
    emulated: str = ""      # the filter if they are emulated, which is slow


def by_rows(family):
    return {way: f"+{family}_{way.replace(' ', '_')}" for way in ("by row", "by group", "by subgroups")}


def tiles(forced, names):
    ways = {"choice": "", **{name: f"+{forced},+{name},+unsplit_k" for name in names}}
    return dict(ways, **{f"{names[-1]}, split-K": f"+{forced},+{names[-1]},+split_k"})


EMULATED = "+fp16_storage,+cooperative_matrix_emulated"
FLOATS = ["tile_128x128", "tile_64x64", "tile_32x32"]
FP16 = ["matrix_128x128", "matrix_64x64", "matrix_32x32"]
FLEXIBLE = {f"{name}, flexible": f"+khr_cooperative_matrix,+flexible_matrix,+cooperative_matrix,+{name},+unsplit_k" for name in FP16[:2]}
GEMV = {"by group": "+gemm,+gemv_by_group", "by subgroups": "+gemm,+gemv_by_subgroups"}
STRIPS = ["tall_strip", "strip_of_4", "strip_of_2", "single_output"]
PARTS = [
    Part("Rows that workgroups share", "norm/softmax", by_rows("softmax")),
    Part("", "norm/layer_norm", by_rows("norm")),
    Part("", "pool/global", {"by row": "-reduce_by_group,-reduce_by_subgroups", "by group": "+reduce_by_group",
                             "by subgroups": "+reduce_by_subgroups"}),
    Part("Strips of outputs", "depthwise", {name: f"+depthwise,+sliding_window,+{name}" for name in STRIPS}),
    Part("", "pool/max", {name: f"+pool_strips,+{name}" for name in STRIPS}),
    Part("Few rows", "connect/[18]x", {"tiles": "-gemv_by_group,-gemv_by_subgroups", **GEMV}),
    Part("", "conv/1x1_480", {"tiles": "+gemm,-gemv_by_group,-gemv_by_subgroups", **GEMV}),
    Part("Tiles in shared memory", "(matmul/(512|1023|1024|4096|4099)x|connect/(128|64|197)x)", tiles("shared_memory_tile", FLOATS)),
    Part("", "conv/3x3_(197|256|512)", {**tiles("shared_memory_tile", FLOATS), "winograd2": "+winograd2", "winograd4": "+winograd4"}),
    Part("Tiles of cooperative matrices, fp16", "(matmul/(512|1023|1024|4096|4099)x|connect/(128|64|197)x)",
         {**tiles("cooperative_matrix", FP16), **FLEXIBLE}, fp16=True, matrices=True, emulated="(matmul/512|connect/(128|197)x768)x"),
    Part("", "conv/3x3_(197|256|512)", {**tiles("cooperative_matrix", FP16), **FLEXIBLE}, fp16=True, matrices=True,
         emulated="conv/3x3_(197|256)"),
    Part("", "conv/7x7_3", {**tiles("cooperative_matrix_im2col", FP16), "floats": "-cooperative_matrix_im2col"},
         fp16=True, matrices=True, emulated="conv/7x7_3"),
    Part("Attention", "attention/12x([2-9]|1[0-9])",
         {"products": "-find_attention", **{name: f"+find_attention,-split_attention,+{name}" for name in
                                            ("attention_tile_16", "attention_tile_32", "attention_tile_64")}}),
    Part("", "attention/12x1x", {"products": "-find_attention", "unsplit_keys": "+find_attention,-split_attention,+attention_decode,+unsplit_keys",
                                 "split_keys": "+find_attention,-split_attention,+attention_decode,+split_keys"}),
    Part("LSTM", "recurrent", {"steps": "+recurrent_steps", "sequence": "+recurrent_sequence"}),
]


def operators_of(work, fp16):
    """The folder of the models, written when it is first needed."""
    folder = pathlib.Path(work) / ("fp16" if fp16 else "fp32")
    if not folder.exists():
        write_models(folder, "operators", *(["--fp16"] if fp16 else []))
    return folder / "operators"


def times(build, manifest, work, part, kernels, seconds):
    """Microseconds of each operator on the device, with this switch."""
    emulates = part.matrices and is_software(build, manifest)
    filter_ = part.emulated if emulates else part.filter
    if emulates:
        kernels = ",".join(filter(None, [EMULATED, kernels]))
    file = pathlib.Path(work) / "google.json"
    file.write_text("")
    variables = dict(environment(manifest), NNRT_DEVICES="vulkan", NNRT_VULKAN_KERNELS=kernels, NNRT_VULKAN_SHADERS="optimized")
    output_of([str(build / "bin/kernels_bench"), str(operators_of(work, part.fp16)), f"--benchmark_filter=^{filter_}",
               f"--benchmark_min_time={seconds}", f"--benchmark_out={file}", "--benchmark_out_format=json", *(["--fp16"] if part.fp16 else [])],
              variables)
    rows = json.loads(file.read_text())["benchmarks"] if file.read_text() else []
    found = {}
    for row in rows:
        name, device = re.match(r"(.*?/[^/]*)/(.*)/real_time$", row["name"]).groups()
        if not device.startswith("CPU"):
            found[name] = row.get("device_us", row["real_time"])
    return found


def in_turns(build, manifest, work, part, rounds):
    """The shortest time of each variant of each operator."""
    shortest = {}
    for _ in range(rounds):
        for way, kernels in part.ways.items():
            for name, us in times(build, manifest, work, part, kernels, 0.02).items():
                ways_of = shortest.setdefault(name, {})
                ways_of[way] = min(us, ways_of.get(way, us))
    return shortest


def measured(build, manifest, work, rounds, only=None):
    """The title, variant names and operator times of each part; an error message if it failed."""
    found = []
    for part in PARTS:
        if only and only not in part.filter:
            continue
        print(f"{part.filter}{', fp16' if part.fp16 else ''}: {', '.join(part.ways)}", file=sys.stderr, flush=True)
        row = {"title": part.title, "filter": part.filter, "ways": list(part.ways), "fp16": part.fp16, "us": {}}
        try:
            row["us"] = in_turns(build, manifest, work, part, rounds)
        except Failed as failure:
            row["failed"] = str(failure)
        found.append(row)
    return found


def part_lines(part, peer=None):
    """The table of a part, with the peer's microseconds if known."""
    lines = [f"### {part['title']}", ""] if part["title"] else []
    if part.get("failed"):
        return lines + [f"{part['filter']}: {part['failed']}", ""]
    names, peer = part["ways"], peer or {}
    header = ["us", *names, *[f"{name} of {names[0]}" for name in names[1:]]] + (["PyTorch"] if peer else [])
    rows = []
    for operator, us in part["us"].items():
        ratios = [figure(us[name] / us[names[0]]) if us.get(name) and us.get(names[0]) else "" for name in names[1:]]
        rows.append([operator, *[figure(us.get(name)) for name in names], *ratios] + ([figure(peer.get(operator))] if peer else []))
    return lines + table(header, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--driver", action="append", required=True, metavar="NAME=MANIFEST")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", help="parts whose filter has this text")
    arguments = parser.parse_args()
    of = machine()
    lines = [f"# {datetime.date.today().isoformat()}: kernels for real GPUs, each forced", "",
             f"Commit {commit()}, release build, `bench/report/gpu_kernels.py`. {of['cpu']}, {of['cores']} cores, {of['system']}; "
             f"load when it began: {of['load']:.1f}. Microseconds by the device's timestamps, the shortest of {arguments.rounds} rounds in which "
             "the ways took turns; a way that cannot compute an operator leaves it to the choice of the device. Drivers in software emulate "
             "cooperative matrices.", ""]
    with tempfile.TemporaryDirectory(prefix="nnrt_bench_") as work:
        for driver in arguments.driver:
            name, manifest = driver.split("=", 1)
            print(name, file=sys.stderr)
            lines += [f"## {name}", "", f"{driver_of(arguments.build, manifest)}.", ""]
            for part in measured(arguments.build, manifest, work, arguments.rounds, arguments.only):
                lines += part_lines(part)
    arguments.page.write_text("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
