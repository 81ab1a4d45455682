#!/usr/bin/env python3
"""Writes the networks of the benchmarks, or single operators, as ONNX files: model_files.py FOLDER [NAME]...

NAME is a network (default: all), an operator such as norm/softmax_1x1000, `operators` (all of them, in FOLDER/operators with an index that
kernels_bench reads), `dense`, which is written as TensorFlow Lite file too, or `detector`. --list prints the networks."""
import argparse
import dataclasses
import json
import pathlib
import struct
import sys

import numpy

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from stack import SMALL, Scale  # noqa: E402
from zoo import NETWORKS, OPERATORS, dense, detector  # noqa: E402
from flatbuffer_writer import FlatBuffer  # noqa: E402

PAGE, LARGE, SMALLEST = 4096, 1 << 20, 1024  # as exporters do: small constants stay in the model, and large ones are page-aligned


def file_of(folder, name):
    return pathlib.Path(folder) / (name.replace("/", "-") + ".onnx")


def write_external(model, path):
    """Moves large constants to a second file beside the model's."""
    data = bytearray()
    for constant in model.graph.initializer:
        size = len(constant.raw_data)
        if size < SMALLEST:
            continue
        if size >= LARGE:
            data += bytes(-len(data) % PAGE)
        for key, value in (("location", path.stem + ".data"), ("offset", len(data)), ("length", size)):
            constant.external_data.add(key=key, value=str(value))
        constant.data_location = constant.EXTERNAL
        data += constant.raw_data
        constant.ClearField("raw_data")
    path.write_bytes(model.SerializeToString())
    path.with_suffix(".data").write_bytes(data)


def tflite_of(model):
    """A TensorFlow Lite file of the nodes of `dense`: Gemm and Relu."""
    constants = {it.name: it for it in model.graph.initializer}
    tensors, buffers, operators, numbers = [], [{}], [], {}

    def number(name, shape):
        if name not in numbers:
            numbers[name] = len(tensors)
            if name in constants:
                buffers.append({0: constants[name].raw_data})
            tensors.append({0: shape, 2: ("I", len(buffers) - 1 if name in constants else 0), 3: name})
        return numbers[name]

    shape = [size.dim_value for size in model.graph.input[0].type.tensor_type.shape.dim]  # of each result too
    relus = {node.input[0]: node.output[0] for node in model.graph.node if node.op_type == "Relu"}
    for node in model.graph.node:
        if node.op_type != "Gemm":
            continue
        result = node.output[0]
        inputs = [number(name, list(constants[name].dims) if name in constants else shape) for name in node.input]
        options = {0: ("b", 1 if result in relus else 0)}
        operators.append({1: inputs, 2: [number(relus.get(result, result), shape)], 3: ("B", 8), 4: options})
    graph = {0: tensors, 1: [number(model.graph.input[0].name, shape)], 2: [number(model.graph.output[0].name, shape)], 3: operators}
    code = {0: ("b", 9), 2: ("i", 1), 3: ("i", 9)}  # FULLY_CONNECTED
    return FlatBuffer({0: ("I", 3), 1: [code], 2: [graph], 4: buffers}, b"TFL3").bytes()


def bytes_of(model):
    """The inputs, constants and outputs."""
    sizes = {1: 4, 2: 1, 3: 1, 10: 2}
    total = sum(len(constant.raw_data) for constant in model.graph.initializer)
    for value in [*model.graph.input, *model.graph.output]:
        kind = value.type.tensor_type
        total += sizes[kind.elem_type] * int(numpy.prod([size.dim_value for size in kind.shape.dim]))
    return total


def write_operators(folder, options):
    """Images are channels last, quantized values INT8. A multiply-add counts as two operations; data movement and elementwise operators count as none."""
    folder.mkdir(exist_ok=True)
    index = []
    for name, operator in OPERATORS.items():
        stack = operator.stack(channels_last=True, codes="int8", **options)
        model = stack.finish().model
        path = file_of(folder, name)
        path.write_bytes(model.SerializeToString())
        index.append({"name": name, "file": path.name, "large": operator.large, "operations": stack.operations, "bytes": bytes_of(model)})
    (folder / "index.json").write_text(json.dumps(index, indent=1) + "\n")


def write(folder, name, scale, options, external):
    if name == "operators":
        return write_operators(folder / name, options)
    if name in OPERATORS:
        made = OPERATORS[name].stack(**options).finish()
    else:
        made = dict(NETWORKS, dense=dense, detector=detector)[name](scale, **options)
    path = file_of(folder, name)
    path.write_bytes(made.bytes())
    if name == "dense":
        path.with_suffix(".tflite").write_bytes(tflite_of(made.model))
    if external:
        write_external(made.model, path.with_suffix(".external.onnx"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("name", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--batch", type=int, default=1, help="images")
    parser.add_argument("--small", action="store_true", help="networks as tests have them: the same structure, fewer pixels and channels")
    parser.add_argument("--external", action="store_true", help="also write NAME.external.onnx, with the weights in a file beside it")
    parser.add_argument("--fp16", dest="dtype", action="store_const", const="float16", default="float32", help="FLOAT16 values and constants")
    parser.add_argument("--half-weights", action="store_true", help="round the weights to halves; they stay FLOAT32")
    arguments = parser.parse_intermixed_args()
    if arguments.list:
        print("\n".join(NETWORKS))
        return
    names = arguments.name or list(NETWORKS)
    unknown = [name for name in names if name not in {*NETWORKS, *OPERATORS, "dense", "detector", "operators"}]
    if unknown or arguments.folder is None:
        parser.error(f"There is no model {unknown[0]}." if unknown else "The folder is missing.")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    scale = dataclasses.replace(SMALL if arguments.small else Scale(), batch=arguments.batch)
    for name in names:
        write(arguments.folder, name, scale, {"dtype": arguments.dtype, "half_weights": arguments.half_weights}, arguments.external)


if __name__ == "__main__":
    main()
