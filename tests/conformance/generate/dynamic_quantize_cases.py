"""Golden cases of DYNAMIC_QUANTIZE."""

import numpy as np
from case import Cases, Given

cases = Cases("DYNAMIC_QUANTIZE")
ORACLE = "the formula in float32 of numpy"


def quantized(x):
    low, high = np.float32(min(0, x.min())), np.float32(max(0, x.max()))
    scale = np.float32(high - low) / np.float32(255)
    scale = np.float32(1) if scale == 0 else scale
    zero_point = np.rint(-low / scale) - 128
    codes = np.clip(np.rint(x / scale) + zero_point, -128, 127)
    return codes.astype(np.int8), scale, np.int32(zero_point)


def add(name, x, shape=None, tags=()):
    x = np.asarray(x, np.float32)
    codes, scale, zero_point = quantized(x)
    cases.add(name, ORACLE, [Given(x, shape=shape)], [Given(codes, shape=shape), scale, zero_point], tags=tags)


random = np.random.default_rng(1)
add("rank2", random.normal(size=(7, 11)))
add("rank4", random.normal(0.5, 2, (2, 3, 5, 7)))
add("positive", random.uniform(0.25, 3, 37))
add("negative", random.uniform(-3, -0.25, 37))
add("zeros", np.zeros((2, 5)))
add("one", [-0.75])
add("scalar", np.float32(2.5))
add("ties", np.arange(-127.5, 128, 0.5))  # the scale is 1
add("small", random.normal(0, 1e-30, 21), tags=["fp32_range"])
add("large", random.normal(0, 1e30, 21), tags=["fp32_range"])
add("long", random.normal(size=(3, 1201)))
add("dynamic", random.normal(size=(3, 5, 4)), [-1, 5, -1], tags=["dynamic"])
x, codes = np.zeros(3, np.float16), np.zeros(3, np.int8)
cases.add("reject_float16", "none", [x], [codes, np.float32(1), np.int32(0)], expect="reject", tags=["reject"])
x = np.zeros(3, np.float32)
cases.add("reject_uint8", "none", [x], [codes.astype(np.uint8), np.float32(1), np.int32(0)], expect="reject", tags=["reject"])
cases.write()
