"""Golden cases of operands that OpenHarmony's operators accept here beyond their tables: dtypes, ranks, extreme integers."""

import itertools
import math

import numpy as np
from case import Cases, Given

rng = np.random.default_rng(30)
FILES = {}


def cases_of(operator):
    return FILES.setdefault(operator, Cases(operator, file=f"{operator.lower()}_wider"))


INTEGERS = [np.int8, np.uint8, np.int16, np.int32, np.int64]
EXACT = "integers of Python"


def extremes(dtype, *shape):
    """Small numbers and the limits of the dtype."""
    limits = np.iinfo(dtype)
    x = rng.integers(max(limits.min, -9), 10, shape).astype(dtype)
    flat = x.reshape(-1)
    flat[:: max(1, flat.size // 3)] = [limits.min, limits.max, limits.min, limits.max][: len(flat[:: max(1, flat.size // 3)])]
    return x


def axes(*values):
    return Given(np.int32(values), constant=True)


# Reductions of INT64, which wrap around.

KEEP = {name: f"OH_NN_REDUCE_{name}_KEEP_DIMS" for name in ("SUM", "PROD", "MAX", "MIN", "MEAN")}
WRAPPED = {"SUM": np.sum, "PROD": np.prod, "MAX": np.max, "MIN": np.min}


def truncated_mean(x, axis):
    count = int(np.prod([x.shape[a] for a in axis]))
    sums = x.sum(axis)
    means = [int(s) // count if s >= 0 else -(-int(s) // count) for s in sums.reshape(-1)]
    return np.array(means, np.int64).reshape(sums.shape)


for name in KEEP:
    cases = cases_of(f"REDUCE_{name}")

    def reduce(case, x, *axis):
        y = truncated_mean(x, axis) if name == "MEAN" else WRAPPED[name](x, axis)
        cases.add(f"int64_{case}", EXACT, [x, axes(*axis)], [y])

    reduce("last", rng.integers(-(2**40), 2**40, (3, 5)), 1)
    reduce("first", rng.integers(-(2**40), 2**40, (7, 4)), 0)
    reduce("middle", rng.integers(-9, 10, (2, 6, 5)), 1)
    reduce("apart", rng.integers(-9, 10, (3, 2, 4)), 0, 2)
    reduce("extremes", extremes(np.int64, 4, 9), 1)
    reduce("long", rng.integers(-(2**62), 2**62, (2, 3000)), 1)
    reduce("long_columns", rng.integers(-(2**62), 2**62, (700, 3)), 0)
    reduce("above_2_53", np.int64([[2**53 + 1, 2**53 - 1], [-(2**60) - 1, 2**60 - 2]]), 1)
    kept = np.int64([[5, -6, 7]])
    y = {"SUM": 6, "PROD": -210, "MAX": 7, "MIN": -6, "MEAN": 2}[name]
    cases.add("int64_keep_dims", EXACT, [kept, axes(0, 1)], [np.int64([[y]])], {KEEP[name]: np.array([True])})

# ARG_MAX and TOP_K of every real dtype

cases = cases_of("ARG_MAX")
for dtype in INTEGERS:
    x = extremes(dtype, 3, 8)
    cases.add(np.dtype(dtype).name, EXACT, [x], [x.argmax(-1).astype(np.int64)])
x = np.float64([[1.0, 1.0 + 2.0**-40, -np.inf], [1e300, -1e300, 1e299]])
cases.add("float64", "numpy", [x], [x.argmax(-1).astype(np.int32)])
x = np.int64([[2**53, 2**53 + 1, 3, 2**53 + 1]])
cases.add("above_2_53", EXACT, [x], [np.int64([1])])
cases.add("several", EXACT, [x], [np.int64([[1, 3, 0]])], {"OH_NN_ARG_MAX_TOP_K": np.int64([3])})
cases.add("values", EXACT, [x], [np.int64([2**53 + 1])], {"OH_NN_ARG_MAX_OUT_MAX_VALUE": np.array([True])})

cases = cases_of("TOP_K")
for dtype in [*INTEGERS, np.float64]:
    x = rng.permutation(24).reshape(3, 8) * 2.0**-45 + 1.0 if dtype == np.float64 else extremes(dtype, 3, 8)
    order = np.argsort(-x.astype(object), axis=-1, kind="stable")[:, :4]
    values = np.take_along_axis(x, order, -1)
    k = Given(np.int32([4]), constant=True)
    cases.add(np.dtype(dtype).name, EXACT, [x, k], [values, order.astype(np.int64)])

# ONE_HOT of any dtype

cases = cases_of("ONE_HOT")
indices = np.int64([[0, 2, -1], [7, 1, 2]])
pairs = [(np.bool_, True, False), (np.int8, -7, 3), (np.uint8, 200, 1), (np.int16, -300, 5), (np.uint16, 60000, 2),
         (np.uint32, 2**32 - 1, 7), (np.int64, 2**41, -(2**40)), (np.uint64, 2**64 - 1, 5), (np.float64, 0.75, 1e300)]  # fmt: skip
for dtype, on, off in pairs:
    y = np.array([[[on if i == k else off for k in range(3)] for i in row] for row in indices.tolist()], dtype)
    inputs = [indices, Given(np.int32([3]), constant=True), np.array([on], dtype), np.array([off], dtype)]
    cases.add(np.dtype(dtype).name, EXACT, inputs, [y])
quantized = [Given(np.int8([v]), quant=(0.5, 1)) for v in (3, 1)]
y = Given(np.zeros((2, 3, 3), np.int8), quant=(0.5, 1))
cases.add("reject_quantized", EXACT, [indices, Given(np.int32([3]), constant=True), *quantized], [y], expect="reject")

# PAD of any dtype, with a constant

cases = cases_of("PAD")
paddings = Given(np.int32([[1, 0], [0, 2]]), constant=True)
for dtype, value in [(np.bool_, True), (np.int8, -128), (np.uint8, 255), (np.int16, -32768), (np.uint16, 65535),
                     (np.int32, 16777217), (np.uint32, 2**32 - 1), (np.int64, 2**62 + 1), (np.uint64, 2**64 - 1),
                     (np.float16, 0.5), (np.float64, 1 + 2.0**-40)]:  # fmt: skip
    x = rng.integers(0, 2, (2, 3)).astype(dtype)
    y = np.pad(x, [(1, 0), (0, 2)], constant_values=np.array(value, dtype))
    cases.add(np.dtype(dtype).name, "numpy.pad", [x, paddings], [y], {"OH_NN_PAD_CONSTANT_VALUE": np.array([value], np.float32 if dtype == np.bool_ else dtype)})
for dtype in (np.uint8, np.int16, np.uint64):
    x = rng.integers(0, 100, (2, 3)).astype(dtype)
    y = np.pad(x, [(1, 0), (0, 2)], constant_values=7)
    cases.add(f"{np.dtype(dtype).name}_of_float", "numpy.pad", [x, paddings], [y], {"OH_NN_PAD_CONSTANT_VALUE": np.float32([7])})
x = np.int64([[2**62 + 1, -(2**62) - 1, 3]])
y = np.pad(x, [(0, 0), (1, 2)], mode="reflect")
around = Given(np.int32([[0, 0], [1, 2]]), constant=True)
cases.add("reflect_int64", "numpy.pad", [x, around], [y], {"OH_NN_PAD_PADDING_MODE": np.int32([1])})

# POW of integers and of FLOAT64

cases = cases_of("POW")


def power(base, exponent, dtype):
    bits = np.iinfo(dtype).bits
    if exponent < 0:
        result = 1 if base == 1 else (-1) ** (exponent % 2) if base == -1 else 0
    else:
        result = pow(base, exponent, 2**bits)
    return np.array([result % 2**bits], np.uint64).astype(f"u{bits // 8}").astype(dtype)[0] if result >= 0 else dtype(result)


for dtype in INTEGERS:
    signed = np.iinfo(dtype).min < 0
    bases = [0, 1, 2, 3, 7, 10, 46, 101, np.iinfo(dtype).max] + ([-1, -2, -3, np.iinfo(dtype).min] if signed else [])
    exponents = [0, 1, 2, 3, 5, 13, 31, 64, 101] + ([-1, -2, -3] if signed else [])
    x, y = (np.array(v, dtype) for v in zip(*itertools.product(map(int, bases), exponents)))
    z = np.array([power(int(a), int(b), dtype) for a, b in zip(x, y)], dtype)
    cases.add(np.dtype(dtype).name, EXACT, [x, y], [z])
x, y = np.int64([100003, 3, -3]), np.int32([2, 39, 3])
cases.add("mixed", EXACT, [x, y], [x ** y])
x, y = np.float64([100003.0, 2.0, -np.inf, -np.inf, 4.0]), np.float64([3.0, 0.5, 0.5, -3.0, -0.5])
cases.add("float64", "numpy.power", [x, y], [np.power(x, y)], tol={"abs": 0, "rel": 1e-14})
x, y = np.float32([-np.inf, -np.inf, -np.inf, -np.inf, 0, 0, -1, -1, np.inf, 0.5, 2]), np.float32(
    [0.5, 3, -0.5, -3, -2, 0.5, np.inf, -np.inf, -1, np.inf, -np.inf])  # fmt: skip
z = np.float32([np.inf, -np.inf, 0, 0, np.inf, 0, 1, 1, 0, 0, 0])
cases.add("infinities", "C's pow", [x, y], [z])
cases.add("reject_scale", EXACT, [np.int32([1]), np.int32([2])], [np.int32([4])], {"OH_NN_POW_SCALE": np.float32([2])}, expect="reject")

# MOD: quotients that a float cannot hold, and operands at the limits

cases = cases_of("MOD")
x = np.float32([1e10, -1e10, 1e30, 3e38, 5.3, -5.3, 7, 1e-3, 16777216, 1e20, -1e20, 6, 1.5])
y = np.float32([3, 3, 7, 1e-30, 0.1, 0.1, np.inf, 1e20, 0.1, -3.7, 1e-5, 2, -0.5])
cases.add("float32", "numpy.fmod", [x, y], [np.fmod(x, y)], tags=["fp32_range"])
for dtype in INTEGERS:
    limits = np.iinfo(dtype)
    x, y = (np.array(v, dtype) for v in zip(*itertools.product(
        sorted({limits.min, limits.min // 2 + 1, limits.max, 5, 100}), sorted({limits.min, limits.max, 3, 100, 0} | ({-1} if limits.min else set())))))  # fmt: skip
    z = [0 if b == 0 else abs(int(a)) % abs(int(b)) * (-1 if a < 0 else 1) for a, b in zip(x.tolist(), y.tolist())]
    cases.add(np.dtype(dtype).name, EXACT, [x, y], [np.array(z, dtype)])

# LOGICAL_AND, LOGICAL_OR, LOGICAL_NOT of numbers

NUMBERS = [*INTEGERS, np.float16, np.float32, np.float64]
for operator, function in (("LOGICAL_AND", np.logical_and), ("LOGICAL_OR", np.logical_or)):
    cases = cases_of(operator)
    for dtype in NUMBERS:
        x, y = np.array([0, 0, 3, 5, 0, 1], dtype), np.array([0, 2, 0, 4, 0, 2], dtype)
        if np.dtype(dtype).kind == "f":
            x[4], y[4] = np.dtype(dtype).type(-0.0), np.nan
            x[5] = 0.25
        cases.add(np.dtype(dtype).name, "numpy", [x, y], [function(x != 0, y != 0)])
    x, y = np.float32([[0, 0.5, 2]]), np.array([[True], [False]])
    cases.add("mixed", "numpy", [x, y], [function(x != 0, y)])
    q = [Given(np.int8([1, 0]), quant=(0.5, 1))] * 2
    cases.add("reject_quantized", "numpy", q, [np.array([True, False])], expect="reject")
cases = cases_of("LOGICAL_NOT")
for dtype in NUMBERS:
    x = np.array([0, 1, 7, 0, 2], dtype)
    if np.dtype(dtype).kind == "f":
        x[1:4] = [0.25, np.nan, -0.0]
    cases.add(np.dtype(dtype).name, "numpy", [x], [x == 0])

# INSTANCE_NORM of ranks 3 to 5

cases = cases_of("INSTANCE_NORM")
for shape in ((2, 3, 10), (2, 3, 4, 5, 6), (1, 4, 1, 7, 2), (2, 5, 300)):
    x = rng.normal(3, 2, shape).astype(np.float32)
    scale, bias = rng.normal(size=(2, shape[1])).astype(np.float32)
    across, beside = tuple(range(2, len(shape))), (1, -1) + (1,) * (len(shape) - 2)
    wide = x.astype(np.float64)
    y = (wide - wide.mean(across, keepdims=True)) / np.sqrt(wide.var(across, keepdims=True) + np.float32(1e-5))
    y = (y * scale.reshape(beside) + bias.reshape(beside)).astype(np.float32)
    params, tol = {"OH_NN_INSTANCE_NORM_EPSILON": np.float32([1e-5])}, {"abs": 2e-5, "rel": 2e-5}
    name = "x".join(map(str, shape))
    cases.add(name, "float64", [Given(x, format="NCHW"), scale, bias], [Given(y, format="NCHW")], params, tol)
    x, y = np.moveaxis(x, 1, -1), np.moveaxis(y, 1, -1)
    cases.add(f"{name}_nhwc", "float64", [Given(x, format="NHWC"), scale, bias], [Given(y, format="NHWC")], params, tol)

# HSWISH of numbers whose product with 6 overflows

cases = cases_of("HSWISH")
x = np.float32([3e38, -3e38, 1e38, 3, 65504])
y = np.float32([3e38, 0, 1e38, 3, 65504])
cases.add("float32", EXACT, [x], [y], tol={"abs": 0, "rel": 1e-6}, tags=["fp32_range"])

# FLOAT64, and UINT64 where its order matters

x = np.float64([1 + 2.0**-40, -1e300, 0.5, 2.0**60 + 2**9])
y = np.float64([2.0**-40, 1e300, -3, 1])
for name, z in (("ADD", x + y), ("SUB", x - y), ("MUL", x * np.sign(y)), ("DIV", x / y)):
    cases = cases_of(name)
    cases.add("float64", "numpy", [x, np.sign(y) if name == "MUL" else y], [z], tol={"abs": 0, "rel": 1e-15})
for name, function in (("ABS", np.abs), ("EXP", np.exp), ("SQRT", np.sqrt), ("SQUARE", np.square)):
    cases = cases_of(name)
    x = np.float64([0, 1 + 2.0**-40, 300.5, 2.0**60 + 2**9 if name == "ABS" else 2, -0.25])
    x = np.abs(x) if name == "SQRT" else x
    cases.add("float64", "numpy", [x], [function(x)], tol={"abs": 0, "rel": 1e-15})
for name, function in [("SUM", np.sum), ("PROD", np.prod), ("MAX", np.max), ("MIN", np.min), ("MEAN", np.mean),
                       ("L2", lambda x, a: np.sqrt(np.square(x).sum(a)))]:  # fmt: skip
    cases = cases_of(f"REDUCE_{name}")
    x = rng.integers(1, 9, (3, 4, 2)) * 2.0**-45 + 1.0
    for case, axis in (("last", (2,)), ("first", (0,)), ("apart", (0, 2))):
        cases.add(f"float64_{case}", "numpy", [x, axes(*axis)], [function(x, axis)], tol={"abs": 0, "rel": 1e-15})
a, b = np.uint64([2**63 + 1, 5, 2**64 - 1, 2**63]), np.uint64([7, 2**63, 2**63 + 2, 2**63])
for name, function in (("MAXIMUM", np.maximum), ("MINIMUM", np.minimum), ("MOD", np.mod), ("BITWISE_AND", np.bitwise_and),
                       ("BITWISE_OR", np.bitwise_or), ("BITWISE_XOR", np.bitwise_xor)):  # fmt: skip
    cases = cases_of(name)
    cases.add("uint64", EXACT, [a, b], [function(a, b)])
    signed = np.int64([-1, 5, 7, 2])
    cases.add("uint64_and_int64", EXACT, [a, signed], [function(a, signed.astype(np.uint64))])
cases = cases_of("BIT_SHIFT")
by = np.uint64([1, 63, 60, 64])
cases.add("left", EXACT, [a, by], [np.uint64([(int(v) << int(s)) % 2**64 for v, s in zip(a, by)])])
right = np.uint64([int(v) >> int(s) for v, s in zip(a, by)])
cases.add("right", EXACT, [a, by], [right], {"OH_NN_BIT_SHIFT_DIRECTION": np.int8([1])})
cases = cases_of("BITWISE_NOT")
cases.add("uint64", EXACT, [a], [~a])

# UINT64 above INT64's largest, and division by 0

a, b = np.uint64([2**63 + 1, 5, 2**64 - 1, 2**63, 0, 9]), np.uint64([7, 2**63, 2**63 + 2, 2**63, 2**64 - 1, 0])
quotient = np.uint64([0 if d == 0 else n // d for n, d in zip(a.tolist(), b.tolist())])
for name, z in (("ADD", a + b), ("SUB", a - b), ("MUL", a * b), ("DIV", quotient), ("LESS", a < b),
                ("LESS_EQUAL", a <= b), ("GREATER", a > b), ("GREATER_EQUAL", a >= b), ("EQUAL", a == b),
                ("NOT_EQUAL", a != b), ("LOGICAL_AND", np.logical_and(a, b))):  # fmt: skip
    cases_of(name).add("uint64", EXACT, [a, b], [z])
base, exponent = np.uint64([3, 2**32 + 1, 10, 0]), np.uint64([40, 2, 19, 0])
power_of_64 = [pow(x, y, 2**64) for x, y in zip(base.tolist(), exponent.tolist())]
cases_of("POW").add("uint64", EXACT, [base, exponent], [np.uint64(power_of_64)])
for name, z in (("ABS", a), ("NEG", np.uint64(0) - a), ("SIGN", np.minimum(a, np.uint64(1))), ("LOGICAL_NOT", a == 0)):
    cases_of(name).add("uint64", EXACT, [a], [z])
x = np.uint64([[2**64 - 1, 2, 2**63, 7], [2**63 - 1, 2**63, 3, 2**64 - 2]])
for name, function in WRAPPED.items():
    cases_of(f"REDUCE_{name}").add("uint64", EXACT, [x, axes(1)], [function(x, 1)])
    cases_of(f"REDUCE_{name}").add("uint64_columns", EXACT, [x, axes(0)], [function(x, 0)])
mean = np.uint64([2**64 - 1, 2**62 + 1, 3, 2**62]).reshape(1, 4)
cases_of("REDUCE_MEAN").add("uint64", EXACT, [mean, axes(1)], [mean.sum(1) // np.uint64(4)])
cases_of("CUM_SUM").add("uint64", EXACT, [x], [np.cumsum(x, 0)])
cases_of("ARG_MAX").add("uint64", EXACT, [x], [x.argmax(-1)])
order = np.argsort(-x.astype(object), axis=-1, kind="stable")[:, :2]
cases_of("TOP_K").add("uint64", EXACT, [x, axes(2)], [np.take_along_axis(x, order, -1), order])

# Reductions of rank 8

x = rng.integers(-9, 10, (2, 1, 3, 2, 1, 2, 2, 3)).astype(np.float32)
for name, function in WRAPPED.items():
    cases = cases_of(f"REDUCE_{name}")
    for case, axis in (("some", (0, 2, 5)), ("every_other", (1, 3, 5, 7)), ("last", (7,))):
        cases.add(f"rank8_{case}", EXACT, [x, axes(*axis)], [function(x, axis)])

# RANGE between bounds that are inputs

cases = cases_of("RANGE")
for case, dtype, start, limit, delta in (
    ("int32", np.int32, 3, 20, 4), ("int64_descending", np.int64, 5, -6, -5), ("float32", np.float32, 0.5, 3, 0.25), ("float32_rounded", np.float32, 0.8, 6.2000003, 0.3), ("float64", np.float64, 1, 0, -0.1),
    ("float16", np.float16, -2, 2, 0.5), ("extremes", np.int64, -(2**63), 2**63 - 1, 2**62)):  # fmt: skip
    numbers = [np.array([v], dtype) for v in (start, limit, delta)]
    first, last, step = (n.tolist()[0] for n in numbers)
    count = max(-((first - last) // step), 0) if np.dtype(dtype).kind == "i" else max(math.ceil((last - first) / step), 0)
    y = np.array([first + i * step for i in range(int(count))]).astype(dtype)
    fed = [numbers[0], *numbers]
    cases.add(case, "start + i * delta", fed, [Given(y, shape=[-1])], tags=["runtime_shape"])
    if count:
        constants = [Given(n, constant=True) for n in numbers]
        cases.add(f"{case}_constant", "start + i * delta", [numbers[0], *constants], [y])
one = np.int64([1])
cases.add("reject_two_bounds", "none", [one, one, one], [Given(one, shape=[-1])], expect="reject")
cases.add("reject_delta", "none", [one, one, one, Given(np.int64([0]), constant=True)], [Given(one, shape=[-1])], expect="reject")

for file in FILES.values():
    file.write()
