"""Golden cases at the edges of operators whose files hold the ordinary ones: special values, ties, wrapping, huge attributes."""

import dataclasses

import numpy as np
from case import Cases, Given, given

BY_HAND = "computed by hand"
HALF, SINGLE = np.float16, np.float32
NAN, INF = np.nan, np.inf
INT8, UINT8, INT64, UINT64, FLOAT16 = 2, 6, 5, 9, 10  # OH_NN_DataType
LINES = []


def add(operator, name, inputs, outputs, params=None, oracle=BY_HAND, **more):
    cases = Cases(operator, file="edges")
    cases.add(f"{operator.lower()}_{name}", oracle, inputs, outputs, params, **more)
    LINES.extend(cases.lines)


def constant(values, dtype=np.int32):
    return Given(np.array(values, dtype), constant=True)


def codes(values, scale, zero_point=0):
    return Given(np.int8(values), quant=(scale, zero_point))


# Element-wise arithmetic

least, most = -(2**31), 2**31 - 1
a, b = SINGLE([-2, -2, -2, 0, 0, NAN]), SINGLE([3, -2, 0.5, 2, -1, 0])
add("POW", "special", [a, b], [SINGLE([-8, 0.25, NAN, 0, INF, 1])], tol={"abs": 1e-5, "rel": 1e-5}, tags=["special"])
a, b = SINGLE([1, 1e30, NAN]), SINGLE([-2, -1e30, 0])
add("SQUARED_DIFFERENCE", "overflow", [a, b], [SINGLE([9, INF, NAN])], tags=["special", "fp32_range"])
add("SQUARED_DIFFERENCE", "wraps", [np.int32([least, 5]), np.int32([most, 2])], [np.int32([1, 9])])
wide = 2**60 + 1
a, b = np.int64([wide, -wide]), np.int64([wide - 1, -wide - 1])
add("MAXIMUM", "beyond_float64", [a, b], [a])
add("ABS", "int32_least", [np.int32([least, -7])], [np.int32([least, 7])])
for name, activation, y in (("relu", 1, [0, 5, 7]), ("relu6", 2, [0, 5, 6])):
    add("ADD", f"int32_{name}", [np.int32([-5, 3, 5]), np.int32([2])], [np.int32(y)],
        {"OH_NN_ADD_ACTIVATIONTYPE": np.int8([activation])})  # fmt: skip
add("ADD", "float16_rounds_once", [HALF([2048, 65504, 1]), HALF([1, 65504, 0.5])], [HALF([2048, INF, 1.5])], tags=["special"])
a, b = np.int32([16777217, -1]), np.int64([16777216, -2])
add("GREATER", "mixed_beyond_float32", [a, b], [np.array([True, True])])
add("RSQRT", "quantized_saturates", [codes([-4, 0, 16], 0.25)], [codes([127, 127, 2], 0.25)], tags=["quant"])
add("WHERE", "requantizes", [np.array([True, False]), codes([10, 10], 0.5), codes([10, 10], 1.0)], [codes([5, 10], 1.0)], tags=["quant"])

# Conversions

x = np.concatenate([[NAN, INF, -INF, 3e9, -3e9, -0.99, 255.99, 256], np.arange(-1200, 1200) / 4]).astype(SINGLE)
for dtype, number in ((np.uint8, UINT8), (np.int8, INT8)):
    limits = np.iinfo(dtype)
    y = np.trunc(np.clip(np.nan_to_num(x, nan=0), limits.min, limits.max)).astype(dtype)
    add("CAST", f"many_to_{dtype.__name__}", [x, constant([number])], [y], oracle="numpy", tags=["fp32_range"])
for name, x, number, y in (
    ("float64_to_int8", np.float64([-128.9, 127.9, 300]), INT8, np.int8([-128, 127, 127])),
    ("int32_to_float16", np.int32([2049, 2051, 70000, -5]), FLOAT16, HALF([2048, 2052, INF, -5])),
    ("float64_to_float16", np.float64([1 + 2**-11 + 2**-40, 1e300]), FLOAT16, HALF([1 + 2**-10, INF])),
    ("int8_to_uint64", np.int8([-1, 5]), UINT64, np.uint64([2**64 - 1, 5])),
):  # fmt: skip
    add("CAST", name, [x, constant([number])], [y], tags=["special", "fp32_range"])
add("CAST", "int64_same", [np.int64([wide]), constant([INT64])], [np.int64([wide])])

# Norms and reductions

mean, variance = constant([10000, 1], SINGLE), constant([0.25, 4], SINGLE)
x, terms = SINGLE([[[10000.5, 10001], [3, 5]]]), [constant([1, 2], SINGLE), constant([0, 1], SINGLE), mean, variance]
epsilon = {"OH_NN_BATCH_NORM_EPSILON": SINGLE([0])}
for layout, y in (("NCHW", [[1, 2], [3, 5]]), ("NHWC", [[1, 10001], [-19994, 5]])):
    add("BATCH_NORM", f"large_mean_{layout.lower()}", [Given(x[..., None] if layout == "NCHW" else x[:, None], format=layout), *terms],
        [Given(SINGLE([y])[..., None] if layout == "NCHW" else SINGLE([y])[:, None], format=layout)], epsilon,
        tol={"abs": 1e-5, "rel": 1e-5}, tags=["fp32_range"])  # fmt: skip
x, one, none = SINGLE([[[[3, 3]]]]), constant([1], SINGLE), constant([0], SINGLE)
add("INSTANCE_NORM", "constant_without_epsilon", [x, one, none], [np.full_like(x, NAN)], {"OH_NN_INSTANCE_NORM_EPSILON": SINGLE([0])},
    tags=["special"])  # fmt: skip
add("LOG_SOFTMAX", "nothing_finite", [SINGLE([[-INF, -INF]])], [SINGLE([[NAN, NAN]])], tags=["special"])
add("SOFTMAX", "large_float16", [HALF([[60000, 60000]])], [HALF([[0.5, 0.5]])], tol={"abs": 1e-3, "rel": 0})
add("LRN", "huge_radius", [SINGLE([[[[2, 0, 4]]]])], [SINGLE([[[[2 / 12, 0, 4 / 12]]]])],
    {"OH_NN_LRN_DEPTH_RADIUS": np.int64([10**15]), "OH_NN_LRN_ALPHA": SINGLE([0.5]), "OH_NN_LRN_BIAS": SINGLE([2]),
     "OH_NN_LRN_BETA": SINGLE([1])}, tol={"abs": 1e-6, "rel": 1e-5})  # fmt: skip
for operator, name, x, y in (("SUM", "opposite_infinities", [INF, 1, -INF], NAN), ("MEAN", "infinity", [INF, 1, 2], INF)):
    add(f"REDUCE_{operator}", name, [SINGLE(x), constant([0])], [SINGLE([y])], tags=["special"])
ones = np.ones(4099, HALF)
add("REDUCE_SUM", "float16_rounds_once", [ones, constant([0])], [HALF([4100])], oracle="4099, rounded to even")
add("MATMUL", "float16_rounds_once", [ones[None], ones[:, None]], [HALF([[4100]])], oracle="4099, rounded to even")

# Indices

x, indices = codes([1, 2], 0.5, -9), np.int32([1, 7])
add("GATHER", "quantized_out_of_range", [x, indices, constant([0])], [codes([2, -9], 0.5, -9)], tags=["quant"])
add("SCATTER_ND_UPDATE", "float16_sum_rounds_once", [HALF([2048, 1]), np.int32([[0], [0], [0]]), HALF([1, 1, 1])], [HALF([2052, 1])],
    {"OH_NN_SCATTER_ND_UPDATE_REDUCTION": np.int8([1])}, oracle="2051, rounded to even")  # fmt: skip

# Fill values and regions

high, low, pads = np.int64([2**63 - 1]), np.int64([-(2**63)]), constant([[1, 1]])
for name, x, fill, y in (
    ("int32_truncates", np.int32([5]), -7.9, [-7, 5, -7]), ("int64_saturates", np.int64([5]), -1e20, [low[0], 5, low[0]]),
    ("bool_fraction", np.array([False]), 0.25, [True, False, True]), ("int32_nan", np.int32([5]), NAN, [0, 5, 0]),
):  # fmt: skip
    add("PAD", name, [x, pads], [np.array(y, x.dtype)], {"OH_NN_PAD_CONSTANT_VALUE": SINGLE([fill])}, tags=["special"])
# The fill is rounded to codes of the input, then to those of the result.
for name, fill, code in [("quantized_saturating", 1e9, 127), ("quantized_twice", 1.2, 4), ("quantized_tie", -2.5, -12)]:
    add("PAD", name, [codes([5], 1), pads], [codes([code, 20, code], 0.25)] if fill < 1e6 else [codes([code, 5, code], 1)],
        {"OH_NN_PAD_CONSTANT_VALUE": SINGLE([fill])}, tags=["quant"])  # fmt: skip
add("PAD", "quantized_zero", [codes([5], 0.5, -5), pads], [codes([-5, 5, -5], 0.5, -5)], tags=["quant"])
x = np.arange(72, dtype=SINGLE).reshape(2, 1, 3, 1, 2, 1, 2, 3)
add("TRANSPOSE", "rank_eight", [x, constant(range(7, -1, -1))], [np.ascontiguousarray(x.T)], oracle="numpy")
x = SINGLE([1, 2, 3, 4, 5])
for name, begin, end, y in (("backward", high, low, 5), ("forward", low, high, 1)):
    bounds = [Given(array, constant=True) for array in (begin, end, end)]
    add("STRIDED_SLICE", f"extreme_{name}", [x, *bounds], [SINGLE([y])])
scalar = np.array(7, SINGLE)
add("CONCAT", "scalars", [scalar, SINGLE([8]), np.array(9, SINGLE)], [SINGLE([7, 8, 9])])
add("UNSTACK", "to_scalar", [SINGLE([7, 8])], [scalar, SINGLE([8])])

# Windows and sampling

huge = 2**31 - 1
apart = {f"OH_NN_{{}}_{key}": np.int64(value) for key, value in {"KERNEL_SIZE": [2], "DILATION": [3], "PAD": [1, 2]}.items()}
for operator, name, x, y in (
    ("MAX_POOL_ND", "", SINGLE([[[7]]]), SINGLE([[[-INF]]])), ("AVG_POOL_ND", "", SINGLE([[[7]]]), SINGLE([[[0]]])),
    ("MAX_POOL_ND", "_quantized", codes([[[7]]], 0.5, 3), codes([[[-128]]], 0.5, 3)),
):  # fmt: skip
    x, y = (dataclasses.replace(given(v), format="NCHW") for v in (x, y))
    add(operator, f"padding_alone{name}", [x], [y], {key.format(operator): value for key, value in apart.items()}, tags=["special"])
add("CONV3D", "huge_padding", [Given(np.ones((1, 4, 1, 1, 1), SINGLE), format="NCHW"), constant(np.full((1, 2, 2, 1, 4), 0.5), SINGLE), none],
    [Given(SINGLE([2]).reshape(1, 1, 1, 1, 1), format="NCHW")],
    {"OH_NN_CONV3D_DILATION": np.int64([huge, huge, 1]), "OH_NN_CONV3D_PAD": np.int64([0, huge, 0, huge, 0, 0])})  # fmt: skip
linear = {"OH_NN_RESIZE_MODE": np.int8([1]), "OH_NN_RESIZE_COORDINATE_MODE": np.int8([3])}
add("RESIZE", "keeps_infinity", [SINGLE([1, INF, 2]), constant([5])], [SINGLE([1, INF, INF, INF, 2])], linear, tags=["special"])
x = SINGLE([[1, NAN], [INF, 2]])
add("RESIZE", "copies_what_keeps_its_size", [x, constant([2, 2])], [x], {"OH_NN_RESIZE_MODE": np.int8([2])}, tags=["special"])
regions = SINGLE([[-INF, 0, INF, 1], [0, 0, 3e38, 3e38], [NAN] * 4])
add("ROI_ALIGN", "regions_without_end", [Given(SINGLE([[[[1], [2]], [[3], [4]]]]), format="NHWC"), regions, np.int32([0, 0, 0])],
    [Given(np.zeros((3, 1, 1, 1), SINGLE), format="NHWC")],
    {"OH_NN_ROI_ALIGN_NEW_HEIGHT": np.int64([1]), "OH_NN_ROI_ALIGN_NEW_WIDTH": np.int64([1])}, tags=["special", "fp32_range"])  # fmt: skip

union = Cases(None, file="edges")
union.lines = LINES
union.write()
