#!/usr/bin/env python3
"""Estimates the times of networks on AMD GPUs without running them: planned_times.py FOLDER PAGE.md, or --units CHIP.

FOLDER/<chip> and FOLDER/<chip>--fp16 were written by `compiled_kernels --steps` for the chip's number of compute units, which --units
prints. Times come from ACO's static figures, which count each loop as eight iterations. They are scaled by the multiply-adds that the
operator needs, or else by the bytes that it reads.
"""
import collections
import csv
import math
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from figures import geometric_mean  # noqa: E402
from report import table  # noqa: E402

# From AMD's specifications, at boost clocks: compute units, GHz, TFLOP/s of float32 without dual issue and of fp16 (of float32 where
# RADV has no matrices), TOP/s of INT8, and GB/s of memory without the last-level cache.
Chip = collections.namedtuple("Chip", "card units ghz fp32 fp16 int8 gbytes")
CHIPS = {
    "NAVI31": Chip("RX 7900 XTX", 96, 2.5, 30.7, 122.8, 122.8, 960),
    "GFX1201": Chip("RX 9070 XT", 64, 2.97, 24.3, 24.3, 97.3, 640),
    "NAVI21": Chip("RX 6900 XT", 80, 2.25, 23.0, 23.0, 92.2, 512),
    "VEGA10": Chip("Vega 64", 64, 1.55, 12.7, 12.7, 12.7, 484),
}
SIMDS = {"VEGA10": 4}  # per compute unit, else 2
LOOP = 8  # ACO's guess of a loop's iterations
LAUNCH_US = 1.0  # of a dispatch after a barrier: the previous one drains, the command processor starts this one
FLOPS = ((re.compile(r"v_wmma_\w*16x16x16"), 0), (re.compile(r"v_dot4_"), 8), (re.compile(r"v_dot2"), 4), (re.compile(r"v_pk_fma_f16"), 4),
         (re.compile(r"v_(dual_)?(fma|fmac|mac|mad|fmamk|fmaak|madmk|madak|fma_mix)\w*_(f32|f16|legacy_f32)"), 2))
MATRIX_FLOPS = 2 * 16 ** 3
LOAD = re.compile(r"buffer_load_(dwordx?([234])?|ubyte|sbyte|ushort|sshort|short)")
INSTRUCTION = re.compile(r"\b(v_\w+)")
KIND = re.compile(r"kind: ([\w, -]+)")


Figures = collections.namedtuple("Figures", "iterations flops loaded passes multiplying")


def code_figures(text, lanes):
    """The loop iterations, flops and loaded bytes of a wave as ACO estimates them, the number of loops with loads, and the share of
    instructions in outermost loops that multiply and add."""
    depth = iterations = flops = loaded = 0
    loops, loading = 0, set()
    spent, multiplying = collections.Counter(), set()  # by outermost loop; 0: none
    outermost = 0
    for line in text.splitlines():
        kind = KIND.search(line)
        if kind:
            words = kind.group(1).replace(",", " ").split()
            depth += words.count("loop-header") - words.count("loop-exit")
            if "loop-header" in words:
                iterations += LOOP ** depth
                loops += 1
                outermost = loops if depth == 1 else outermost
            continue
        spent[outermost if depth else 0] += LOOP ** depth
        load = LOAD.search(line)
        if load:
            loaded += lanes * LOOP ** depth * (4 * int(load.group(2) or 1) if load.group(1).startswith("dword") else 2)
            loading.add(loops if depth else 0)
        found = INSTRUCTION.search(line)
        if not found:
            continue
        for pattern, each in FLOPS:
            if pattern.match(found.group(1)):
                flops += (MATRIX_FLOPS if each == 0 else each * lanes) * LOOP ** depth
                multiplying.update([outermost] if depth else [])
                break
    share = sum(spent[loop] for loop in multiplying) / max(1, sum(spent.values()))
    return Figures(iterations, flops, loaded, max(1, len(loading)), share)


class Step:
    def __init__(self, row, folder, cache):
        self.model, self.node, self.op, self.shader = row["model"], row["node"], row["op"], row["shader"]
        self.barrier, self.fp16 = row["barrier"] == "1", row["fp16"] == "1"
        self.flops, self.tensor_bytes, self.bytes = int(row["flops"]), int(row["tensor_bytes"]), int(row["bytes"])
        self.groups, self.invocations, self.iterations = int(row["groups"]), int(row["invocations"]), int(row["iterations"])
        self.figures = {name: float(value) for name, value in (item.split("=") for item in row["statistics"].split(";") if item)}
        self.lanes = int(self.figures.get("Subgroup Size", 0)) or (32 if self.invocations == 32 and folder.name[:4] != "VEGA" else 64)
        self.waves = math.ceil(self.invocations / self.lanes)
        if row["pipeline"] not in cache:
            cache[row["pipeline"]] = code_figures((folder / f"{row['pipeline']}.txt").read_text(), self.lanes)
        self.code = cache[row["pipeline"]]


def winograd_saving(steps):
    return 4.0 if any(step.shader.startswith("winograd") for step in steps) else 1.0


def scale(step, flops):
    """The factor by which a wave takes longer than ACO estimates, because loops run more or less often than it assumes. Of a product, only
    loops that multiply are scaled, not its prologue and epilogue."""
    code = step.code
    if code.iterations == 0:
        return 1.0
    needed = flops / (step.groups * step.waves)
    if code.flops and needed > 0 and is_product(step):
        return 1 - code.multiplying + code.multiplying * max(needed / code.flops, 1 / code.iterations)
    by_loops = step.iterations / code.iterations if step.iterations else 1.0
    # Assumes that half of the bytes are read, once by each loop with loads.
    by_bytes = code.passes * step.bytes / 2 / (step.groups * step.waves) / code.loaded if code.loaded else by_loops
    return max(min(by_loops, by_bytes), 1 / LOOP)


def is_product(step):
    return any(part in step.shader for part in ("matmul", "conv2d", "gemv", "int8_", "attention")) and "merge" not in step.shader


def bounds(step, flops, family, chip):
    """Microseconds by bottleneck."""
    simds = chip.units * SIMDS.get(family, 2)
    times = scale(step, flops)
    resident = max(1, int(step.figures.get("Subgroups per SIMD", 1) * 2 // (step.lanes // 32 * 2)) if SIMDS.get(family, 2) == 2
                   else int(step.figures.get("Subgroups per SIMD", 1)))
    groups_at_once = max(1, int(simds * resident // step.waves))
    rounds = math.ceil(step.groups / groups_at_once)
    cycles = 1e3 * chip.ghz  # per microsecond
    return {"latency": rounds * step.figures.get("Latency", 0) * times / cycles,
            "instructions": step.groups * step.waves * step.figures.get("Inverse Throughput", 0) * times / simds / cycles,
            "memory": step.bytes / chip.gbytes / 1e3}


def peak(steps, chip):
    if any("int8_matrix" in step.shader or "int8_dot" in step.shader or "int8_gemv" in step.shader for step in steps):
        return chip.int8
    return chip.fp16 if any("cooperative_matrix" in step.shader or "attention_matrix" in step.shader for step in steps) else chip.fp32


Node = collections.namedtuple("Node", "model op shader us roofline bound groups")


def nodes_of(steps, family, chip):
    """One row per node: its dispatches' estimate and its roofline."""
    by_node = collections.defaultdict(list)
    for index, step in enumerate(steps):
        by_node[step.model, step.node if step.node != "-" else f"-{index}"].append(step)
    for own in by_node.values():
        flops = max(step.flops for step in own) / winograd_saving(own)
        products = [step for step in own if is_product(step)]
        total, parts = 0.0, []
        for step in own:
            spent = bounds(step, flops / max(len(products), 1), family, chip)
            bound = max(spent, key=spent.get)
            us = spent[bound] + (LAUNCH_US if step.barrier else 0)
            if step.barrier and LAUNCH_US > spent[bound]:
                bound = "launch"
            total += us
            parts.append((us, step, bound))
        us, step, bound = max(parts, key=lambda part: part[0])
        useful = max(own[0].flops / peak(own, chip) / 1e6, own[0].tensor_bytes / chip.gbytes / 1e3)
        yield Node(own[0].model, own[0].op, step.shader, total, useful, bound, step.groups)


def network_rows(nodes):
    rows = []
    for model in dict.fromkeys(node.model for node in nodes):
        own = [node for node in nodes if node.model == model]
        us, roofline = sum(node.us for node in own), sum(node.roofline for node in own)
        worst = max(own, key=lambda node: node.us - node.roofline)
        rows.append([model, f"{us / 1e3:.2f}", f"{roofline / 1e3:.2f}", f"{us / max(roofline, 1e-9):.1f}", f"{worst.op} by `{worst.shader}`",
                     f"{100 * (worst.us - worst.roofline) / us:.0f} %"])
    return rows


# By kernel and by what bounds it; "" matches any. The first match counts.
WHY = (
    ("add_parts", "launch", "split-K: the second pass is short, but without it few workgroups would read all of K; a sum in the last workgroup"
     " would need atomics and read as much"),
    ("add_parts", "", "split-K: reads the partial sums of the product; they fit in the last-level cache, which the estimate ignores"),
    ("winograd", "", "reads and writes transformed tiles, 2.25 times the image"),
    ("depthwise", "launch", "the layer is shorter than a launch, and the next one needs all of it"),
    ("depthwise", "", "loads overlap: neighbouring outputs share inputs, which come from the caches"),
    ("gemv", "launch", "squeeze-and-excitation and classifiers: a layer shorter than a launch, which the next one waits for; two in one"
     " dispatch would repeat the first in each workgroup"),
    ("gemv", "", "each invocation loads few weights before it reduces: a layer of less than a megabyte ends before the memory is busy"),
    ("reduce", "launch", "global pools: a small tensor that the next layer waits for"),
    ("quantize", "", "first convolutions, of three channels, are computed as floats between conversions that move four times the bytes"),
    ("softmax", "", "one row: a single workgroup"),
    ("norm", "latency", "one row per workgroup: its two passes over a few kilobytes wait for loads and reductions"),
    ("recurrent_sequence", "", "one workgroup, because each step needs all results of the previous one"),
    ("interleave", "launch", "channel shuffles between two convolutions: shorter than a launch"),
    ("q8", "launch", "residual sums of INT8, a quarter of the bytes of floats: shorter than a launch"),
    ("matmul_shared_memory", "launch", "few output tiles: shorter than a launch, even with split-K"),
    ("", "launch", "starting it behind a barrier takes longer than the work: fewer dispatches would help, not a faster kernel"),
    ("", "latency", "too few workgroups to hide the latency of loads and of shared memory"),
    ("", "instructions", "address arithmetic, conversions and loads next to the multiply-adds"),
    ("", "memory", "reads operands more than once, or scratch memory between its dispatches"),
)


def why(shader, bound):
    return next(text for kernel, limit, text in WHY if kernel in shader and limit in ("", bound))


def kernel_rows(nodes, units):
    """Kernels above three times their roofline, by the time beyond it."""
    rows = []
    for shader in dict.fromkeys(node.shader for node in nodes):
        own = [node for node in nodes if node.shader == shader]
        us, roofline = sum(node.us for node in own), sum(node.roofline for node in own)
        if us <= 3 * roofline:
            continue
        spent = collections.Counter()
        for node in own:
            spent[node.bound] += node.us
        bound, share = spent.most_common(1)[0]
        few = sum(node.us for node in own if node.groups < units) / us
        rows.append((us - roofline, [f"`{shader}`", len(own), f"{us:.0f}", f"{us / max(roofline, 1e-9):.1f}", f"{bound} {100 * share / us:.0f} %",
                                     f"{100 * few:.0f} %", why(shader, bound)]))
    return [row for _, row in sorted(rows, key=lambda item: -item[0])]


def read(folder):
    cache = {}
    with open(folder / "steps.tsv", encoding="utf-8") as file:
        return [Step(row, folder, cache) for row in csv.DictReader(file, delimiter="\t")]


def sections(folder):
    for family, chip in CHIPS.items():
        for option, dtype in (("", "float32"), ("--fp16", "fp16")):
            path = folder / (family + option)
            if not (path / "steps.tsv").exists():
                continue
            nodes = list(nodes_of(read(path), family, chip))
            rows = network_rows(nodes)
            ratio = geometric_mean([float(row[3]) for row in rows])
            yield [f"## {chip.card} ({family}), {dtype}", "", f"Estimate as a multiple of the roofline: {ratio:.1f} (geometric mean).", "",
                   *table(["network", "ms", "roofline, ms", "ratio", "farthest above its roofline", "this excess, of the time"], rows), "",
                   "Kernels above three times their roofline, over all networks:", "",
                   *table(["kernel", "nodes", "us", "ratio", "bound by", "of the time with fewer workgroups than compute units", "why"],
                          kernel_rows(nodes, chip.units)), ""]


INTRODUCTION = f"""Nothing here was measured: `./dev compilers` plans the networks for each GPU, compiles the kernels with RADV, and
`bench/report/planned_times.py` adds up an estimate for each dispatch. That is the longest of

- its waves' latency, once for each round of workgroups that fit on the GPU at the same time,
- the instructions of all waves, by the number of SIMDs,
- its bytes, by the memory's bandwidth.

Behind a barrier, {LAUNCH_US:.0f} us are added. Latency and instructions are ACO's static figures, which count each loop as {LOOP}
iterations; they are scaled by the multiply-adds that the operator needs, or else by the bytes that it reads. The roofline of an
operator is the larger of its flops and the bytes of its operands, each by the chip's peak; fp16 counts as float32 where RADV has no
matrices. Caches are ignored in both."""


def main():
    if sys.argv[1] == "--units":
        print(CHIPS[sys.argv[2]].units)
        return
    folder, page = map(pathlib.Path, sys.argv[1:])
    chips = [[chip.card, chip.units, chip.ghz, chip.fp32, chip.fp16, chip.int8, chip.gbytes] for chip in CHIPS.values()]
    lines = ["# Planned times on AMD's GPUs, without one", "", *INTRODUCTION.splitlines(), "",
             *table(["card", "compute units", "GHz", "float32 TFLOP/s", "fp16 TFLOP/s", "INT8 TOP/s", "GB/s"], chips), ""]
    for section in sections(folder):
        lines += section
    page.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
