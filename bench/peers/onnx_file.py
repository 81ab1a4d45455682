"""Reads ONNX files written by onnx_writer.cpp without a library: raw tensors, nodes with numeric attributes, and inputs and outputs of static
shapes. Field numbers are those of onnx.proto."""
import dataclasses
import pathlib
import struct

FLOAT, UINT8, INT8, INT32, INT64 = 1, 2, 3, 6, 7


@dataclasses.dataclass
class Tensor:
    name: str
    dtype: int
    shape: list
    data: bytes

    def integers(self):
        letter, size = {INT64: ("q", 8), INT32: ("i", 4), INT8: ("b", 1), UINT8: ("B", 1)}[self.dtype]
        return list(struct.unpack(f"<{len(self.data) // size}{letter}", self.data))


@dataclasses.dataclass
class Node:
    kind: str
    inputs: list
    outputs: list
    attributes: dict


@dataclasses.dataclass
class Model:
    nodes: list
    constants: dict  # tensors by name
    inputs: dict     # shapes by name, in order
    outputs: dict


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def fields(data):
    """Yields (field number, value) of a message: an int, the bytes of a length-delimited field, or the 4 bytes of a float."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire in (1, 2, 5):
            size, at = varint(data, at) if wire == 2 else (8 if wire == 1 else 4, at)
            value = data[at:at + size]
            if len(value) != size:
                raise ValueError("The ONNX file ends too early.")
            at += size
        else:
            raise ValueError(f"The ONNX file has a field of the unknown form {wire}.")
        yield number, value


def packed(value):
    """The integers of a repeated field, packed or not."""
    if isinstance(value, int):
        return [signed(value)]
    found, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        found.append(signed(number))
    return found


def text(value):
    return bytes(value).decode()


def tensor(data):
    made = Tensor("", 0, [], b"")
    for number, value in fields(data):
        if number == 1:
            made.shape += packed(value)
        elif number == 2:
            made.dtype = value
        elif number == 8:
            made.name = text(value)
        elif number == 9:
            made.data = bytes(value)
    return made


def attribute(data):
    name, content, integers = "", None, []
    for number, value in fields(data):
        if number == 1:
            name = text(value)
        elif number == 2:
            content = struct.unpack("<f", value)[0]
        elif number == 3:
            content = signed(value)
        elif number == 8:
            integers += packed(value)
    return name, content if content is not None else integers


def node(data):
    made = Node("", [], [], {})
    for number, value in fields(data):
        if number == 1:
            made.inputs.append(text(value))
        elif number == 2:
            made.outputs.append(text(value))
        elif number == 4:
            made.kind = text(value)
        elif number == 5:
            name, content = attribute(value)
            made.attributes[name] = content
    return made


def inside(data, *path):
    """The last message at this path of field numbers; empty if there is none."""
    for wanted in path:
        data = next((value for number, value in fields(data) if number == wanted), b"")
    return data


def value_info(data):
    name, dims = "", []
    for number, value in fields(data):
        if number == 1:
            name = text(value)
        elif number == 2:
            shape = inside(value, 1, 2)
            dims = [next((size for inner, size in fields(dim) if inner == 1), 0) for number, dim in fields(shape) if number == 1]
    return name, dims


def parse(data):
    made = Model([], {}, {}, {})
    for number, value in fields(inside(memoryview(data), 7)):
        if number == 1:
            made.nodes.append(node(value))
        elif number == 5:
            constant = tensor(value)
            made.constants[constant.name] = constant
        elif number in (11, 12):
            name, shape = value_info(value)
            (made.inputs if number == 11 else made.outputs)[name] = shape
    if not made.nodes:
        raise ValueError("The ONNX file has no nodes.")
    return made


def load(path):
    return parse(pathlib.Path(path).read_bytes())
