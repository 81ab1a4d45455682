"""Composes a network operator by operator as an ONNX model: each one replaces the value on top of the stack.

As exporters write them: opset 20, images in NCHW, batch norms folded into convolutions, activations as nodes. Quantized operators stand
between DequantizeLinear and QuantizeLinear, with UINT8 activations, which most engines run fastest, and INT8 weights. Weights are random and
keep the root mean square of the activations."""
import dataclasses
import math
import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests/python"))
from onnx_writer import OnnxModel  # noqa: E402

REACH = 6  # ranges of quantized values, in root mean squares
FUSED = ("Relu", "Clip")  # activations that are applied before a result is quantized


@dataclasses.dataclass(frozen=True)
class Scale:
    """Tests use small networks: the same structure, fewer pixels and channels."""
    side: int = 224    # of the image; sequences always have full length
    divisor: int = 1   # of all channel counts
    classes: int = 1000
    batch: int = 1     # images, or ViT sequences; ignored by other networks


SMALL = Scale(64, 8, 10)


@dataclasses.dataclass(frozen=True)
class Value:
    name: str
    shape: tuple        # as in the file
    image: bool = False
    rms: float = 1.0    # expected, with the random weights
    coding: tuple = ()  # scale and zero point of a quantized value


class Stack:
    def __init__(self, shape, scale=Scale(), int8=False, image=True, codes="uint8", dtype="float32", half_weights=False):
        """`shape` is that of the input; not an `image`, it has channels last even with rank 4. `codes`: the dtype of quantized activations."""
        self.model, self.scale, self.int8, self.dtype, self.half_weights = OnnxModel(20), scale, int8, dtype, half_weights
        self.outputs, self.random, self.flattened, self.operations, self.count = [], numpy.random.default_rng(1), None, 0, 0
        self.image, self.codes = image, numpy.dtype(codes)
        self.top = self.add_input(shape, codes if int8 else dtype)
        if int8:
            self.top = dataclasses.replace(self.top, coding=self.coding_of(1, False))

    # Values

    def fresh(self, what):
        self.count += 1
        return f"{what}_{self.count}"

    def add_input(self, shape, dtype=None):
        """The top is unchanged."""
        made = Value(self.fresh("t"), tuple(shape), self.image and len(shape) == 4)
        self.model.input(made.name, made.shape, dtype or self.dtype)
        return made

    @property
    def shape(self):
        return self.top.shape

    @property
    def axis(self):
        return 1 if self.top.image else len(self.shape) - 1

    @property
    def width(self):
        """The number of channels."""
        return self.shape[self.axis]

    def channels(self, full):
        """Scaled, a multiple of 4."""
        return full if self.scale.divisor == 1 else max(8, full // self.scale.divisor // 4 * 4)

    def constant(self, array, name="c"):
        name = self.fresh(name)
        self.model.constant(name, array)
        return name

    def floats(self, values, name="c"):
        values = numpy.asarray(values, numpy.float32)
        if self.half_weights:
            values = values.astype(numpy.float16).astype(numpy.float32)
        return self.constant(values.astype(self.dtype), name)

    def integers(self, values):
        return self.constant(numpy.asarray(values, numpy.int64), "i")

    def draw(self, shape, reach=1.0):
        """Uniform in [-reach, reach)."""
        values = self.random.random(shape, numpy.float32)
        values *= 2 * reach
        values -= reach
        return values

    def uniform(self, shape, reach, name="w"):
        return self.floats(self.draw(shape, reach), name)

    def node(self, op, inputs, shape, **attributes):
        """The top becomes the result; it is as much an image as before."""
        made = dataclasses.replace(self.top, name=self.fresh("t"), shape=tuple(shape), coding=())
        self.model.node(op, inputs, [made.name], **attributes)
        self.top = made
        return made

    def unary(self, op, **attributes):
        attributes = {"HardSigmoid": {"alpha": 1 / 6, "beta": 0.5}}.get(op, {}) | attributes
        return self.node(op, [self.top.name], self.shape, **attributes)

    def finish(self):
        for value in [self.top, *self.outputs]:
            self.model.output(value.name, value.shape, self.codes if value.coding else self.dtype)
        return self.model

    # Quantization

    def coding_nodes(self, scale, zero, dtype=None):
        return self.constant(numpy.asarray(scale, numpy.float32), "scale"), self.constant(numpy.asarray(zero, dtype or self.codes), "zero")

    def read(self, value=None):
        """The name of a value as a float."""
        value = value or self.top
        if not value.coding:
            return value.name
        name = self.fresh("t")
        self.model.node("DequantizeLinear", [value.name, *self.coding_nodes(*value.coding)], [name])
        return name

    def coding_of(self, rms, positive):
        least = numpy.iinfo(self.codes).min
        return (REACH * rms / 255, least) if positive else (REACH * rms / 127, least + 128)

    def quantize(self, coding):
        self.node("QuantizeLinear", [self.top.name, *self.coding_nodes(*coding)], self.shape)
        self.top = dataclasses.replace(self.top, coding=coding)

    def keeping_codes(self, op, shape, inputs=(), **attributes):
        """A node that moves or selects elements."""
        coding = self.top.coding
        self.node(op, [self.read(), *inputs], shape, **attributes)
        if coding:
            self.quantize(coding)

    def quantized_weights(self, shape, reach, input_scale):
        """Names of weights and biases as floats: symmetric, with one scale per output."""
        codes = (self.draw(shape) * 127).astype(numpy.int8)
        scales = (reach / 127 * (1 + 0.2 * self.draw(shape[:1]))).astype(numpy.float32)
        biases = numpy.round(self.draw(shape[:1], 0.1) / (input_scale * scales)).astype(numpy.int32)
        names = []
        for numbers, units in ((codes, scales), (biases, scales * numpy.float32(input_scale))):
            names.append(self.fresh("t"))
            coding = self.coding_nodes(units, [0] * shape[0], numbers.dtype)
            self.model.node("DequantizeLinear", [self.constant(numbers, "w"), *coding], names[-1:], axis=0)
        return names

    # Operators with weights

    def linear(self, op, weights, shape, activation="", gain=1.0, **attributes):
        """Convolution or matrix product: `weights` is a shape that begins with the outputs. The variance doubles if an activation zeroes half
        of the values."""
        products = math.prod(weights[1:])
        reach = math.sqrt(3 * (2 if activation else 1) / products) * gain
        self.operations += 2 * math.prod(shape) * products
        rms = self.top.rms * gain
        if self.int8:
            x = self.read()
            inputs = [x, *self.quantized_weights(weights, reach, self.top.coding[0])]
        elif op == "MatMul":
            product = self.node(op, [self.top.name, self.floats(self.draw(weights, reach).T, "w")], shape)
            op, inputs = "Add", [product.name, self.uniform(weights[:1], 0.1, "b")]
        else:
            inputs = [self.top.name, self.uniform(weights, reach), self.uniform(weights[:1], 0.1, "b")]
        self.node(op, inputs, shape, **attributes)
        self.top = dataclasses.replace(self.top, rms=rms)
        self.activate(activation)
        if self.int8:
            self.quantize(self.coding_of(rms, activation in FUSED))

    def activate(self, activation):
        """An operator; Silu is a product with a Sigmoid."""
        if activation == "Silu":
            x = self.top.name
            self.node("Mul", [x, self.unary("Sigmoid").name], self.shape)
        elif activation == "Clip":
            self.node("Clip", [self.top.name, self.floats(0), self.floats(6)], self.shape)
        elif activation:
            self.unary(activation)

    def convolve(self, output, kernel=1, stride=1, activation="", padding=None, gain=1.0, exact=False, group=1):
        """`output` is unscaled unless `exact`. Less `gain` for residual branches, so that sums do not grow with depth."""
        output = output if exact else self.channels(output)
        padding = kernel // 2 if padding is None else padding
        batch, channels, *sides = self.shape
        sides = [(side + 2 * padding - kernel) // stride + 1 for side in sides]
        self.linear("Conv", (output, channels // group, kernel, kernel), (batch, output, *sides), activation, gain, kernel_shape=[kernel] * 2,
                    strides=[stride] * 2, pads=[padding] * 4, group=group)

    def convolve_depthwise(self, kernel, stride=1, activation=""):
        self.convolve(self.width, kernel, stride, activation, exact=True, group=self.width)

    def connect(self, outputs, activation=""):
        """[rows, inputs] to [rows, outputs]. A single row is a Gemm; more are MatMul and Add, as exporters write transformers."""
        rows, inputs = self.shape
        if rows > 1 and not self.int8 and self.top != self.flattened:
            self.linear("MatMul", (outputs, inputs), (rows, outputs), activation)
        else:
            self.linear("Gemm", (outputs, inputs), (rows, outputs), activation, transB=1)

    def batch_norm(self):
        """Its channels have a mean near 0 and a variance near 1."""
        ones, width = numpy.ones(self.width), self.shape[1:2]
        self.node("BatchNormalization", [self.top.name, self.floats(ones), self.uniform(width, 0.1), self.uniform(width, 0.1), self.floats(ones)],
                  self.shape, epsilon=1e-5)

    def layer_norm(self):
        self.node("LayerNormalization", [self.top.name, self.floats(numpy.ones(self.width)), self.uniform([self.width], 0.1)], self.shape,
                  axis=-1, epsilon=1e-5)

    def lstm(self, hidden):
        """One layer with a zero initial state: [steps, batch, width]."""
        steps, batch, width = self.shape
        reach, x = 1 / math.sqrt(hidden), self.top.name
        self.operations += 2 * steps * batch * 4 * hidden * (width + hidden)
        inputs = [x, self.uniform((1, 4 * hidden, width), reach), self.uniform((1, 4 * hidden, hidden), reach), self.uniform((1, 8 * hidden), reach)]
        self.node("LSTM", inputs, (steps, 1, batch, hidden), hidden_size=hidden)
        self.node("Squeeze", [self.top.name, self.integers([1])], (steps, batch, hidden))

    # Other operators

    def pool_max(self, kernel=3, stride=2, padding=0, ceil=False):
        """With `ceil`, the last window may extend past the end, which is padding at the end only."""
        batch, channels, *sides = self.shape
        pads = [padding] * 4
        for i, side in enumerate(sides):
            room = side + 2 * padding - kernel
            over = -room % stride if ceil else 0
            pads[2 + i] += over
            sides[i] = (room + over) // stride + 1
        self.keeping_codes("MaxPool", (batch, channels, *sides), kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=pads)

    def pool_globally(self):
        self.keeping_codes("GlobalAveragePool", (*self.shape[:2], 1, 1))

    def pool_average(self, kernel):
        """Windows do not overlap."""
        self.node("AveragePool", [self.top.name], (*self.shape[:2], *(side // kernel for side in self.shape[2:])), kernel_shape=[kernel] * 2,
                  strides=[kernel] * 2)

    def squeeze_and_excite(self, squeezed, activation, gate):
        """Multiplies channels by gates: the global means through two convolutions."""
        features = self.top
        self.pool_globally()
        self.convolve(squeezed, activation=activation, exact=True)
        self.convolve(features.shape[1], exact=True)
        gates = self.unary(gate)
        self.top = features
        self.multiply(gates)

    def add(self, other, activation=""):
        rms = math.hypot(self.top.rms, other.rms)
        self.node("Add", [self.read(), self.read(other)], self.shape)
        self.top = dataclasses.replace(self.top, rms=rms)
        self.activate(activation)
        if self.int8:
            self.quantize(self.coding_of(rms, bool(activation)))

    def add_constant(self, values):
        """Broadcast over the leading dimensions."""
        self.node("Add", [self.top.name, self.floats(values)], self.shape)

    def add_random(self, shape):
        self.add_constant(self.draw(shape, 0.1))

    def mask_future(self):
        """Causal: hides everything right of the diagonal of the last two dimensions."""
        self.add_constant(numpy.triu(numpy.full(self.shape[-2:], -1e4, numpy.float32), 1))

    def multiply(self, other):
        self.node("Mul", [self.top.name, other.name], self.shape)

    def rescale(self, factor):
        self.node("Mul", [self.top.name, self.floats([factor])], self.shape)

    def softmax(self):
        self.unary("Softmax", axis=-1)

    def matmul(self, right, transposed=False):
        """Matrices, batched over the leading dimensions."""
        left, inner = self.top, self.shape[-1]
        if transposed:
            self.top = right
            self.transpose([*range(len(right.shape) - 2), len(right.shape) - 1, len(right.shape) - 2])
            right = self.top
        self.top = left
        shape = (*self.shape[:-1], right.shape[-1])
        self.operations += 2 * math.prod(shape) * inner
        self.node("MatMul", [left.name, right.name], shape)

    def reshape(self, *shape):
        self.keeping_codes("Reshape", shape, [self.integers(shape)])

    def transpose(self, order):
        self.keeping_codes("Transpose", [self.shape[axis] for axis in order], perm=list(order))

    def as_rows(self, *shape):
        """The pixels of an image, channels last, in this shape."""
        self.top = dataclasses.replace(self.top, image=False)
        self.transpose([0, 2, 3, 1])
        self.reshape(*shape)

    def as_image(self, batch, height, width, channels):
        self.reshape(batch, height, width, channels)
        self.transpose([0, 3, 1, 2])
        self.top = dataclasses.replace(self.top, image=True)

    def flatten(self):
        """An image as rows."""
        self.top = dataclasses.replace(self.top, image=False)
        has_pixels = self.shape[2] * self.shape[3] > 1
        self.reshape(self.shape[0], math.prod(self.shape[1:]))
        if has_pixels:
            self.flattened = self.top

    def shuffle(self, groups):
        """The first channel of each group, then the second of each group, and so on."""
        shape, at, image = self.shape, self.axis, self.top.image
        self.top = dataclasses.replace(self.top, image=False)
        self.reshape(*shape[:at], groups, shape[at] // groups, *shape[at + 1:])
        order = [*range(len(shape) + 1)]
        order[at], order[at + 1] = at + 1, at
        self.transpose(order)
        self.reshape(*shape)
        self.top = dataclasses.replace(self.top, image=image)

    def with_channels(self, count, shape=None):
        shape = list(shape or self.shape)
        shape[self.axis] = count
        return tuple(shape)

    def split_channels(self, count):
        shape = self.with_channels(self.width // count)
        parts = [dataclasses.replace(self.top, name=self.fresh("t"), shape=shape) for _ in range(count)]
        self.model.node("Split", [self.top.name], [part.name for part in parts], axis=self.axis, num_outputs=count)
        return parts

    def concat_channels(self, *parts):
        """Quantized parts share a scale, since their root mean squares match."""
        names = [self.read(part) for part in parts]
        self.top = parts[0]
        shape = self.with_channels(sum(part.shape[self.axis] for part in parts))
        self.node("Concat", names, shape, axis=self.axis)
        if parts[0].coding:
            self.quantize(parts[0].coding)

    def prepend(self, values, axis):
        shape = list(self.shape)
        shape[axis] += values.shape[axis]
        self.node("Concat", [self.floats(values), self.top.name], shape, axis=axis)

    def append_to_state(self, axis, length):
        """Appends the top to a new network input of this length, and makes the result a network output too."""
        shape = list(self.shape)
        shape[axis] = length
        state = self.add_input(shape)
        shape[axis] += self.shape[axis]
        self.outputs.append(self.node("Concat", [state.name, self.top.name], shape, axis=axis))

    def take_first_row(self):
        """Of each batch."""
        shape = (self.shape[0], 1, self.shape[2])
        self.node("Slice", [self.top.name, *(self.integers([value]) for value in (0, 1, 1))], shape)

    def classify(self):
        """Class probabilities by a full connection."""
        if self.top.image:
            self.flatten()
        else:
            self.reshape(self.scale.batch, math.prod(self.shape) // self.scale.batch)
        self.connect(self.scale.classes)
        return self.probabilities()

    def probabilities(self):
        """Of quantized values too, in float."""
        if self.int8:
            self.node("Identity", [self.read()], self.shape)
            self.int8 = False
        self.softmax()
        return self.finish()
