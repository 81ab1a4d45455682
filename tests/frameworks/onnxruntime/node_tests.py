"""node_tests.py KIND AT_LEAST FOLDER: ONNX's tests of single operators through sessions with our provider before the CPU's.

Every result must be right; at least AT_LEAST tests must run a node of ours, if need be with inputs as constants, as exporters
write them. Tests that ONNX Runtime itself cannot run do not count."""

import collections
import glob
import os
import sys

import onnx
import provider
from google.protobuf.message import DecodeError
from onnx import numpy_helper

TENSORS = {onnx.TensorProto.DataType.Value(name) for name in ("FLOAT", "UINT8", "INT8", "UINT16", "INT16", "INT32", "INT64", "BOOL", "FLOAT16", "DOUBLE",
                                                              "UINT32", "UINT64")}


class Unreadable(Exception):
    """No plain tensor."""


def tensor(path):
    read = onnx.TensorProto()
    try:
        with open(path, "rb") as file:
            read.ParseFromString(file.read())
    except DecodeError as error:
        raise Unreadable(path) from error
    if read.data_type not in TENSORS:
        raise Unreadable(path)
    return numpy_helper.to_array(read)


def tensors(folder, kind):
    return [tensor(f"{folder}/{kind}_{i}.pb") for i in range(len(glob.glob(f"{folder}/{kind}_*.pb")))]


def with_constants(model, names, inputs):
    """The model with these inputs as constants."""
    made = onnx.load_from_string(model)
    kept = [it for it in made.graph.input if it.name not in names]
    del made.graph.input[:]
    made.graph.input.extend(kept)
    made.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in zip(names, inputs))
    return made.SerializeToString()


def run(kind, folder):
    """As in the file; if that is theirs, with ever more inputs as constants."""
    with open(os.path.join(folder, "model.onnx"), "rb") as file:
        model = file.read()
    result = run_model(kind, folder, model)
    if result != "theirs":
        return result
    names = [it.name for it in provider.reference(model).get_inputs()]
    inputs = tensors(folder + "/test_data_set_0", "input")
    for first in reversed(range(1, len(names))):
        result = run_model(kind, folder, with_constants(model, names[first:], inputs[first:]))
        if result == "ours":
            return "ours with constants"
        if result not in ("theirs", "not run by ONNX Runtime"):
            return result
    return "theirs"


def run_model(kind, folder, model):
    """What became of a test: 'ours', 'theirs', or why it fails."""
    try:
        inputs, outputs = (tensors(folder + "/test_data_set_0", it) for it in ("input", "output"))
    except (Unreadable, ValueError):
        return "unreadable"
    def feed(session):
        names = [it.name for it in session.get_inputs()]
        return session.run(None, dict(zip(names, inputs)))
    try:
        want = feed(provider.reference(model))
    except Exception:  # noqa: BLE001
        return "not run by ONNX Runtime"
    with provider.profiled(model, kind) as (session, groups):
        got = feed(session)
    wrong = provider.differs(got, outputs, 1e-4)
    if wrong and provider.differs(want, outputs, 1e-4):  # ONNX Runtime does not pass either: its result will do
        wrong = provider.differs(got, want, 1e-4)
    return wrong or ("ours" if groups else "theirs")


def main(kind, at_least, folder):
    provider.register()
    counts, failed = collections.Counter(), []
    for path in sorted(glob.glob(folder + "/test_*")):
        try:
            result = run(kind, path)
        except Exception as error:  # noqa: BLE001
            result = f"fails: {error}"
        known = result in ("ours", "ours with constants", "theirs", "unreadable", "not run by ONNX Runtime")
        counts[result if known else "failed"] += 1
        if not known:
            failed.append(f"FAILED {os.path.basename(path)}: {result}")
        elif result == "theirs" and os.environ.get("PLUGIN_VERBOSE"):
            print("theirs:", os.path.basename(path))
    print(*failed, sep="\n")
    print(dict(counts))
    sys.exit(1 if failed or counts["ours"] + counts["ours with constants"] < int(at_least) else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
