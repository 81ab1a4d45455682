"""model_tests.py KIND FOLDER...: every .onnx file of the folders through a session with our provider, against ONNX Runtime's CPU."""

import glob
import os
import sys
import tarfile
import tempfile

import numpy
import provider

TYPES = {"float": "f4", "float16": "f2", "double": "f8", "int64": "i8", "int32": "i4", "uint8": "u1", "int8": "i1", "bool": "?"}
OPEN = 2  # length of open dimensions


def random_input(declared, generator):
    shape = [it if isinstance(it, int) and it > 0 else OPEN for it in declared.shape]
    kind = TYPES[declared.type[7:-1]]
    if kind in ("f4", "f2", "f8"):
        return generator.standard_normal(shape).astype(kind)
    return generator.integers(0, 2, shape).astype(kind)


def run(path, kind):
    """(result, groups, nodes): why the results differ, or None."""
    plain = provider.reference(path)
    generator = numpy.random.default_rng(7)
    feeds = {it.name: random_input(it, generator) for it in plain.get_inputs()}
    try:
        want = plain.run(None, feeds)
    except Exception:  # noqa: BLE001
        return "skipped: random inputs do not fit", 0
    with provider.profiled(path, kind) as (session, groups):
        got = session.run(None, feeds)
    scale = max((float(numpy.abs(it).max()) for it in want if isinstance(it, numpy.ndarray) and it.dtype.kind == "f" and it.size), default=1)
    return provider.differs(got, want, 1e-3 * max(scale, 1e-3), 1e-3), len(groups)


def files(folder):
    for archive in glob.glob(folder + "/*.tar.xz"):
        with tempfile.TemporaryDirectory() as unpacked, tarfile.open(archive) as tar:
            tar.extractall(unpacked, filter="data")
            yield from sorted(glob.glob(unpacked + "/**/*.onnx", recursive=True))
    yield from sorted(glob.glob(folder + "/*.onnx"))


def main(kind, *folders):
    provider.register()
    failed, none = [], 0
    for folder in folders:
        for path in files(folder):
            try:
                result, groups = run(path, kind)
            except Exception as error:  # noqa: BLE001
                result, groups = f"fails: {error}", 0
            print(f"{os.path.basename(path)}: {result or 'same'}, {groups} groups", flush=True)
            if result and not result.startswith("skipped"):
                failed.append(path)
            none += groups == 0
    print(f"{len(failed)} failed, {none} without a group of ours")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
