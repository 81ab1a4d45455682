"""Writes small ONNX files with the parts of the format these tests need."""

import numpy

TYPES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11,
         "uint32": 12, "uint64": 13}


def _varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytearray([value]))


def number(field, value):
    return _varint(field << 3) + _varint(value & (1 << 64) - 1)  # negative numbers as 64 bits


def message(field, data):
    data = data.encode() if isinstance(data, str) else data
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _value(name, dtype, shape):
    sizes = b"".join(message(1, message(2, "n") if size is None else number(1, size)) for size in shape)
    return message(1, name) + message(2, message(1, number(1, TYPES[str(dtype)]) + message(2, sizes)))


def _attribute(name, value):
    if isinstance(value, OnnxModel):  # a body
        return message(1, name) + message(6, message(2, name) + value.graph()) + number(20, 5)
    if isinstance(value, int):
        return message(1, name) + number(3, value) + number(20, 2)
    return message(1, name) + b"".join(number(8, item) for item in value) + number(20, 7)


class OnnxModel:
    """Nodes are written in the order of the calls."""

    def __init__(self, opset=13):
        self._opset, self._graph, self._domains = opset, bytearray(), {}

    def node(self, op, inputs, outputs, name="", domain="", **attributes):
        data = b"".join(message(1, it) for it in inputs) + b"".join(message(2, it) for it in outputs)
        data += message(3, name) + message(4, op)
        data += b"".join(message(5, _attribute(key, value)) for key, value in attributes.items())
        if domain:
            data += message(7, domain)
            self._domains[domain] = 1
        self._graph += message(1, data)
        return self

    def constant(self, name, array):
        array = numpy.asarray(array, order="C")
        data = b"".join(number(1, size) for size in array.shape)
        data += number(2, TYPES[str(array.dtype)]) + message(8, name) + message(9, array.tobytes())
        self._graph += message(5, data)
        return self

    def external(self, name, dtype, shape, location, offset, length):
        """A constant in another file."""
        data = b"".join(number(1, size) for size in shape) + number(2, TYPES[dtype]) + message(8, name)
        for key, value in (("location", location), ("offset", str(offset)), ("length", str(length))):
            data += message(13, message(1, key) + message(2, value))
        self._graph += message(5, data + number(14, 1))
        return self

    def input(self, name, shape, dtype="float32"):
        self._graph += message(11, _value(name, dtype, shape))
        return self

    def output(self, name, shape, dtype="float32"):
        self._graph += message(12, _value(name, dtype, shape))
        return self

    def graph(self):
        return bytes(self._graph)

    def bytes(self):
        opsets = {"": self._opset, **self._domains}
        return number(1, 8) + message(7, self._graph) + b"".join(message(8, message(1, domain) + number(2, opset)) for domain, opset in opsets.items())
