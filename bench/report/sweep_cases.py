"""Single operations for sweep.py: each a name and an ONNX model with one input, FLOAT32 or quantized (UINT8 activations, INT8 weights)."""
import itertools
import math
import pathlib
import sys
import zlib

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests/python"))
from onnx_writer import OnnxModel  # noqa: E402

_SCALE = 0.02


def _random(shape, seed=0):
    return (numpy.random.default_rng(seed).standard_normal(shape) * math.sqrt(2 / max(1, math.prod(shape[1:])))).astype(numpy.float32)


def _quantize(model, name, like):
    """Names of a FLOAT32 value's scale and zero point."""
    model.constant(f"{name}_scale", numpy.array(_SCALE, numpy.float32)).constant(f"{name}_zero", numpy.array(like, numpy.uint8))
    return f"{name}_scale", f"{name}_zero"


class Operation:
    """Builds a model around nodes that read `x` (and weights) and write `y`."""

    def __init__(self, shape, out, quantized=False, opset=17):
        self.model, self.quantized, self.out = OnnxModel(opset), quantized, out
        if not quantized:
            self.model.input("x", shape)
            self.x = "x"
            return
        self.model.input("x", shape, "uint8").node("DequantizeLinear", ["x", *_quantize(self.model, "x", 128)], ["x_real"])
        self.x = "x_real"

    def weight(self, name, shape, axis=0):
        values = _random(shape, len(name))
        if not self.quantized:
            self.model.constant(name, values)
            return name
        scales = numpy.full(shape[axis], abs(values).max() / 127, numpy.float32)
        self.model.constant(name, numpy.round(values / scales[0]).astype(numpy.int8)).constant(f"{name}_scale", scales)
        self.model.constant(f"{name}_zero", numpy.zeros(shape[axis], numpy.int8))
        self.model.node("DequantizeLinear", [name, f"{name}_scale", f"{name}_zero"], [f"{name}_real"], axis=axis)
        return f"{name}_real"

    def finish(self, op, inputs, **attributes):
        self.model.node(op, inputs, ["y_real" if self.quantized else "y"], **attributes)
        if self.quantized:
            self.model.node("QuantizeLinear", ["y_real", *_quantize(self.model, "y", 128)], ["y"])
        return self.model.output("y", self.out, "uint8" if self.quantized else "float32").bytes()


def convolution(channels, out, kernel, size, stride=1, dilation=1, group=1, quantized=False):
    """`kernel` and `size` are lists with one number per axis."""
    reach = [(k - 1) * dilation + 1 for k in kernel]
    before, after = [r // 2 for r in reach], [(r - 1) // 2 for r in reach]
    sizes = [(s + b + a - r) // stride + 1 for s, b, a, r in zip(size, before, after, reach)]
    operation = Operation([1, channels, *size], [1, out, *sizes], quantized)
    weight = operation.weight("w", [out, channels // group, *kernel])
    return operation.finish("Conv", [operation.x, weight], kernel_shape=kernel, pads=before + after, strides=[stride] * len(kernel),
                            dilations=[dilation] * len(kernel), group=group)


def transposed(channels, out, kernel, size, stride):
    operation = Operation([1, channels, size, size], [1, out] + [(size - 1) * stride + kernel] * 2)
    return operation.finish("ConvTranspose", [operation.x, operation.weight("w", [channels, out, kernel, kernel])],
                            kernel_shape=[kernel, kernel], strides=[stride, stride])


def product(rows, inner, columns, quantized=False):
    operation = Operation([rows, inner], [rows, columns], quantized)
    return operation.finish("MatMul", [operation.x, operation.weight("w", [inner, columns], 1)])


def dynamic_product(rows, inner, columns):
    model = OnnxModel(17).input("x", [rows, inner])
    model.constant("w", numpy.round(_random([inner, columns]) * 300).clip(-127, 127).astype(numpy.int8))
    model.constant("scale_w", numpy.array(0.01, numpy.float32))
    model.node("DynamicQuantizeLinear", ["x"], ["codes", "scale_x", "zero"]).node("MatMulInteger", ["codes", "w", "zero"], ["sums"])
    model.node("Cast", ["sums"], ["real"], to=1).node("Mul", ["scale_x", "scale_w"], ["scale"]).node("Mul", ["real", "scale"], ["y"])
    return model.output("y", [rows, columns]).bytes()


def layers(rows, weight, count=4, width=2048, inner=8192):
    """Products with weights too large for caches: `weight` adds a product with [inner, columns] weights to a model.

    All weights differ: ONNX Runtime keeps equal ones once."""
    model, value, size = OnnxModel(17).input("x", [rows, width]), "x", width
    for i in range(count):
        columns = inner if size == width else width
        name = "y" if i + 1 == count else f"x{i}"
        weight(model, value, name, size, columns)
        value, size = name, columns
    return model.output("y", [rows, size]).bytes()


def _seed(name):
    return zlib.crc32(name.encode())


def float_weight(form):
    """FLOAT32 weights: any, halves or bfloat16 numbers."""
    def add(model, x, y, inner, columns):
        values = _random([columns, inner], _seed(y)).T.copy()
        if form == "half":
            values = values.astype(numpy.float16).astype(numpy.float32)
        elif form == "bfloat16":
            values = (values.view(numpy.uint32) & 0xffff0000).view(numpy.float32)
        model.constant(f"w_{y}", values).node("MatMul", [x, f"w_{y}"], [y])
    return add


def nbits_weight(bits, level, block=32):
    def add(model, x, y, inner, columns):
        blocks = inner // block
        values = numpy.random.default_rng(_seed(y)).integers(0, 256, [columns, blocks, block * bits // 8], numpy.uint8)
        scales = numpy.full(columns * blocks, 0.02 / math.sqrt(inner), numpy.float32)
        model.constant(f"w_{y}", values).constant(f"s_{y}", scales)
        model.node("MatMulNBits", [x, f"w_{y}", f"s_{y}"], [y], domain="com.microsoft", K=inner, N=columns, bits=bits, block_size=block,
                   accuracy_level=level)
    return add


def unary(op, shape, out=None, quantized=False, **attributes):
    operation = Operation(shape, out or shape, quantized)
    return operation.finish(op, [operation.x], **attributes)


def binary(op, shape, other, quantized=False):
    operation = Operation(shape, shape, quantized)
    if not quantized:
        operation.model.constant("b", _random(other))
        return operation.finish(op, [operation.x, "b"])
    operation.model.constant("b", numpy.arange(math.prod(other), dtype=numpy.uint8).reshape(other))
    operation.model.node("DequantizeLinear", ["b", *_quantize(operation.model, "b", 100)], ["b_real"])
    return operation.finish(op, [operation.x, "b_real"])


def layer_norm(rows, width):
    operation = Operation([rows, width], [rows, width])
    operation.model.constant("g", _random([width])).constant("o", _random([width], 1))
    return operation.finish("LayerNormalization", [operation.x, "g", "o"])


def gather(rows, width, count):
    operation = Operation([rows, width], [count, width])
    operation.model.constant("i", (numpy.arange(count) * 7919 % rows).astype(numpy.int64))
    return operation.finish("Gather", [operation.x, "i"])


def resize(channels, size, factor):
    operation = Operation([1, channels, size, size], [1, channels, size * factor, size * factor])
    operation.model.constant("s", numpy.array([1, 1, factor, factor], numpy.float32))
    return operation.finish("Resize", [operation.x, "", "s"])


def recurrent(op, steps, batch, width):
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[op]
    operation = Operation([steps, batch, width], [steps, 1, batch, width])
    inputs = [operation.x, operation.weight("w", [1, gates * width, width]), operation.weight("rr", [1, gates * width, width])]
    return operation.finish(op, inputs, hidden_size=width)


def _pixels(channels, kernel):
    """An image side for which a convolution takes about a millisecond at most."""
    return max(7, min(112, int(math.sqrt(2e7 / (channels * channels * kernel * kernel)))))


def _convolutions():
    for quantized in (False, True):
        kind = "int8" if quantized else "fp32"
        for channels, kernel, stride in itertools.product((1, 3, 8, 24, 64, 200, 512), (1, 3, 5, 7), (1, 2)):
            side, out = _pixels(channels, kernel), max(8, channels)
            yield (f"conv2d/{kind}/{kernel}x{kernel}_{channels}_{out}_{side}_s{stride}",
                   lambda a=(channels, out, [kernel] * 2, [side] * 2, stride), q=quantized: convolution(*a, quantized=q))
        for channels, kernel, stride in itertools.product((3, 8, 16, 24, 32, 64, 96, 144, 512), (3, 5, 7), (1, 2)):
            side = max(7, min(112, int(math.sqrt(1e6 / channels))))
            yield (f"depthwise/{kind}/{kernel}x{kernel}_{channels}_{side}_s{stride}",
                   lambda c=channels, k=kernel, n=side, s=stride, q=quantized: convolution(c, c, [k] * 2, [n] * 2, s, 1, c, q))
        for channels, group, dilation in ((16, 4, 1), (64, 8, 1), (128, 32, 1), (32, 1, 2), (64, 1, 4), (64, 64, 2)):
            yield (f"grouped/{kind}/3x3_{channels}_28_g{group}_d{dilation}",
                   lambda c=channels, g=group, d=dilation, q=quantized: convolution(c, c, [3] * 2, [28] * 2, 1, d, g, q))
    for channels, out, kernel in itertools.product((1, 16, 64, 256), (1, 16, 256), (1, 3, 9, 31)):
        yield f"conv1d/fp32/{kernel}_{channels}_{out}_400", lambda a=(channels, out, [kernel], [400]): convolution(*a)
    for channels, kernel in itertools.product((1, 8, 32), (1, 3)):
        yield f"conv3d/fp32/{kernel}_{channels}_16", lambda c=channels, k=kernel: convolution(c, max(8, c), [k] * 3, [16] * 3)
    for channels, out, kernel, stride in ((64, 32, 4, 2), (32, 1, 4, 2), (32, 3, 2, 2), (128, 64, 3, 2), (16, 16, 5, 3)):
        yield f"transposed/fp32/k{kernel}_{channels}_{out}_32_s{stride}", lambda a=(channels, out, kernel, 32, stride): transposed(*a)


def _products():
    for rows, inner, columns in itertools.product((1, 4, 16, 63, 128, 512), (33, 256, 768, 2048), (1, 100, 768, 3072)):
        if rows * inner * columns > 4e8:
            continue
        size = f"{rows}x{inner}x{columns}"
        yield f"product/fp32/{size}", lambda a=(rows, inner, columns): product(*a)
        yield f"product/int8/{size}", lambda a=(rows, inner, columns): product(*a, quantized=True)
        if columns != 1:
            yield f"product/dynamic/{size}", lambda a=(rows, inner, columns): dynamic_product(*a)


def _others():
    for shape in ([1, 1000], [12, 128, 128], [197, 197], [4096, 1000], [1, 64, 56, 56]):
        size = "x".join(map(str, shape))
        for op in ("Relu", "Sigmoid", "Tanh", "Exp", "Erf", "Sqrt", "Floor", "Round", "HardSwish", "Neg"):
            yield f"unary/{op}/{size}", lambda o=op, s=shape: unary(o, s)
        yield f"unary/int8_Sigmoid/{size}", lambda s=shape: unary("Sigmoid", s, quantized=True)
        yield f"norm/softmax/{size}", lambda s=shape: unary("Softmax", s, axis=-1)
        for op, quantized in itertools.product(("Add", "Mul", "Sub", "Div"), (False, True)):
            if quantized and op in ("Sub", "Div"):
                continue
            kind = "int8" if quantized else "fp32"
            for name, other in (("same", shape), ("scalar", [1]), ("last", shape[-1:]), ("first", [*shape[:-1], 1])):
                yield f"binary/{kind}_{op}_{name}/{size}", lambda a=(op, shape, other), q=quantized: binary(*a, quantized=q)
        for op in ("ReduceMean", "ReduceMax"):
            yield f"reduce/{op}_last/{size}", lambda o=op, s=shape: unary(o, s, [*s[:-1], 1], axes=[len(s) - 1])
            yield f"reduce/{op}_first/{size}", lambda o=op, s=shape: unary(o, s, [1, *s[1:]], axes=[0])
        order = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
        yield f"move/transpose/{size}", lambda s=shape, p=order: unary("Transpose", s, [s[i] for i in p], perm=p)
    for channels, side in ((3, 224), (64, 56), (512, 7)):
        for quantized in (False, True):
            kind, shape = "int8" if quantized else "fp32", [1, channels, side, side]
            for op in ("MaxPool", "AveragePool"):
                out = [1, channels, (side - 1) // 2 + 1, (side - 1) // 2 + 1]
                yield (f"pool/{kind}_{op}/3x3_{channels}_{side}_s2", lambda a=(op, shape, out), q=quantized: unary(
                    *a, quantized=q, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]))
            yield (f"pool/{kind}_global/{channels}_{side}",
                   lambda a=("GlobalAveragePool", shape, [1, channels, 1, 1]), q=quantized: unary(*a, quantized=q))
        yield f"resize/nearest/{channels}_{side}", lambda c=channels, n=side: resize(c, n, 2)
    for rows, width in ((1, 768), (128, 768), (197, 1023), (4096, 768)):
        yield f"norm/layer/{rows}x{width}", lambda r=rows, w=width: layer_norm(r, w)
    for count in (1, 128, 4096):
        yield f"gather/rows/30000x256_{count}", lambda n=count: gather(30000, 256, n)
    for op, (steps, batch, width) in itertools.product(("LSTM", "GRU", "RNN"), ((32, 1, 256), (32, 8, 256), (33, 1, 197), (10, 1, 32))):
        yield f"recurrent/{op}/{steps}x{batch}x{width}", lambda a=(op, steps, batch, width): recurrent(*a)


def _text():
    """Four products with 2048 x 8192 weights, as in decoders: one row per token, many rows for a prompt."""
    for rows in (1, 4, 64):
        for form in ("float", "half", "bfloat16"):
            yield f"text/{form}/{rows}", lambda r=rows, f=form: layers(r, float_weight(f))
        for bits, level in ((4, 0), (4, 4), (8, 0), (8, 4)):
            yield f"text/int{bits}_level{level}/{rows}", lambda r=rows, b=bits, n=level: layers(r, nbits_weight(b, n))


def cases():
    """(name, function that returns the model), in a fixed order."""
    yield from _convolutions()
    yield from _products()
    yield from _others()
    yield from _text()
