"""Golden cases of CONV3D, computed with NumPy slices in float64."""

import functools
import itertools

import numpy as np
from case import Cases, Given, eighths, quantize

rng = np.random.default_rng(3)
floats = functools.partial(eighths, rng, reach=16)


def conv(x, w, b, s, d, pads, group):
    """x is [N, C, D, H, W] and w [out, D, H, W, in / group]."""
    x = np.pad(x, [(0, 0), (0, 0), *[(pads[2 * i], pads[2 * i + 1]) for i in range(3)]])
    k = w.shape[1:4]
    sizes = [(x.shape[2 + i] - (k[i] - 1) * d[i] - 1) // s[i] + 1 for i in range(3)]
    each_in, each_out = w.shape[4], w.shape[0] // group
    y = np.zeros((x.shape[0], w.shape[0], *sizes))
    for tap in itertools.product(*map(range, k)):
        part = x[(slice(None), slice(None), *[slice(tap[i] * d[i], tap[i] * d[i] + (sizes[i] - 1) * s[i] + 1, s[i]) for i in range(3)])]  # fmt: skip
        for g in range(group):
            outs = slice(g * each_out, (g + 1) * each_out)
            y[:, outs] += np.einsum("ncdhw,oc->nodhw", part[:, g * each_in : (g + 1) * each_in], w[(outs, *tap)])
    return y + b.reshape(1, -1, 1, 1, 1)


def activate(y, activation):
    return y if activation == 0 else np.maximum(y, 0) if activation == 1 else np.clip(y, 0, 6)


cases = Cases("CONV3D")
ORACLE = "sums in float64"
TOL = {"abs": 1e-4, "rel": 1e-5}
HALF = {"abs": 2e-2, "rel": 4e-3}


def parameters(s, d, pads, group, activation):
    params = {}
    if s: params["OH_NN_CONV3D_STRIDES"] = np.int64(s)
    if pads: params["OH_NN_CONV3D_PAD"] = np.int64(pads)
    if d: params["OH_NN_CONV3D_DILATION"] = np.int64(d)
    if group != 1: params["OH_NN_CONV3D_GROUP"] = np.int64([group])
    if activation: params["OH_NN_CONV3D_ACTIVATION_TYPE"] = np.int8([activation])
    return params


def add(name, x, w, s=None, d=None, pads=None, group=1, activation=0, nhwc=False, shape=None, out_shape=None,
        constant=True, dtype=np.float32):  # fmt: skip
    b = floats(w.shape[0])
    y = conv(x.astype(np.float64), w.astype(np.float64), b, s or [1] * 3, d or [1] * 3, pads or [0] * 6, group)
    y = activate(y, activation)
    if nhwc:
        x, y = x.transpose(0, 2, 3, 4, 1), y.transpose(0, 2, 3, 4, 1)
    fmt = "NHWC" if nhwc else "NCHW"
    x, w, b, y = (v.astype(dtype) for v in (x, w, b, y))
    cases.add(name, ORACLE, [Given(x, format=fmt, shape=shape), Given(w, constant=constant), Given(b, constant=constant)],
              [Given(y, format=fmt, shape=out_shape)], parameters(s, d, pads, group, activation),
              HALF if dtype == np.float16 else TOL)  # fmt: skip


def add_quantized(name, group=1, nhwc=False, per_channel=False, activation=0, kernel=(2, 2, 2), s=[1, 2, 1], pads=[1, 0, 1, 1, 0, 1]):
    x = rng.integers(-60, 60, (1, 4, 3, 4, 5)).astype(np.int8)
    w = rng.integers(-60, 60, (6, *kernel, 4 // group)).astype(np.int8)
    b = rng.integers(-500, 500, (6,)).astype(np.int32)
    sx, zx, sy, zy = 0.05, 4, 0.2, -9
    sw, zw = np.full(6, 0.02), np.zeros(6)
    if per_channel: sw = np.array([0.01, 0.02, 0.03, 0.015, 0.025, 0.04])
    real_w = (w - zw.reshape(-1, 1, 1, 1, 1)) * sw.reshape(-1, 1, 1, 1, 1)
    y = activate(conv((x.astype(np.float64) - zx) * sx, real_w, b * sx * sw, s, [1] * 3, pads, group), activation)
    y = quantize(y, sy, zy)
    if nhwc:
        x, y = x.transpose(0, 2, 3, 4, 1), y.transpose(0, 2, 3, 4, 1)
    fmt = "NHWC" if nhwc else "NCHW"
    cases.add(name, ORACLE, [Given(x, format=fmt, quant=(sx, zx)), Given(w, constant=True, quant=(0.02, 0)), Given(b, constant=True)],
              [Given(y, format=fmt, quant=(sy, zy))], parameters(s, None, pads, group, activation), {"abs": 1, "rel": 0})  # fmt: skip
    if per_channel:
        cases.lines[-1]["tensors"][1]["quant"] = {"scales": list(sw), "zero_points": [0] * 6, "bits": [8] * 6}


add("plain", floats(1, 2, 4, 5, 6), floats(3, 2, 3, 2, 2))
add("nhwc", floats(1, 2, 4, 5, 6), floats(3, 2, 3, 2, 2), nhwc=True)
add("nhwc_vec4", floats(2, 8, 3, 4, 4), floats(5, 2, 2, 3, 8), pads=[0, 1, 1, 0, 1, 1], nhwc=True)
add("strides", floats(2, 3, 5, 6, 7), floats(4, 3, 2, 3, 3), [2, 1, 3])
add("padding", floats(1, 3, 3, 4, 4), floats(2, 3, 3, 3, 3), pads=[1, 1, 2, 0, 0, 2])
add("dilation", floats(1, 2, 6, 7, 5), floats(3, 2, 3, 2, 2), d=[3, 2, 4], pads=[1, 0, 0, 0, 0, 1])
add("groups", floats(1, 6, 3, 4, 4), floats(9, 2, 2, 2, 2), group=3, pads=[0, 1, 0, 1, 0, 1])
add("groups_nhwc", floats(1, 8, 3, 4, 4), floats(6, 2, 2, 2, 4), group=2, s=[1, 2, 2], nhwc=True)
add("depthwise", floats(1, 5, 3, 3, 4), floats(5, 2, 3, 2, 1), group=5)
add("pointwise", floats(2, 4, 2, 3, 3), floats(7, 1, 1, 1, 4))
add("one_channel", floats(1, 1, 4, 4, 4), floats(3, 3, 3, 3, 1), pads=[1] * 6)
add("relu", floats(1, 2, 3, 4, 4), floats(3, 2, 2, 2, 2), activation=1)
add("relu6_nhwc", floats(1, 4, 3, 4, 4) * 2, floats(8, 2, 2, 2, 4), activation=2, nhwc=True)
add("fed_weights", floats(1, 2, 3, 4, 4), floats(3, 2, 2, 2, 2), constant=False)
add("open", floats(2, 2, 3, 4, 4), floats(3, 2, 2, 2, 2), shape=[-1, 2, -1, -1, -1], out_shape=[-1, 3, -1, -1, -1])
add("float16", floats(1, 3, 3, 4, 5), floats(4, 2, 2, 3, 3), dtype=np.float16)
add("float16_nhwc", floats(1, 4, 3, 4, 5), floats(4, 2, 2, 3, 4), nhwc=True, dtype=np.float16)
add_quantized("quantized")
add_quantized("quantized_nhwc", nhwc=True, activation=1)
add_quantized("quantized_groups", group=2)
add_quantized("quantized_per_channel", per_channel=True)
add_quantized("quantized_per_channel_nhwc", nhwc=True, per_channel=True)
x, w, b = floats(1, 2, 3, 3, 3), floats(2, 2, 2, 2, 2), floats(2)
y = floats(1, 2, 2, 2, 2)
nchw = lambda a: Given(a, format="NCHW")
cases.add("reject_channels", ORACLE, [nchw(x), floats(2, 2, 2, 2, 3), b], [nchw(y)], expect="reject")
cases.add("reject_rank", ORACLE, [nchw(floats(1, 2, 3, 3)), w, b], [nchw(floats(1, 2, 2, 2))], expect="reject")
cases.add("reject_weight_rank", ORACLE, [nchw(x), floats(2, 2, 2, 2), b], [nchw(y)], expect="reject")
cases.add("reject_bias", ORACLE, [nchw(x), w, floats(3)], [nchw(y)], expect="reject")
cases.add("reject_kernel", ORACLE, [nchw(x), floats(2, 4, 2, 2, 2), b], [nchw(y)], expect="reject")
cases.add("reject_group", ORACLE, [nchw(x), w, b], [nchw(y)], {"OH_NN_CONV3D_GROUP": np.int64([3])}, expect="reject")
# Kernels of length 1.
add("spatial", floats(2, 3, 3, 6, 5), floats(4, 1, 3, 2, 3), s=[1, 2, 1], d=[1, 1, 2], pads=[0, 0, 1, 0, 1, 2])
add("spatial_nhwc", floats(1, 4, 3, 4, 5), floats(6, 1, 2, 3, 2), group=2, pads=[0, 0, 0, 1, 1, 1], activation=1, nhwc=True)
add("spatial_stride", floats(1, 2, 5, 4, 4), floats(3, 1, 2, 2, 2), s=[2, 1, 1])
add("temporal", floats(2, 3, 6, 2, 3), floats(4, 3, 1, 1, 3), s=[2, 1, 1], pads=[1, 2, 0, 0, 0, 0], activation=2)
add("temporal_nhwc", floats(1, 4, 6, 3, 2), floats(5, 2, 1, 1, 4), d=[2, 1, 1], nhwc=True)
add("pointwise_float16", floats(1, 8, 2, 3, 3), floats(4, 1, 1, 1, 8), dtype=np.float16)
add_quantized("quantized_spatial", kernel=(1, 2, 2), pads=[0, 0, 0, 0, 1, 1])
add_quantized("quantized_temporal_nhwc", nhwc=True, per_channel=True, kernel=(2, 1, 1), s=[1, 1, 1], pads=[1, 1, 0, 0, 0, 0])
# Groups whose taps along depth are inputs of their own.
add("depthwise_strides", floats(2, 4, 5, 6, 7), floats(4, 3, 3, 3, 1), [2, 2, 1], [1, 1, 2], [1, 1, 1, 0, 0, 2], group=4, activation=2)
add("depthwise_multiplier", floats(1, 3, 4, 5, 4), floats(6, 2, 3, 2, 1), pads=[0, 1, 1, 1, 0, 0], group=3, activation=1, nhwc=True)
add("groups_strides", floats(1, 8, 5, 6, 5), floats(6, 3, 2, 2, 4), [1, 2, 2], pads=[1, 1, 0, 0, 1, 0], group=2, activation=1)
add("groups_of_ten", floats(1, 4, 3, 4, 4), floats(20, 2, 2, 2, 2), [2, 1, 1], pads=[1, 0, 0, 0, 0, 0], group=2)
add_quantized("quantized_groups_strides", group=2, s=[1, 2, 2])
for name, group in [("open_batch", 1), ("open_batch_groups", 2), ("open_batch_depthwise", 4)]:
    add(name, floats(2, 4, 5, 4, 4), floats(12, 2, 2, 2, 4 // group), [2, 1, 1], pads=[1, 0, 0, 0, 0, 0], group=group,
        shape=[-1, 4, 5, 4, 4], out_shape=[-1, 12, 3, 3, 3])  # fmt: skip
add("depthwise_depth_stride", floats(1, 3, 5, 4, 4), floats(3, 1, 3, 3, 1), [2, 1, 1], group=3, activation=1)
cases.write()
