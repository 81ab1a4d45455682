"""Golden cases of AVG_POOL_ND and MAX_POOL_ND, computed with slices of padded data in float64."""

import functools
import itertools

import numpy as np
from case import Cases, Given, eighths, quantize

rng = np.random.default_rng(2)
floats = functools.partial(eighths, rng)


def out_size(n, k, s, d, before, after, ceil):
    reach = (k - 1) * d + 1
    out, rest = divmod(n + before + after - reach, s)
    out += 1
    if ceil and rest:
        out += 1
    if ceil and (out - 1) * s >= n + before:
        out -= 1
    return out


def pool(x, k, s, d, pads, ceil, count, mean):
    """x is [N, C, ...]."""
    axes = len(k)
    sizes = [out_size(x.shape[2 + i], k[i], s[i], d[i], pads[2 * i], pads[2 * i + 1], ceil) for i in range(axes)]
    y = np.zeros(x.shape[:2] + tuple(sizes))
    for at in itertools.product(*map(range, sizes)):
        values, counted = [], 0
        for tap in itertools.product(*map(range, k)):
            cell = [at[i] * s[i] - pads[2 * i] + tap[i] * d[i] for i in range(axes)]
            if all(0 <= cell[i] < x.shape[2 + i] for i in range(axes)):
                values.append(x[(slice(None), slice(None), *cell)].astype(np.float64))
            counted += all(cell[i] < x.shape[2 + i] + pads[2 * i + 1] for i in range(axes))
        where = (slice(None), slice(None), *at)
        if mean:
            y[where] = sum(values) / (counted if count else len(values))
        else:
            y[where] = np.max(values, axis=0)
    return y


TOL = {"abs": 1e-5, "rel": 1e-5}
HALF = {"abs": 2e-3, "rel": 2e-3}

for operator, mean in (("AVG_POOL_ND", True), ("MAX_POOL_ND", False)):
    cases = Cases(operator)
    prefix = f"OH_NN_{operator}_"
    oracle = "loops in float64"

    def add(name, x, k, s=None, d=None, pads=None, ceil=False, count=False, nhwc=False, quant=None, out_quant=None,
            shape=None, out_shape=None, explicit=True):  # fmt: skip
        axes = len(k)
        params = {prefix + "KERNEL_SIZE": np.int64(k)}
        if s: params[prefix + "STRIDE"] = np.int64(s)
        if pads: params[prefix + "PAD"] = np.int64(pads)
        if d: params[prefix + "DILATION"] = np.int64(d)
        if ceil: params[prefix + "ROUND_MODE"] = np.int8([1])
        if count: params[prefix + "COUNT_PADDING"] = np.array([True])
        real = x.astype(np.float64)
        if quant: real = (real - quant[1]) * quant[0]
        y = pool(real, k, s or [1] * axes, d or [1] * axes, pads or [0] * (2 * axes), ceil, count, mean)
        y = quantize(y, *(out_quant or quant)) if quant else y.astype(x.dtype)
        if nhwc:
            order = [0, *range(2, 2 + axes), 1]
            x, y = x.transpose(order), y.transpose(order)
        fmt = "NHWC" if nhwc else "NCHW"
        tol = {"abs": 1, "rel": 0} if quant else HALF if x.dtype == np.float16 else TOL
        cases.add(name, oracle, [Given(x, format=fmt, quant=quant, shape=shape)],
                  [Given(y, format=fmt, quant=out_quant or quant, shape=out_shape)], params, tol)  # fmt: skip

    add("rank3", floats(2, 3, 7), [3], [2], pads=[1, 1])
    add("rank3_nhwc", floats(1, 4, 6), [2], nhwc=True)
    add("rank4_dilation", floats(1, 2, 7, 6), [2, 3], [1, 2], [2, 2], [1, 0, 1, 1])
    add("rank4_nhwc", floats(2, 8, 5, 6), [3, 2], [2, 1], pads=[1, 1, 0, 1], nhwc=True)
    add("rank5", floats(1, 2, 4, 5, 6), [2, 3, 2], [2, 1, 2])
    add("rank5_padded", floats(2, 3, 3, 4, 5), [3, 2, 3], [2, 2, 2], pads=[1, 1, 0, 1, 2, 1])
    add("rank5_nhwc", floats(1, 4, 3, 4, 4), [2, 2, 3], [1, 2, 1], pads=[1, 0, 1, 0, 1, 1], nhwc=True)
    add("rank5_nhwc_odd", floats(1, 3, 3, 4, 4), [2, 2, 3], [1, 2, 1], nhwc=True)
    add("rank5_dilation", floats(1, 1, 5, 6, 7), [2, 2, 3], None, [2, 3, 2], [1, 0, 0, 1, 1, 1])
    add("ceil", floats(1, 2, 6, 7), [3, 2], [2, 2], pads=[1, 0, 0, 1], ceil=True)
    add("ceil_last_in_padding", floats(1, 1, 2, 2), [3, 3], [3, 3], pads=[1, 1, 1, 1], ceil=True)
    add("rank5_ceil", floats(1, 2, 4, 4, 5), [2, 3, 2], [3, 2, 3], ceil=True)
    add("whole", floats(1, 3, 3, 4, 2), [3, 4, 2])
    add("one", floats(1, 1, 1, 1, 1), [1, 1, 1])
    add("open", floats(2, 3, 5, 6), [2, 2], [2, 2], shape=[-1, 3, -1, -1], out_shape=[-1, 3, -1, -1])
    add("float16", floats(1, 2, 3, 4, 5).astype(np.float16), [2, 2, 2], [1, 2, 2], pads=[1, 0, 0, 0, 0, 1])
    int8_values = rng.integers(-128, 128, (1, 3, 4, 5, 4)).astype(np.int8)
    add("quantized", int8_values, [2, 2, 2], [2, 2, 1], pads=[0, 1, 1, 0, 1, 1], quant=(0.05, 7))
    add("quantized_rescaled", int8_values, [3, 2, 2], [1, 2, 2], quant=(0.05, 7), out_quant=(0.08, -11))
    add("quantized_nhwc", int8_values, [2, 3, 2], [1, 1, 2], nhwc=True, quant=(0.05, -3))
    if mean:
        add("count_padding", floats(1, 2, 4, 5), [3, 3], [2, 2], pads=[1, 1, 1, 1], count=True)
        add("count_padding_ceil", floats(1, 2, 5, 6), [3, 3], [2, 3], pads=[1, 1, 0, 2], count=True, ceil=True)
        add("rank5_count_padding", floats(1, 2, 3, 4, 4), [2, 3, 3], [2, 2, 2], pads=[1, 0, 1, 1, 1, 1], count=True)
        add("count_padding_dilation", floats(1, 2, 6, 7), [3, 2], [2, 2], [2, 3], [1, 2, 2, 0], count=True)
    x = floats(1, 1, 4, 4)
    y = floats(1, 1, 3, 3)
    size = {prefix + "KERNEL_SIZE": np.int64([2, 2])}
    cases.add("reject_rank", oracle, [floats(4, 4)], [floats(3, 3)], size, expect="reject")
    cases.add("reject_kernel_count", oracle, [floats(1, 1, 2, 4, 4)], [floats(1, 1, 1, 3, 3)], size, expect="reject")
    cases.add("reject_no_kernel", oracle, [x], [y], {}, expect="reject")
    cases.add("reject_padding", oracle, [x], [y], {**size, prefix + "PAD": np.int64([2, 0, 0, 0])}, expect="reject")
    cases.add("reject_stride", oracle, [x], [y], {**size, prefix + "STRIDE": np.int64([0, 1])}, expect="reject")
    cases.add("reject_large_kernel", oracle, [x], [y], {prefix + "KERNEL_SIZE": np.int64([5, 1])}, expect="reject")
    cases.write()
