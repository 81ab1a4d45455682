#!/usr/bin/env python3
"""What each kernel for real GPUs does on a driver: a page of the times of operators with it forced, beside the choice of the device.

gpu_kernels.py BUILD_DIRECTORY PAGE.md --driver NAME=MANIFEST [--driver ...] [--rounds N] [--only TEXT] [--torch]

Ways take turns: in each round every way of an operator runs once, and the shortest of its rounds counts. With --torch, PyTorch's times on the
same machine stand beside them (CUDA graphs, no TF32), where it is installed with CUDA; times of a discrete GPU then contain the transfers
of both. `gpu_kernels.py build page.md --driver GPU=MANIFEST --torch` makes the page of a machine with a GPU."""
import argparse
import datetime
import json
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from figures import figure  # noqa: E402
from measure import Failed, commit, driver_of, environment, machine, output_of  # noqa: E402
from report import table  # noqa: E402

TILES = ["tile_32x32", "tile_64x64", "tile_64x128", "tile_128x128"]


def by_rows(family):
    return {way: f"+{family}_{way.replace(' ', '_')}" for way in ("by row", "by group", "by subgroups")}


# Operators of kernels_bench with the ways to compute them: what is before comes first.
PARTS = [
    ("Rows that workgroups share", "norm/softmax", by_rows("softmax")),
    ("", "norm/layer_norm", by_rows("norm")),
    ("", "pool/global", {"by row": "-reduce_by_group,-reduce_by_subgroups", "by group": "+reduce_by_group",
                                    "by subgroups": "+reduce_by_subgroups"}),
    ("Few rows", "connect/[18]x", {"tiles": "-gemv_by_group,-gemv_by_subgroups", "by group": "+gemv_by_group",
                                "by subgroups": "+gemv_by_subgroups"}),
    ("", "conv/1x1_480", {"tiles": "+gemm,-gemv_by_group,-gemv_by_subgroups", "by group": "+gemm,+gemv_by_group",
                          "by subgroups": "+gemm,+gemv_by_subgroups"}),
    ("Tiles in shared memory", "(matmul/512|connect/(128|64)x)",
     {"choice": "", **{tile: f"+shared_memory_tile,+{tile},+whole_inner" for tile in TILES},
      "tile_32x32, cut": "+shared_memory_tile,+tile_32x32,+cut_inner"}),
    ("", "conv/3x3_(256|512)",
     {"choice": "", **{tile: f"+shared_memory_tile,+{tile},+whole_inner" for tile in TILES},
      "tile_32x32, cut": "+shared_memory_tile,+tile_32x32,+cut_inner"}),
]


def times(build, manifest, filter_, kernels, seconds):
    """Microseconds of each operator with the switch."""
    with tempfile.TemporaryDirectory(prefix="nnrt_bench_") as folder:
        file = pathlib.Path(folder) / "google.json"
        variables = dict(environment(manifest), NNRT_DEVICES="vulkan", NNRT_VULKAN_KERNELS=kernels, NNRT_VULKAN_SHADERS="optimized")
        output_of([str(build / "bin/kernels_bench"), f"--benchmark_filter=^{filter_}", f"--benchmark_min_time={seconds}",
                   f"--benchmark_out={file}", "--benchmark_out_format=json"], variables)
        rows = json.loads(file.read_text())["benchmarks"]
    found = {}
    for row in rows:
        name, device = re.match(r"(.*?/[^/]*)/(.*)/real_time$", row["name"]).groups()
        if not device.startswith("CPU"):
            found[name] = row["real_time"]
    return found


def in_turns(build, manifest, filter_, ways, rounds):
    """Of each operator the shortest time of each way."""
    shortest = {}
    for _ in range(rounds):
        for way, kernels in ways.items():
            for name, us in times(build, manifest, filter_, kernels, 0.05).items():
                ways_of = shortest.setdefault(name, {})
                ways_of[way] = min(us, ways_of.get(way, us))
    return shortest


def torch_times():
    """Microseconds of PyTorch by CUDA graphs, by the names of kernels_bench; none where it cannot."""
    try:
        import torch
    except ImportError:
        return {}
    if not torch.cuda.is_available():
        return {}
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False

    def timed(function):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                function()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            function()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(100):
            graph.replay()
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end) * 10

    def random(*shape):
        return torch.randn(*shape, device="cuda")

    functional, found = torch.nn.functional, {}
    for rows, length in ((1, 1000), (4096, 1000)):
        x = random(rows, length)
        found[f"norm/softmax_{rows}x{length}"] = timed(lambda x=x: functional.softmax(x, -1))
    for rows, length in ((128, 768), (4096, 768)):
        x = random(rows, length)
        found[f"norm/layer_norm_{rows}x{length}"] = timed(lambda x=x: functional.layer_norm(x, (x.shape[-1],)))
    for rows, inner, columns in ((1, 2048, 1000), (8, 768, 3072), (128, 768, 768), (128, 768, 3072), (128, 3072, 768), (512, 512, 512), (64, 4608, 512)):
        x, weight = random(rows, inner), random(columns, inner)
        found[f"connect/{rows}x{inner}x{columns}"] = timed(lambda x=x, weight=weight: functional.linear(x, weight))
    return found


def sections(build, driver, manifest, arguments, torch):
    lines = [f"**{driver}**: {driver_of(manifest)}."]
    for title, filter_, ways in PARTS:
        if arguments.only and arguments.only not in filter_:
            continue
        print(f"{filter_} on {driver}", file=sys.stderr, flush=True)
        if title:
            lines += ["", f"## {title}"]
        try:
            found = in_turns(build, manifest, filter_, ways, arguments.rounds)
        except Failed as failure:
            lines += ["", f"{filter_}: {failure}"]
            continue
        names = list(ways)
        header = ["us", *names, *[f"{name} of {names[0]}" for name in names[1:]]] + (["PyTorch"] if torch else [])
        rows = []
        for operator, us in found.items():
            ratios = [figure(us[name] / us[names[0]]) for name in names[1:]]
            rows.append([operator, *[figure(us[name]) for name in names], *ratios] + ([figure(torch.get(operator))] if torch else []))
        lines += ["", *table(header, rows)[:-1]]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--driver", action="append", required=True, metavar="NAME=MANIFEST")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", help="parts whose filter has this text")
    parser.add_argument("--torch", action="store_true")
    arguments = parser.parse_args()
    of = machine()
    lines = [f"# {datetime.date.today().isoformat()}: kernels for real GPUs, each forced", "",
             f"Commit {commit()}, release build, `bench/report/gpu_kernels.py`. {of['cpu']}, {of['cores']} cores, {of['system']}; "
             f"load when it began: {of['load']:.1f}. Microseconds, the shortest of {arguments.rounds} rounds in which the ways took turns; "
             "a way that cannot compute an operator leaves it to the choice of the device.", ""]
    torch = torch_times() if arguments.torch else {}
    for driver in arguments.driver:
        name, manifest = driver.split("=", 1)
        lines += sections(arguments.build, name, manifest, arguments, torch) + [""]
    arguments.page.write_text("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
