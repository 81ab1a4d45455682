"""node_tests.py KIND AT_LEAST FOLDER: ONNX's tests of single operators through sessions with our provider before the CPU's.

Every result must be right; at least AT_LEAST tests must run a node of ours, if need be with inputs as constants, as exporters
write them. Tests that ONNX Runtime itself cannot run do not count."""

import collections
import glob
import os
import struct
import sys

import numpy
import provider
from onnx_writer import OnnxModel, message

TYPES = {1: "f4", 2: "u1", 3: "i1", 4: "u2", 5: "i2", 6: "i4", 7: "i8", 9: "?", 10: "f2", 11: "f8", 12: "u4", 13: "u8"}


class Unreadable(Exception):
    """No plain tensor."""


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    """(number, value) of a message; packed or nested ones as bytes."""
    return ((number, value) for number, value, _ in encoded_fields(data))


def encoded_fields(data):
    """(number, value, bytes with the key) of a message."""
    at = 0
    while at < len(data):
        begin = at
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
            value, at = data[at:at + size], at + size
        yield key >> 3, value, data[begin:at]


def varints(value):
    if isinstance(value, int):
        return [value]
    found, at = [], 0
    while at < len(value):
        one, at = varint(value, at)
        found.append(one)
    return found


def tensor(path):
    shape, numbers, kind, raw = [], [], 0, None
    with open(path, "rb") as file:
        data = file.read()
    for number, value in fields(data):
        if number == 1:
            shape += varints(value)
        elif number == 2:
            kind = value
        elif number in (5, 7, 11):
            numbers += [it - (1 << 64) if it >> 63 else it for it in varints(value)]
        elif number == 4:
            numbers += struct.unpack(f"<{len(value) // 4}f", value)
        elif number == 10:
            numbers += struct.unpack(f"<{len(value) // 8}d", value)
        elif number == 9:
            raw = value
    if kind not in TYPES or not isinstance(kind, int):
        raise Unreadable(path)
    if raw is not None:
        return numpy.frombuffer(raw, TYPES[kind]).reshape(shape)
    if kind == 10:
        return numpy.array(numbers, "u2").view("f2").reshape(shape)
    return numpy.array(numbers).astype(TYPES[kind]).reshape(shape)


def tensors(folder, kind):
    return [tensor(f"{folder}/{kind}_{i}.pb") for i in range(len(glob.glob(f"{folder}/{kind}_*.pb")))]


def with_constants(model, names, inputs):
    """The model with these inputs as constants."""
    graph = b"".join(OnnxModel().constant(name, array).graph() for name, array in zip(names, inputs))
    rest = b""
    for number, value, encoded in encoded_fields(model):
        if number != 7:
            rest += encoded
            continue
        for inner, declared, text in encoded_fields(value):
            if inner != 11 or dict(fields(declared))[1].decode() not in names:
                graph += text
    return rest + message(7, graph)


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
    except (Unreadable, ValueError, KeyError, IndexError, struct.error):
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
