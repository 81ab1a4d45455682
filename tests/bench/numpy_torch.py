"""The part of PyTorch used by bench/peers/onnx_torch.py, implemented with NumPy: slow, float32, on the CPU."""
import math
import types

import numpy

float32, float16, channels_last = numpy.float32, numpy.float16, "channels_last"


class Tensor(numpy.ndarray):
    """An array with the used methods of torch.Tensor."""

    def to(self, device=None, dtype=None, memory_format=None):
        return self.astype(dtype or self.dtype)

    def contiguous(self):
        return numpy.ascontiguousarray(self).view(Tensor)


def tensor(array):
    return numpy.asarray(array, numpy.float32).view(Tensor)


matmul, relu, tanh = numpy.matmul, lambda x: numpy.maximum(x, 0), numpy.tanh
reshape, permute = (lambda x, shape: x.reshape(tuple(shape))), (lambda x, order: x.transpose(tuple(order)))
squeeze, unsqueeze = numpy.squeeze, numpy.expand_dims


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def cat(parts, axis):
    return numpy.concatenate(parts, axis).view(Tensor)


def split(x, size, axis):
    return numpy.split(x, x.shape[axis] // size, axis)


def narrow(x, axis, begin, length):
    return numpy.take(x, range(begin, begin + length), axis)


def windows(x, kernel, strides):
    seen = numpy.lib.stride_tricks.sliding_window_view(x, tuple(kernel), (2, 3))
    return seen[:, :, ::strides[0], ::strides[1]]


def pad(x, ends, value=0.0):
    left, right, top, bottom = ends
    return numpy.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=value).view(Tensor)


def around(x, padding, value=0.0):
    return pad(x, [padding[1], padding[1], padding[0], padding[0]], value)


def conv2d(x, weight, bias, strides, padding, dilation, groups):
    parts = []
    for inputs, weights in zip(numpy.split(around(x, padding), groups, 1), numpy.split(weight, groups, 0)):
        seen = windows(inputs, weights.shape[2:], strides)
        parts.append(numpy.einsum("bcyxij,ocij->boyx", seen, weights))
    return tensor(numpy.concatenate(parts, 1) + bias.reshape(1, -1, 1, 1))


def max_pool2d(x, kernel, strides, padding):
    return windows(around(x, padding, -math.inf), kernel, strides).max((4, 5))


def avg_pool2d(x, kernel, strides):
    return windows(x, kernel, strides).mean((4, 5))


def adaptive_avg_pool2d(x, size):
    return x.mean((2, 3), keepdims=True)


def softmax(x, axis):
    raised = numpy.exp(x - x.max(axis, keepdims=True))
    return raised / raised.sum(axis, keepdims=True)


def layer_norm(x, shape, gamma, beta, epsilon):
    centered = x - x.mean(-1, keepdims=True)
    return centered / numpy.sqrt((centered ** 2).mean(-1, keepdims=True) + epsilon) * gamma + beta


def batch_norm(x, mean, variance, gamma, beta, training, momentum, epsilon):
    def shaped(values):
        return values.reshape(1, -1, 1, 1)
    return (x - shaped(mean)) / numpy.sqrt(shaped(variance) + epsilon) * shaped(gamma) + shaped(beta)


def gelu(x):
    return tensor(0.5 * x * (1 + numpy.vectorize(math.erf)(x / math.sqrt(2))))


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.swapaxes(-1, -2) / math.sqrt(query.shape[-1])
    return softmax(scores if attn_mask is None else scores + attn_mask, -1) @ value


class LSTM:
    def __init__(self, width, hidden):
        self.hidden = hidden

    def to(self, device=None, dtype=None):
        return self

    def eval(self):
        return self

    def requires_grad_(self, wanted):
        return self

    def load_state_dict(self, state):
        self.state = state

    def __call__(self, x):
        hidden = cell = numpy.zeros((x.shape[1], self.hidden), numpy.float32)
        rows, of = [], self.state
        for step in x:
            gates = step @ of["weight_ih_l0"].T + hidden @ of["weight_hh_l0"].T + of["bias_ih_l0"] + of["bias_hh_l0"]
            taken, kept, made, shown = numpy.split(gates, 4, 1)
            cell = sigmoid(kept) * cell + sigmoid(taken) * numpy.tanh(made)
            hidden = sigmoid(shown) * numpy.tanh(cell)
            rows.append(hidden)
        return tensor(numpy.stack(rows)), None


functional = types.SimpleNamespace(
    pad=pad, conv2d=conv2d, max_pool2d=max_pool2d, avg_pool2d=avg_pool2d, adaptive_avg_pool2d=adaptive_avg_pool2d, softmax=softmax,
    layer_norm=layer_norm, batch_norm=batch_norm, gelu=gelu, scaled_dot_product_attention=scaled_dot_product_attention,
    linear=lambda x, weight, bias: x @ weight.T + bias, silu=lambda x: x * sigmoid(x),
    hardtanh=lambda x, low, high: numpy.clip(x, low, high), hardsigmoid=lambda x: numpy.clip(x / 6 + 0.5, 0, 1),
    hardswish=lambda x: x * numpy.clip(x / 6 + 0.5, 0, 1))
nn = types.SimpleNamespace(functional=functional, LSTM=LSTM)
