"""Runs an ONNX file of models/model_files.py in PyTorch, one function per node. `torch` is a parameter, so that tests can pass a smaller
implementation."""
import math

import numpy
from onnx_patterns import attention, linear, silu, simplified


class Unsupported(Exception):
    pass


def symmetric(pads):
    """Torch pads both ends of a dimension equally; the rest is returned as (top, left, bottom, right) for F.pad."""
    top, left, bottom, right = pads
    return ([top, left], None) if (top, left) == (bottom, right) else ([0, 0], [left, right, top, bottom])


class Network:
    """Keeps weights on `device` in `dtype`, and images in channels_last."""

    def __init__(self, torch, model, device, dtype):
        self.torch, self.functional, self.model = torch, torch.nn.functional, model
        self.device, self.dtype = device, dtype
        fused = (linear, silu) + ((attention,) if hasattr(self.functional, "scaled_dot_product_attention") else ())
        self.nodes = simplified(model, fused)
        unknown = {node.kind for node in self.nodes if not hasattr(self, "node_" + node.kind.lower())}
        if unknown:
            raise Unsupported("PyTorch's interpreter does not know " + ", ".join(sorted(unknown)) + ".")
        self.constants = {name: self.placed(torch.tensor(constant)) for name, constant in model.constants.items()
                          if constant.dtype == numpy.float32}
        self.prepared = {}

    def placed(self, tensor):
        if len(tensor.shape) == 4:
            return tensor.to(device=self.device, dtype=self.dtype, memory_format=self.torch.channels_last)
        return tensor.to(device=self.device, dtype=self.dtype)

    def __call__(self, *inputs):
        values = dict(self.constants, **dict(zip(self.model.inputs, inputs)))
        for node in self.nodes:
            operands = [values.get(name) for name in node.inputs]
            result = getattr(self, "node_" + node.kind.lower())(node, *operands)
            for name, value in zip(node.outputs, result if isinstance(result, (tuple, list)) else [result]):
                values[name] = value
        return [values[name] for name in self.model.outputs]

    def integers(self, node, i):
        return self.model.constants[node.inputs[i]].tolist()

    def number(self, node, i):
        return float(self.constants[node.inputs[i]])

    def once(self, key, make):
        """Caches a value computed from constants."""
        if key not in self.prepared:
            self.prepared[key] = make()
        return self.prepared[key]

    def node_conv(self, node, x, weight, bias=None):
        padding, outside = symmetric(node.attributes["pads"])
        if outside:
            x = self.functional.pad(x, outside)
        return self.functional.conv2d(x, weight, bias, node.attributes["strides"], padding, 1, node.attributes["group"])

    def node_maxpool(self, node, x):
        padding, outside = symmetric(node.attributes["pads"])
        if outside:
            x = self.functional.pad(x, outside, value=-math.inf)
        return self.functional.max_pool2d(x, node.attributes["kernel_shape"], node.attributes["strides"], padding)

    def node_averagepool(self, node, x):
        return self.functional.avg_pool2d(x, node.attributes["kernel_shape"], node.attributes["strides"])

    def node_globalaveragepool(self, node, x):
        return self.functional.adaptive_avg_pool2d(x, 1)

    def node_gemm(self, node, x, weight, bias):
        return self.functional.linear(x, weight, bias)

    def node_linear(self, node, x, weight, bias):
        turned = self.once(node.outputs[0], lambda: self.torch.permute(weight, (1, 0)).contiguous())
        return self.functional.linear(x, turned, bias)

    def node_matmul(self, node, a, b):
        return self.torch.matmul(a, b)

    def node_attention(self, node, query, key, value, scale, mask=None):
        """Torch divides by the square root of the width, as the networks do."""
        width = query.shape[-1]
        factor = self.once(node.outputs[0], lambda: self.number(node, 3) * math.sqrt(width))
        query = query if abs(factor - 1) < 1e-3 else query * factor
        return self.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)

    def node_add(self, node, a, b):
        return a + b

    def node_mul(self, node, a, b):
        return a * b

    def node_identity(self, node, x):
        return x

    def node_relu(self, node, x):
        return self.torch.relu(x)

    def node_clip(self, node, x, low, high):
        low, high = self.once(node.outputs[0], lambda: (self.number(node, 1), self.number(node, 2)))
        return self.functional.hardtanh(x, low, high)

    def node_sigmoid(self, node, x):
        return self.torch.sigmoid(x)

    def node_tanh(self, node, x):
        return self.torch.tanh(x)

    def node_silu(self, node, x):
        return self.functional.silu(x)

    def node_hardsigmoid(self, node, x):
        return self.functional.hardsigmoid(x)

    def node_hardswish(self, node, x):
        return self.functional.hardswish(x)

    def node_gelu(self, node, x):
        return self.functional.gelu(x)

    def node_softmax(self, node, x):
        return self.functional.softmax(x, node.attributes["axis"])

    def node_layernormalization(self, node, x, gamma, beta):
        return self.functional.layer_norm(x, gamma.shape, gamma, beta, node.attributes["epsilon"])

    def node_batchnormalization(self, node, x, gamma, beta, mean, variance):
        return self.functional.batch_norm(x, mean, variance, gamma, beta, False, 0.0, node.attributes["epsilon"])

    def node_reshape(self, node, x, _):
        return self.torch.reshape(x, self.integers(node, 1))

    def node_transpose(self, node, x):
        """A view, as in PyTorch's own networks; copied if it is an output or the only node."""
        turned = self.torch.permute(x, node.attributes["perm"])
        return turned.contiguous() if node.outputs[0] in self.model.outputs else turned

    def node_concat(self, node, *parts):
        return self.torch.cat(parts, node.attributes["axis"])

    def node_split(self, node, x):
        axis = node.attributes["axis"]
        return self.torch.split(x, x.shape[axis] // node.attributes["num_outputs"], axis)

    def node_slice(self, node, x, *_):
        begin, end, axis = (self.integers(node, i)[0] for i in (1, 2, 3))
        return self.torch.narrow(x, axis, begin, end - begin)

    def node_squeeze(self, node, x, _):
        return self.torch.squeeze(x, self.integers(node, 1)[0])

    def node_lstm(self, node, x, weight, recurrent, bias):
        hidden = node.attributes["hidden_size"]
        run = self.once(node.outputs[0], lambda: self.make_lstm(hidden, weight[0], recurrent[0], bias[0]))
        return self.torch.unsqueeze(run(x)[0], 1)

    def make_lstm(self, hidden, weight, recurrent, bias):
        """Reorders gates: ONNX has input, output, forget, cell; torch has input, forget, cell, output."""
        def ordered(rows):
            gates = self.torch.split(rows, hidden, 0)
            return self.torch.cat([gates[0], gates[2], gates[3], gates[1]], 0)

        module = self.torch.nn.LSTM(weight.shape[1], hidden).to(device=self.device, dtype=self.dtype)
        names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        module.load_state_dict(dict(zip(names, map(ordered, (weight, recurrent, bias[:4 * hidden], bias[4 * hidden:])))))
        return module.eval().requires_grad_(False)
