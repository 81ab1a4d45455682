"""model_tests.py KIND PATH...: models through a session with our provider, against ONNX Runtime's CPU. Prints a table.

A path is a folder of .onnx files, which get random inputs; a folder with index.json and cases, an archive of folders with model.onnx
and in0.npy..., or a folder with decode_int8.onnx. PLUGIN_FILTER: runs only models whose names contain the text."""

import glob
import json
import os
import re
import sys
import tarfile
import tempfile

import numpy
import provider

TYPES = {"float": "f4", "float16": "f2", "double": "f8", "int64": "i8", "int32": "i4", "uint8": "u1", "int8": "i1", "bool": "?"}
OPEN = 2  # length of open dimensions
TOLERANCE = 3e-3  # of an output's largest value
TOKENS = 24
SKIPPED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../import/skipped_models.txt")


def random_feeds(inputs):
    generator, feeds = numpy.random.default_rng(7), {}
    for it in inputs:
        shape = [length if isinstance(length, int) and length > 0 else OPEN for length in it.shape]
        kind = TYPES[it.type[7:-1]]
        made = generator.standard_normal(shape) if kind in ("f4", "f2", "f8") else generator.integers(0, 2, shape)
        feeds[it.name] = made.astype(kind)
    return feeds


def difference(got, want):
    """The largest difference, as a part of the output's largest value; infinite if types or shapes differ."""
    worst = 0.0
    for ours, theirs in zip(got, want):
        if isinstance(theirs, list) or theirs is None or theirs.size == 0:
            continue
        if ours.dtype != theirs.dtype or ours.shape != theirs.shape or not numpy.array_equal(numpy.isnan(ours), numpy.isnan(theirs)):
            return numpy.inf
        ours, theirs = (numpy.nan_to_num(it.astype("f8")) for it in (ours, theirs))
        worst = max(worst, float(numpy.abs(ours - theirs).max() / max(numpy.abs(theirs).max(), 1e-3)))
    return worst


def decode(session, tokens):
    """Logits of each token, with the cache in place: it is bound as input and as output."""
    cache = numpy.zeros((4, 2, 1, 2, 512, 32), "f4")
    logits = []
    for position, token in enumerate(tokens):
        binding = session.io_binding()
        names = [it.name for it in session.get_inputs()]
        feeds = dict(zip(names, (numpy.array([[token]], "i8"), numpy.array([position], "i8"))))
        for name, value in feeds.items():
            binding.bind_cpu_input(name, value)
        outputs = [it.name for it in session.get_outputs()]
        binding.bind_input(names[2], "cpu", 0, numpy.float32, cache.shape, cache.ctypes.data)
        binding.bind_output(outputs[0])
        binding.bind_output(outputs[1], "cpu", 0, numpy.float32, cache.shape, cache.ctypes.data)
        session.run_with_iobinding(binding)
        logits.append(binding.get_outputs()[0].numpy().copy())
    return [numpy.concatenate(logits), cache]


def cases(path):
    """(name, file, what to run on a session): None for random inputs."""
    if path.endswith(".tar.xz"):
        with tempfile.TemporaryDirectory() as unpacked, tarfile.open(path) as tar:
            tar.extractall(unpacked, filter="data")
            for file in sorted(glob.glob(unpacked + "/**/*.onnx", recursive=True)):
                folder = os.path.dirname(file)
                arrays = [numpy.load(f"{folder}/in{i}.npy") for i in range(len(glob.glob(folder + "/in*.npy")))]
                yield os.path.relpath(file, unpacked).removeprefix("public/"), file, feeding(arrays)
        return
    if os.path.exists(path + "/decode_int8.onnx"):
        with open(path + "/expected_greedy.txt", "rb") as text:
            tokens = numpy.frombuffer(text.read(TOKENS), "u1").astype("i8")
        yield "text/prefill", path + "/prefill_int8.onnx", feeding([tokens[None]])
        yield "text/decode", path + "/decode_int8.onnx", lambda session: decode(session, tokens)
        return
    if os.path.isdir(path + "/cases"):
        with open(path + "/index.json", encoding="utf-8") as file:
            for case in json.load(file):
                if case["model"].endswith(".onnx"):
                    arrays = [numpy.load(f"{path}/cases/{case['case']}/{it['file']}") for it in case["inputs"]]
                    yield case["case"], f"{path}/{case['model']}", feeding(arrays)
        return
    for file in sorted(glob.glob(path + "/*.onnx")):
        yield os.path.basename(file), file, lambda session: session.run(None, random_feeds(session.get_inputs()))


def skipped():
    """Names of models that cannot be judged."""
    with open(SKIPPED, encoding="utf-8") as file:
        return {line.split(":")[0] for line in file}


def feeding(arrays):
    return lambda session: session.run(None, dict(zip([it.name for it in session.get_inputs()], arrays)))


class Log:
    """What ONNX Runtime and the provider log, which is not Python's standard error."""

    def __enter__(self):
        self.file, self.saved = tempfile.TemporaryFile(), os.dup(2)
        sys.stderr.flush()
        os.dup2(self.file.fileno(), 2)
        return self

    def __exit__(self, *_):
        os.dup2(self.saved, 2)
        os.close(self.saved)
        self.file.seek(0)
        self.text = self.file.read().decode(errors="replace")


def run(kind, file, task):
    """(nodes of ours, nodes, groups that ran, difference)."""
    want = task(provider.reference(file))
    os.environ["PLUGIN_SEVERITY"] = "1"
    with Log() as log:
        with provider.profiled(file, kind) as (session, groups):
            got = task(session)
    taken = [(int(theirs), int(ours)) for ours, theirs in re.findall(r"(\d+) of (\d+) nodes run on", log.text)]
    nodes, ours = max(taken, default=(0, 0))
    if os.environ.get("PLUGIN_VERBOSE"):
        print(*sorted(set(re.findall(r"Node .* is left: .*", log.text))), sep="\n")
    return ours, nodes, len(set(groups)), difference(got, want)


def main(kind, *paths):
    provider.register()
    failed = none = count = 0
    print("| model | nodes taken | partitions | difference |\n| --- | --- | --- | --- |")
    for path in paths:
        for name, file, task in cases(path):
            if os.environ.get("PLUGIN_FILTER", "") not in name or name.split("/")[0] in skipped():
                continue
            count += 1
            try:
                ours, nodes, groups, differs = run(kind, file, task)
                good = differs <= TOLERANCE
                print(f"| {name} | {ours} of {nodes} | {groups} | {differs:.1e}{'' if good else ' FAILED'} |", flush=True)
                none += groups == 0
            except Exception as error:  # noqa: BLE001
                good = False
                print(f"| {name} | FAILED: {error} | | |", flush=True)
            failed += not good
    print(f"{count} models, {failed} failed, {none} without a group of ours")
    sys.exit(1 if failed or not count else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
