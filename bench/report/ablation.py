#!/usr/bin/env python3
"""What each kernel and pass brings: model files with it and without it, in turns.

ablation.py BUILD OUTPUT.json [--target cpu|NAME=MANIFEST]... [--models FOLDER] [--only REGEX] [--switch REGEX] [--rounds N]
            [--starts N] [--seconds S] [--page PAGE.md]

Needs NumPy and onnx. Targets are the CPU device (default) or the Vulkan driver of a manifest. Without --models, the networks of bench/models are written first;
--models takes other ONNX or TFLite files. A switch is tried on a model if the model's plan changes with it. OUTPUT.json keeps what was
measured, so that a run can be ended and resumed. Figures are medians over rounds: of a run, and of Build (import and compilation)."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from figures import geometric_mean
from measure import write_models
from networks import medians
from turns import Failed, Turns

NETWORKS = ["squeezenet", "mobilenet_v2", "mobilenet_v3", "shufflenet_v2", "efficientnet_b0", "resnet_18", "googlenet", "resnet_50", "bert_layer",
            "gpt2_small_64", "mobilevit_s", "maxvit_t", "densenet_121", "lstm", "squeezenet_int8", "resnet_18_int8"]
MECHANISMS = {  # by target: other variables that forbid a mechanism
    "cpu": {"instruction set amx": {"NNRT_TEST_CPU_ISA": "vnni"}, "instruction set vnni": {"NNRT_TEST_CPU_ISA": "avx512"},
            "instruction set avx512": {"NNRT_TEST_CPU_ISA": "avx2"}, "fusion": {"NNRT_TEST_FUSE": "off"}},
    "gpu": {"fusion": {"NNRT_TEST_FUSE": "off"}},
}


class Target:
    def __init__(self, text, build):
        self.name, _, manifest = text.partition("=")
        self.kind = "gpu" if manifest else "cpu"
        self.variable = "NNRT_VULKAN_KERNELS" if manifest else "NNRT_CPU_KERNELS"
        self.build = pathlib.Path(build)
        self.variables = {"NNRT_DEVICES": "vulkan" if manifest else "cpu", "NNRT_LOG": "error", "NNRT_COSTS": "off",
                          "MESA_SHADER_CACHE_DISABLE": "true", "LD_LIBRARY_PATH": str(self.build / "lib")}
        if manifest:
            self.variables["VK_DRIVER_FILES"] = manifest

    def with_switch(self, switch):
        if switch is None:
            return self.variables
        return {**self.variables, **MECHANISMS[self.kind].get(switch, {self.variable: f"-{switch}"})}

    def plan(self, file, switch=None):
        """Kernels and fusions of all operations, and the passes that ran."""
        command = [str(self.build / "bin/nnrt"), "plan", "--json", "--device", self.kind, str(file)]
        done = subprocess.run(command, env={**os.environ, **self.with_switch(switch)}, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return None
        plan = json.loads(done.stdout)
        return ([[it["operator"], [kernel["name"] for kernel in it["kernels"]], it["fused"], it["outputs"]] for it in plan["operations"]],
                [it["name"] for it in plan["passes"] if not it["why_not"]])

    def switches(self, plan):
        operations, passes = plan
        kernels = {word for operation in operations for name in operation[1] for word in re.findall(r"[a-z0-9_]+", name)}
        names = sorted(kernels) + passes
        return [name for name in dict.fromkeys(names) if name in self.known()] + list(MECHANISMS[self.kind])

    def known(self):
        """Names that the device's variable takes, by its own warning."""
        if not hasattr(self, "names"):
            variables = {**os.environ, **self.variables, self.variable: "-?", "NNRT_LOG": "warning"}
            text = subprocess.run([str(self.build / "bin/nnrt"), "devices"], env=variables, capture_output=True, text=True, check=False).stderr
            self.names = re.search(r"names none of (.*)\.", text)[1].split(", ")
        return self.names

    def start(self, file, switch=None):
        return Turns([str(self.build / "bin/turns"), str(file), self.kind], {**os.environ, **self.with_switch(switch)})


def measure(target, file, switch, arguments):
    """{"run": [with, without], "build": [with, without]} in milliseconds."""
    builds = [[], []]
    for _ in range(arguments.starts - 1):
        for its, which in zip(builds, (None, switch)):
            with target.start(file, which) as engine:
                its.append(engine.build_ms)
    with target.start(file) as base, target.start(file, switch) as other:
        for its, engine in zip(builds, (base, other)):
            its.append(engine.build_ms)
        return {"run": medians([base, other], arguments.rounds, arguments.seconds), "build": [min(its) for its in builds]}


def measure_all(target, file, arguments, rows, save):
    done = {row["switch"] for row in rows if row["target"] == target.name and row["model"] == file.stem}
    base = target.plan(file)
    if base is None:
        print(f"{target.name} {file.stem}: no plan", file=sys.stderr)
        return
    for switch in target.switches(base):
        if switch in done or not re.search(arguments.switch, switch):
            continue
        if switch not in MECHANISMS[target.kind] and (plan := target.plan(file, switch)) is not None and plan[0] == base[0]:
            continue
        try:
            figures = measure(target, file, switch, arguments)
        except Failed as failure:
            figures = {"failed": str(failure)}
        rows.append({"target": target.name, "model": file.stem, "switch": switch, **figures})
        save()
        print(target.name, file.stem, switch, *(f"{figures[it][1] / figures[it][0]:.3f}" for it in ("run", "build") if it in figures), flush=True)


def gains(rows, what):
    """Times without over times with, for each model."""
    return {row["model"]: row[what][1] / row[what][0] for row in rows if what in row}


def page(rows):
    """A row for each switch, sorted by its best gain."""
    lines = ["| target | switch | models | best run | in | geometric mean | best Build | in | geometric mean |", "| --- " * 9 + "|"]
    by_switch = {}
    for row in rows:
        by_switch.setdefault((row["target"], row["switch"]), []).append(row)
    cells = []
    for (target, switch), its in by_switch.items():
        run, build = gains(its, "run"), gains(its, "build")
        if run:
            best, built = max(run, key=run.get), max(build, key=build.get)
            cells.append((target, -run[best], f"| {target} | {switch} | {len(run)} | {run[best]:.2f} | {best} | {geometric_mean(run.values()):.2f} "
                          f"| {build[built]:.2f} | {built} | {geometric_mean(build.values()):.2f} |"))
    return "\n".join(lines + [text for *_, text in sorted(cells)]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--target", action="append")
    parser.add_argument("--models", type=pathlib.Path, help="a folder of model files")
    parser.add_argument("--only", default="", help="models that match this expression")
    parser.add_argument("--switch", default="", help="switches that match this expression")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--starts", type=int, default=3, help="how often Build is measured; the shortest counts")
    parser.add_argument("--seconds", type=float, default=0.1, help="per engine and round")
    parser.add_argument("--page", type=pathlib.Path, help="write the table there")
    arguments = parser.parse_args()
    rows = json.loads(arguments.output.read_text()) if arguments.output.exists() else []

    def save():
        arguments.output.write_text(json.dumps(rows, indent=1) + "\n")
        if arguments.page:
            arguments.page.write_text(page(rows))

    with tempfile.TemporaryDirectory(prefix="nnrt_ablation_") as folder:
        files = sorted(arguments.models.iterdir()) if arguments.models else [pathlib.Path(folder) / f"{name}.onnx" for name in NETWORKS]
        for file in (it for it in files if it.suffix in (".onnx", ".tflite") and re.search(arguments.only, it.stem)):
            if not file.exists():
                write_models(folder, file.stem)
            for text in arguments.target or ["cpu"]:
                measure_all(Target(text, arguments.build), file, arguments, rows, save)
            if not arguments.models:
                file.unlink()
    save()
    print(page(rows))


if __name__ == "__main__":
    main()
