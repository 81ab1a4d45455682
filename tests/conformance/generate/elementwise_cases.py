"""Golden cases of SIGN, ROUND_HALF_EVEN, BITWISE_NOT, BITWISE_AND, BITWISE_OR, BITWISE_XOR and BIT_SHIFT."""

import numpy as np
from case import Cases, Given

INTEGERS = (np.int8, np.uint8, np.int16, np.int32, np.int64)


def numbers(dtype, count, seed):
    """Numbers over the full range, including both ends, -1, 0 and 1."""
    limits = np.iinfo(dtype)
    drawn = np.random.default_rng(seed).integers(limits.min, limits.max, count - 5, dtype, endpoint=True)
    ends = np.array([limits.min, limits.max, 0, 1, 1 if limits.min == 0 else -1], dtype)
    return np.concatenate([ends, drawn])


def add_rejects(cases, dtypes):
    operands = 1 if cases.operator in ("SIGN", "BITWISE_NOT", "ROUND_HALF_EVEN") else 2
    for name, dtype in dtypes:
        x = [np.zeros(3, dtype)] * operands
        cases.add(f"reject_{name}", "none", x, x[:1], expect="reject", tags=["reject"])
    x = [Given(np.zeros(3, np.int8), quant=(0.5, 1))] * operands
    cases.add("reject_quantized", "none", x, x[:1], expect="reject", tags=["reject", "quant"])


def sign():
    cases = Cases("SIGN")
    special = [np.inf, -np.inf, 0.0, 1e-3, -1e-3, 2.5, -65504.0, 1.0, -1.0]
    for dtype in (np.float16, np.float32, np.float64):
        x = np.array(special, dtype)
        cases.add(f"special_{dtype.__name__}", "numpy.sign", [x], [np.sign(x)], tags=["special"])
        x = np.array([[np.nan, 1.0, np.nan], [-2.0, 0.0, -np.nan]], dtype)
        cases.add(f"nan_{dtype.__name__}", "numpy.sign", [x], [np.sign(x)], tags=["special"])
    x = np.array([1e-300, -1e-300, 1e300], np.float64)
    cases.add("tiny_float64", "numpy.sign", [x], [np.sign(x)], tags=["fp32_range"])
    x = np.array([1e-30, -1e-30, 1e30], np.float32)
    cases.add("tiny_float32", "numpy.sign", [x], [np.sign(x)], tags=["fp32_range"])
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        x = numbers(dtype, 21, 1).reshape(3, 7)
        cases.add(dtype.__name__, "numpy.sign", [x], [np.sign(x)])
    x = np.random.default_rng(2).normal(size=(2, 3, 5)).astype(np.float32)
    cases.add("dynamic", "numpy.sign", [Given(x, shape=[-1, 3, -1])], [Given(np.sign(x), shape=[-1, 3, -1])],
              tags=["dynamic"])  # fmt: skip
    cases.add("scalar", "numpy.sign", [np.array([-3.5], np.float32)], [np.array([-1], np.float32)])
    add_rejects(cases, [("uint8", np.uint8), ("bool", np.bool_)])
    cases.write()


def round_half_even():
    cases = Cases("ROUND_HALF_EVEN")
    oracle = "numpy.rint"
    special = [0.49999997, -0.50000006, np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-20, 65504.0]
    for dtype in (np.float16, np.float32, np.float64):
        x = np.concatenate([np.arange(-13, 14) / 2, np.array(special)]).astype(dtype).reshape(4, 9)
        cases.add(f"ties_{dtype.__name__}", oracle, [x], [np.rint(x)], tags=["special"])
    big = [4194303.5, 4194304.5, 8388607.5, 8388608.0, 16777217.0, 1e30]
    x = np.array([big, np.negative(big)], np.float32)
    cases.add("large_float32", oracle, [x], [np.rint(x)], tags=["fp32_range"])
    big = [2.0**51 + 0.5, 2.0**51 + 1.5, 2.0**52 - 0.5, 2.0**52 + 1, 1 - 2.0**-53, 0.5 + 2.0**-53, 2.5 - 2.0**-51, 1e300]
    x = np.array([big, np.negative(big)], np.float64)
    cases.add("large_float64", oracle, [x], [np.rint(x)], tags=["fp32_range"])
    x = (np.random.default_rng(3).integers(-40, 41, (2, 3, 5, 7)) / 4).astype(np.float32)
    cases.add("rank4", oracle, [x], [np.rint(x)])
    cases.add("dynamic", oracle, [Given(x, shape=[-1, 3, -1, 7])], [Given(np.rint(x), shape=[-1, 3, -1, 7])],
              tags=["dynamic"])  # fmt: skip
    add_rejects(cases, [("int32", np.int32), ("bool", np.bool_)])
    cases.write()


def bitwise_not():
    cases = Cases("BITWISE_NOT")
    for dtype in INTEGERS:
        x = numbers(dtype, 35, 3).reshape(5, 7)
        cases.add(dtype.__name__, "numpy.invert", [x], [np.invert(x)])
    x = numbers(np.int32, 24, 4).reshape(2, 3, 4)
    cases.add("dynamic", "numpy.invert", [Given(x, shape=[2, -1, 4])], [Given(np.invert(x), shape=[2, -1, 4])],
              tags=["dynamic"])  # fmt: skip
    cases.add("one_byte", "numpy.invert", [np.array([200], np.uint8)], [np.array([55], np.uint8)])
    add_rejects(cases, [("float32", np.float32), ("bool", np.bool_)])
    cases.write()


def bitwise(operator, function):
    cases = Cases(operator)
    oracle = f"numpy.{function.__name__}"
    for dtype in INTEGERS:
        a, b = numbers(dtype, 33, 5).reshape(3, 11), numbers(dtype, 33, 6)[::-1].reshape(3, 11)
        cases.add(dtype.__name__, oracle, [a, b], [function(a, b)])
    a, b = numbers(np.int32, 12, 7).reshape(3, 1, 4), numbers(np.int32, 6, 8).reshape(6, 1)
    cases.add("broadcast_both", oracle, [a, b], [function(a, b)])
    a = numbers(np.uint8, 40, 9).reshape(5, 8)
    mask = np.array([0x0F], np.uint8)
    cases.add("constant_mask", oracle, [a, Given(mask, constant=True)], [function(a, mask)])
    a, b = numbers(np.int8, 16, 10), numbers(np.int32, 16, 11)
    cases.add("promoted_int8_int32", oracle, [a, b], [function(a.astype(np.int32), b)])
    a, b = numbers(np.uint8, 16, 12), numbers(np.int16, 16, 13)
    cases.add("promoted_uint8_int16", oracle, [a, b], [function(a.astype(np.int16), b)])
    a, b = numbers(np.int64, 24, 14).reshape(2, 3, 4), numbers(np.int64, 8, 15)[:4]
    cases.add("dynamic", oracle, [Given(a, shape=[-1, 3, 4]), b], [Given(function(a, b), shape=[-1, 3, 4])],
              tags=["dynamic"])  # fmt: skip
    add_rejects(cases, [("float16", np.float16), ("bool", np.bool_)])
    cases.add("reject_shapes", "none", [np.zeros(3, np.int32), np.zeros(4, np.int32)], [np.zeros(3, np.int32)],
              expect="reject", tags=["reject"])  # fmt: skip
    cases.write()


def shifted(x, by, right):
    """With Python's unbounded integers: left shifts modulo 2^bits, right shifts rounded down."""
    bits = x.dtype.itemsize * 8
    x, by = np.broadcast_arrays(x, by)

    def one(value, amount):
        value, amount = int(value), int(amount)
        if right:
            return value // 2**amount if 0 <= amount < bits else (-1 if value < 0 else 0)
        result = value * 2**amount % 2**bits if 0 <= amount < bits else 0
        return result - 2**bits if result >= 2 ** (bits - 1) and x.dtype.kind == "i" else result

    return np.array([one(v, b) for v, b in zip(x.ravel(), by.ravel())], x.dtype).reshape(x.shape)


def bit_shift():
    cases = Cases("BIT_SHIFT")
    oracle = "integers of Python"
    for right in (False, True):
        name = "right" if right else "left"
        params = {"OH_NN_BIT_SHIFT_DIRECTION": np.int8([right])}
        for dtype in INTEGERS:
            bits = np.dtype(dtype).itemsize * 8
            amounts = [0, 1, 2, bits // 2 - 1, bits // 2, bits // 2 + 1, bits - 2, bits - 1, bits, bits + 1, 100]
            if np.dtype(dtype).kind == "i":
                amounts += [-1, np.iinfo(dtype).min]
            amounts = np.array(amounts, dtype)
            x = numbers(dtype, 9, 16).reshape(9, 1)
            cases.add(f"{name}_{np.dtype(dtype).name}", oracle, [x, amounts], [shifted(x, amounts, right)],
                      params=params)  # fmt: skip
    x = numbers(np.int32, 20, 17).reshape(4, 5)
    by = np.array([3], np.int32)
    cases.add("default_is_left", oracle, [x, Given(by, constant=True)], [shifted(x, by, False)])
    right = {"OH_NN_BIT_SHIFT_DIRECTION": np.int8([1])}
    x, by = numbers(np.int16, 12, 18).reshape(3, 4), np.arange(12, dtype=np.uint8).reshape(3, 4)
    cases.add("promoted", oracle, [x, by], [shifted(x, by.astype(np.int16), True)], params=right)
    x, by = np.array([-128, 127, 5], np.int8), np.array([2**33, 3, 1], np.int64)
    cases.add("promoted_amount", oracle, [x, by], [shifted(x.astype(np.int64), by, True)], params=right)
    x = numbers(np.int32, 24, 19).reshape(2, 3, 4)
    by = np.array([1, 2, 31, 40], np.int32)
    cases.add("dynamic", oracle, [Given(x, shape=[-1, 3, -1]), by], [Given(shifted(x, by, True), shape=[-1, 3, -1])],
              params=right, tags=["dynamic"])  # fmt: skip
    add_rejects(cases, [("float32", np.float32), ("bool", np.bool_)])
    x = np.zeros(3, np.int32)
    cases.add("reject_direction", "none", [x, x], [x], params={"OH_NN_BIT_SHIFT_DIRECTION": np.int8([2])},
              expect="reject", tags=["reject"])  # fmt: skip
    cases.write()


sign()
round_half_even()
bitwise_not()
bitwise("BITWISE_AND", np.bitwise_and)
bitwise("BITWISE_OR", np.bitwise_or)
bitwise("BITWISE_XOR", np.bitwise_xor)
bit_shift()
