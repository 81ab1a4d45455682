"""Golden cases of this runtime's parameters: saturating or shifting CAST, DIV rounding down, TOP_K preferring the last of
equal elements."""

import numpy as np
from case import Cases, Given

rng = np.random.default_rng(45)
NUMBERS = {name: i for i, name in enumerate(
    "unknown bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split())}  # fmt: skip

# CAST

cases = Cases("CAST", file="cast_saturate")
ORACLE = "integers of Python"
VALUES = [0, 1, -1, 2.5, -2.5, 127, 128, -128, -129, 255, 256, 300.75, -0.99, 32767, 32768, -40000, 65504]


def saturated(x, dtype):
    if dtype.kind == "f":
        return dtype.type(x)
    if dtype == bool:
        return bool(x != 0)
    limits = np.iinfo(dtype)
    if np.isnan(x):
        return dtype.type(0)
    if np.isinf(x):
        return dtype.type(limits.max if x > 0 else limits.min)
    return dtype.type(min(max(int(x), limits.min), limits.max))


def cast(name, x, dtype, saturate=True, source_shifted=False, target_shifted=False):
    numbers = x.astype(np.int16) + 128 if source_shifted else x
    wide = np.dtype(np.uint8) if target_shifted else np.dtype(dtype)
    with np.errstate(over="ignore"):
        if saturate:
            y = np.array([saturated(v, wide) for v in numbers.tolist()], wide)
        else:
            y = numbers.astype(np.int64).astype(wide)
    if target_shifted:
        y = (y ^ 128).view(np.int8)
    params = {}
    for given, word in [(saturate, "SATURATE"), (source_shifted, "SOURCE_SHIFTED"), (target_shifted, "TARGET_SHIFTED")]:
        if given: params[f"OH_NN_CAST_{word}"] = np.array([True])
    number = np.int32([NUMBERS[np.dtype(dtype).name]])
    cases.add(name, ORACLE, [x, Given(number, constant=True)], [y], params)


INTEGERS = [np.int8, np.uint8, np.int16, np.int32, np.int64]
WIDE = {np.int64: [2**40, -(2**40), 2**31, -(2**31) - 1, 2**63 - 1], np.int32: [2**31 - 1, -(2**31), 70000]}
for source in INTEGERS:
    limits = np.iinfo(source)
    numbers = [int(v) for v in VALUES + WIDE.get(source, []) if limits.min <= v <= limits.max]
    for target in INTEGERS:
        if source != target:
            cast(f"{np.dtype(source).name}_to_{np.dtype(target).name}", np.array(numbers, source), target)
for source in (np.float16, np.float32):
    numbers = np.array([*VALUES, np.nan, np.inf, -np.inf, *([3e9, -3e9, 1e30] if source == np.float32 else [])], source)
    for target in INTEGERS[:4]:
        cast(f"{np.dtype(source).name}_to_{np.dtype(target).name}", numbers, target)
    cast(f"{np.dtype(source).name}_to_shifted", numbers, np.int8, target_shifted=True)
int8_values = np.arange(-128, 128, 5).astype(np.int8)
for target in (np.float16, np.float32, np.int32, np.uint8, np.bool_):
    cast(f"shifted_to_{np.dtype(target).name}", int8_values, target, source_shifted=True)
cast("int32_to_shifted", np.int32([-5, 0, 1, 127, 128, 255, 256, 1000]), np.int8, target_shifted=True)
cast("int32_to_shifted_wrapped", np.int32([-5, 0, 1, 127, 128, 255, 256, 1000]), np.int8, saturate=False, target_shifted=True)
cast("shifted_to_int8", int8_values, np.int8, source_shifted=True)
cast("int8_to_shifted", int8_values, np.int8, target_shifted=True)
cast("shifted_to_shifted", int8_values, np.int8, source_shifted=True, target_shifted=True)
cast("same", np.int32([5, -7, 2**31 - 1]), np.int32)
for name, x, dtype, word in [("reject_source", np.int32([1]), np.int8, "SOURCE"), ("reject_target", np.int32([1]), np.uint8, "TARGET")]:
    cases.add(name, ORACLE, [x, Given(np.int32([NUMBERS[np.dtype(dtype).name]]), constant=True)], [x.astype(dtype)],
              {f"OH_NN_CAST_{word}_SHIFTED": np.array([True])}, expect="reject")  # fmt: skip
cases.write()

# DIV

cases = Cases("DIV", file="div_floor")


def divide(name, a, b, activation=None):
    wide = np.broadcast_shapes(a.shape, b.shape)
    p, q = np.broadcast_to(a, wide).astype(object), np.broadcast_to(b, wide).astype(object)
    if a.dtype.kind == "f":
        with np.errstate(divide="ignore", invalid="ignore"):
            y = a / b
    else:
        down = [x // z if z else 0 for x, z in zip(p.ravel(), q.ravel())]
        y = np.array([(v + 2 ** (8 * a.itemsize)) % 2 ** (8 * a.itemsize) for v in down], f"u{a.itemsize}").view(a.dtype).reshape(wide)
    params = {"OH_NN_DIV_ROUND_MODE": np.int8([1])}
    if activation is not None:
        params["OH_NN_DIV_ACTIVATIONTYPE"] = np.int8([activation])
        y = np.maximum(y, 0)
    cases.add(name, "// of Python", [a, b], [y], params, {"abs": 0, "rel": 1e-6})


a = np.array([7, -7, 7, -7, 6, -6, 0, 1, -1, 5, -8], np.int32)
b = np.array([2, 2, -2, -2, 3, 3, -4, 10, 10, 0, -1], np.int32)
for dtype in (np.int8, np.int32, np.int64):
    divide(np.dtype(dtype).name, a.astype(dtype), b.astype(dtype))
divide("uint8", np.array([7, 255, 0, 9], np.uint8), np.array([2, 10, 3, 0], np.uint8))
divide("limits", np.int32([-(2**31), -(2**31), 2**31 - 1, -(2**31)]), np.int32([-1, 1, -1, 2**31 - 1]))
divide("broadcast", rng.integers(-50, 50, (3, 1, 4)).astype(np.int32), np.int32([[-7], [3]]))
divide("float32", np.float32([7, -7, 1]), np.float32([2, 2, 3]))
divide("relu", a, b, activation=1)
cases.write()

# TOP_K

cases = Cases("TOP_K", file="top_k_last_first")


def top_k(name, x, k, axis=None, ascending=False, index=np.int32, quant=None):
    along = -1 if axis is None else axis
    flipped = np.flip(x, along).astype(np.float64)
    order = np.argsort(-flipped, axis=along, kind="stable")
    order = np.take(x.shape[along] - 1 - order, range(k), along)
    if ascending:
        lines = np.moveaxis(order, along, -1).reshape(-1, k)
        values = np.moveaxis(np.take_along_axis(x, order, along), along, -1).reshape(-1, k).astype(np.float64)
        lines = np.array([[i for _, i in sorted(zip(v, line), key=lambda p: (p[0], -p[1]))] for v, line in zip(values, lines)])
        moved = np.moveaxis(order, along, -1).shape
        order = np.moveaxis(lines.reshape(moved), -1, along)
    params = {"OH_NN_TOP_K_LAST_FIRST": np.array([True])}
    if axis is not None: params["OH_NN_TOP_K_AXIS"] = np.int64([axis])
    if ascending: params["OH_NN_TOP_K_SORTED"] = np.array([False])
    cases.add(name, "numpy.argsort of the line from its end", [Given(x, quant=quant), Given(index([k]), constant=True)],
              [Given(np.take_along_axis(x, order, along), quant=quant), order.astype(index)], params)  # fmt: skip


few = lambda *shape: rng.integers(-3, 3, shape)
top_k("float32", few(4, 9).astype(np.float32), 5)
top_k("float16", few(4, 9).astype(np.float16), 5)
top_k("int32", few(3, 12).astype(np.int32), 12)
top_k("quantized", few(3, 12).astype(np.int8), 4, quant=(0.5, 3))
top_k("axis", few(3, 8, 2).astype(np.float32), 3, axis=1)
top_k("ascending", few(3, 9).astype(np.float32), 6, ascending=True)
top_k("int64_indices", few(2, 9).astype(np.float32), 4, index=np.int64)
top_k("all_equal", np.ones((2, 300), np.float32), 20)
cases.write()
