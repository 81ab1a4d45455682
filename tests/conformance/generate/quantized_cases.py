"""Golden cases of quantized results with ties to even, and of INT32 sums of products, computed with exact integers."""

import numpy as np
from case import Cases, Given

rng = np.random.default_rng(30)
EVEN = {"OH_NN_QUANTIZED_TIES_TO_EVEN": np.array([True])}
DTYPE = {np.dtype(np.float16): 10, np.dtype(np.float32): 11, np.dtype(np.int8): 2, np.dtype(np.uint8): 6}


def rounded(steps, zero_point, dtype, even):
    """Steps are float32."""
    nearest = np.rint(steps) if even else np.sign(steps) * np.floor(np.abs(steps) + np.float32(0.5))
    limits = np.iinfo(dtype)
    return np.clip(nearest + zero_point, limits.min, limits.max).astype(dtype)


def cast(name, x, scale, zero_point, dtype, even):
    y = rounded(x.astype(np.float32) / np.float32(scale), zero_point, dtype, even)
    params = {"OH_NN_QUANT_DTYPE_CAST_SRC_T": np.int64([DTYPE[x.dtype]]),
              "OH_NN_QUANT_DTYPE_CAST_DST_T": np.int64([DTYPE[y.dtype]])} | (EVEN if even else {})  # fmt: skip
    casts.add(name, "numpy.rint of float32", [x], [Given(y, quant=(float(np.float32(scale)), zero_point))], params)


casts = Cases("QUANT_DTYPE_CAST", "quant_dtype_cast_ties")
tie_values = np.arange(-150, 150).astype(np.float32) / 2
for even in (True, False):
    way = "even" if even else "away"
    cast(f"{way}_int8", tie_values, 1, -3, np.int8, even)
    cast(f"{way}_uint8", tie_values, 1, 100, np.uint8, even)
    cast(f"{way}_float16", tie_values.astype(np.float16), 0.5, 2, np.int8, even)
    # Quotients that are ties only in FLOAT32.
    cast(f"{way}_near_ties", np.arange(-250, 250).astype(np.float32) * np.float32(0.05), 0.1, 0, np.int8, even)
    cast(f"{way}_odd_scale", rng.normal(0, 3, 400).astype(np.float32), 0.0371, 7, np.int8, even)
casts.write()

QUANT = {"a": (0.5, 3), "b": (0.25, -5), "y": (1.0, 1)}
a, b = (rng.integers(-128, 128, (5, 33)).astype(np.int8) for _ in range(2))
for operator, apply in (("ADD", np.add), ("SUB", np.subtract), ("MUL", np.multiply)):
    cases = Cases(operator, f"{operator.lower()}_ties")
    steps = apply(0.5 * (a.astype(np.float32) - 3), 0.25 * (b.astype(np.float32) + 5))
    for even in (True, False):
        y = rounded(steps, 1, np.int8, even)
        cases.add("even" if even else "away", "exact sums, numpy.rint", [Given(a, quant=QUANT["a"]), Given(b, quant=QUANT["b"])],
                  [Given(y, quant=QUANT["y"])], EVEN if even else {})  # fmt: skip
    cases.write()


def convolution(x, w, pad):
    """[N, H, W, C] by [O, h, w, C] as int64."""
    x = np.pad(x.astype(np.int64), ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    height, width = (x.shape[1 + d] - w.shape[1 + d] + 1 for d in range(2))
    taps = [x[:, u : u + height, v : v + width] @ w[:, u, v].astype(np.int64).T
            for u in range(w.shape[1]) for v in range(w.shape[2])]  # fmt: skip
    return sum(taps)


def bytes_of(*shape):
    return rng.integers(-128, 128, shape).astype(np.int8)


sums = Cases("CONV2D", "conv2d_sums")
for name, channels, filters, constant in (("unit", 8, 12, True), ("odd", 3, 5, True), ("run_time", 16, 8, False)):
    x, w, bias = bytes_of(2, 7, 6, channels), bytes_of(filters, 3, 3, channels), rng.integers(-9999, 9999, filters)
    total = convolution(x.astype(np.int64) - 9, w.astype(np.int64) + 17, 1) + bias
    operands = [Given(x, quant=(1.0, 9)), Given(w, constant, quant=(1.0, -17)), Given(bias.astype(np.int32), constant)]
    sums.add(name, "integers of numpy", operands, [total.astype(np.int32)], {"OH_NN_CONV2D_PAD": np.int64([1, 1, 1, 1])})
    if constant:
        # Scales 0.5 * 0.25 / 64: a multiple of 512 and its half are ties.
        steps = total.astype(np.float32) * np.float32(0.5 * 0.25 / 64)
        operands[0].quant, operands[1].quant = (0.5, 9), (0.25, -17)
        sums.add(f"{name}_to_even", "integers of numpy", operands, [Given(rounded(steps, 4, np.int8, True), quant=(64.0, 4))],
                 {"OH_NN_CONV2D_PAD": np.int64([1, 1, 1, 1])} | EVEN)  # fmt: skip
sums.write()

sums = Cases("MATMUL", "matmul_sums")
for name, left, right, transposed in (("batch", (2, 3, 20), (2, 20, 6), False), ("long", (9, 5000), (4, 5000), True)):
    x, w = bytes_of(*left), bytes_of(*right)
    y = (x.astype(np.int64) + 128) @ (np.swapaxes(w, -1, -2) if transposed else w).astype(np.int64)
    sums.add(name, "integers of numpy", [Given(x, quant=(1.0, -128)), Given(w, quant=(1.0, 0))], [y.astype(np.int32)],
             {"OH_NN_MATMUL_TRANSPOSE_B": np.array([transposed])})  # fmt: skip
sums.write()

sums = Cases("FULL_CONNECTION", "full_connection_sums")
for name, rows in (("one_row", 1), ("rows", 40)):
    x, w = bytes_of(rows, 64), bytes_of(16, 64)
    y = (x.astype(np.int64) - 100) @ w.T.astype(np.int64)
    sums.add(name, "integers of numpy", [Given(x, quant=(1.0, 100)), Given(w, True, quant=(1.0, 0))], [y.astype(np.int32)])
sums.write()
