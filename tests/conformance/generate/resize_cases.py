"""Golden cases of RESIZE: ONNX's Resize, computed dimension by dimension in float64, but coordinates of nearest
cells and products of sizes in float32."""

import functools
import math

import numpy as np
from case import Cases, Given, eighths, quantize

rng = np.random.default_rng(4)
floats = functools.partial(eighths, rng)
NEAREST, LINEAR, CUBIC = range(3)
HALF_PIXEL, PYTORCH, SYMMETRIC, CORNERS, ASYMMETRIC, REGION, HALF_PIXEL_OF_NEAREST = range(7)
ORACLE = "ONNX's definition in float64"
ORACLE_OF_NEAREST = "ONNX's definition; coordinates in float32"


def position(i, n, out, scale, coordinates, begin, end):
    """In the precision of the arguments."""
    one, half = type(n)(1), type(n)(0.5)
    last = n - one
    if coordinates == CORNERS:
        return 0.0 if out == 1 else i * last / (out - one)
    if coordinates == ASYMMETRIC:
        return i / scale
    if coordinates == REGION:
        return half * (begin + end) * last if out == 1 else begin * last + i * (end - begin) * last / (out - one)
    if coordinates == PYTORCH and out == 1:
        return 0.0
    if coordinates == HALF_PIXEL_OF_NEAREST:
        return (i + half) / scale
    middle = n * half * (one - out / (scale * n)) if coordinates == SYMMETRIC else type(n)(0)
    return middle + (i + half) / scale - half


def filter_weight(mode, distance, a):
    d = abs(distance)
    if mode == LINEAR:
        return max(0.0, 1 - d)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0


def row(i, n, out, scale, mode, coordinates, nearest, a, exclude, antialias, begin, end):
    """The weights of the n elements, or None outside the region's input."""
    real = np.float32 if mode == NEAREST or coordinates == REGION else np.float64
    x = float(position(real(i), real(n), real(out), real(scale), coordinates, real(begin), real(end)))
    if coordinates == REGION and not 0 <= x <= n - 1:
        return None
    weights = np.zeros(n)
    if mode == NEAREST:
        if abs(x - math.floor(x) - 0.5) < 1e-6:
            x = math.floor(x) + 0.5
        near = [math.ceil(x - 0.5), math.floor(x + 0.5), math.floor(x), math.ceil(x)][nearest]
        weights[min(max(near, 0), n - 1)] = 1
        return weights
    narrow = min(scale, 1) if antialias else 1
    reach = math.ceil((2 if mode == CUBIC else 1) / narrow) + 1
    total = 0
    for cell in range(math.floor(x) - reach, math.floor(x) + reach + 2):
        weight = filter_weight(mode, (cell - x) * narrow, a)
        if exclude and not 0 <= cell < n:
            continue
        weights[min(max(cell, 0), n - 1)] += weight
        total += weight
    return weights / total if exclude or antialias else weights


def resize(x, size, mode, coordinates, nearest, a, exclude, antialias, scales, region, outside):
    y, out_of_it = x.astype(np.float64), np.zeros(size, bool)
    for d, out in enumerate(size):
        n = x.shape[d]
        scale = out / n if scales is None else float(np.float32(scales[d]))
        begin, end = (0, 1) if region is None else (region[d], region[d + len(size)])
        rows = [row(i, n, out, scale, mode, coordinates, nearest, a, exclude, antialias, begin, end) for i in range(out)]
        for i, weights in enumerate(rows):
            if weights is None:
                out_of_it[(slice(None),) * d + (i,)] = True
        matrix = np.array([np.zeros(n) if weights is None else weights for weights in rows])
        y = np.moveaxis(np.tensordot(matrix, y, (1, d)), 0, d)
    return np.where(out_of_it, outside, y)


cases = Cases("RESIZE")
TOL = {"abs": 1e-5, "rel": 1e-5}
HALF = {"abs": 4e-3, "rel": 2e-3}


def add(name, x, size, mode=LINEAR, coordinates=HALF_PIXEL, nearest=0, a=None, exclude=False, antialias=False,
        scales=None, region=None, outside=None, quant=None, out_quant=None, constant=True, shape=None, out_shape=None,
        size_type=np.int64, sized=True):  # fmt: skip
    """Without `sized`, the size comes from the scales and is not an operand."""
    params = {}
    if not sized:
        size = [int(np.floor(np.float32(n) * np.float32(s))) for n, s in zip(x.shape, scales)]
    if mode: params["OH_NN_RESIZE_MODE"] = np.int8([mode])
    if coordinates: params["OH_NN_RESIZE_COORDINATE_MODE"] = np.int8([coordinates])
    if nearest: params["OH_NN_RESIZE_NEAREST_MODE"] = np.int8([nearest])
    if a is not None: params["OH_NN_RESIZE_CUBIC_COEFFICIENT"] = np.float32([a])
    if exclude: params["OH_NN_RESIZE_EXCLUDE_OUTSIDE"] = np.array([True])
    if antialias: params["OH_NN_RESIZE_ANTIALIAS"] = np.array([True])
    if scales is not None: params["OH_NN_RESIZE_SCALES"] = np.float32(scales)
    if region is not None: params["OH_NN_RESIZE_REGION"] = np.float32(region)
    if outside is not None: params["OH_NN_RESIZE_EXTRAPOLATION_VALUE"] = np.float32([outside])
    real = x.astype(np.float64)
    if quant: real = (real - quant[1]) * quant[0]
    y = resize(real, size, mode, coordinates, nearest, -0.75 if a is None else a, exclude, antialias, scales, region,
               outside or 0.0)  # fmt: skip
    y = quantize(y, *(out_quant or quant)) if quant else y.astype(x.dtype)
    tol = {"abs": 1, "rel": 0} if quant else HALF if x.dtype == np.float16 else TOL
    operands = [Given(x, quant=quant, shape=shape), Given(np.array(size, size_type), constant=constant)]
    oracle = ORACLE if mode else ORACLE_OF_NEAREST
    cases.add(name, oracle, operands if sized else operands[:1], [Given(y, quant=out_quant or quant, shape=out_shape)], params, tol)  # fmt: skip


add("nearest_default", floats(1, 2, 3, 4), [1, 2, 5, 6], NEAREST)
for nearest, word in enumerate(["half_down", "half_up", "floor", "ceil"]):
    add(f"nearest_{word}", floats(3, 4), [6, 7], NEAREST, HALF_PIXEL, nearest)
    add(f"nearest_{word}_asymmetric", floats(4, 6), [3, 9], NEAREST, ASYMMETRIC, nearest)
add("nearest_corners", floats(5, 4), [3, 7], NEAREST, CORNERS)
for coordinates, word in enumerate(["half_pixel", "pytorch", "symmetric", "corners", "asymmetric"]):
    add(f"linear_{word}", floats(2, 3, 4), [2, 5, 7], LINEAR, coordinates)
    add(f"linear_{word}_smaller", floats(1, 6, 7), [1, 1, 4], LINEAR, coordinates)
    add(f"cubic_{word}", floats(1, 2, 5, 4), [1, 2, 7, 9], CUBIC, coordinates)
add("linear_rank5", floats(1, 2, 2, 3, 3), [1, 2, 4, 5, 4])
add("linear_nhwc_vec4", floats(1, 3, 4, 8), [1, 5, 6, 8])
add("linear_all_dimensions", floats(2, 3, 2), [3, 4, 5])
add("symmetric_scales", floats(1, 1, 1, 7), [1, 1, 1, 4], LINEAR, SYMMETRIC, scales=[1, 1, 1, 0.6])
add("scales_beside_sizes", floats(3, 5), [4, 8], LINEAR, HALF_PIXEL, scales=[1.4, 1.7])
add("cubic_coefficient", floats(4, 4), [7, 5], CUBIC, a=-0.5)
add("cubic_exclude_outside", floats(4, 5), [9, 8], CUBIC, exclude=True)
add("cubic_exclude_outside_smaller", floats(6, 7), [4, 3], CUBIC, ASYMMETRIC, exclude=True)
add("linear_exclude_outside", floats(3, 3), [6, 5], LINEAR, exclude=True)
add("linear_antialias", floats(1, 1, 8, 9), [1, 1, 3, 4], LINEAR, antialias=True)
add("cubic_antialias", floats(1, 2, 8, 7), [1, 2, 3, 5], CUBIC, antialias=True)
add("antialias_exclude_outside", floats(9, 8), [4, 3], LINEAR, antialias=True, exclude=True)
add("antialias_larger", floats(3, 4), [5, 9], CUBIC, antialias=True)
add("region_linear", floats(1, 1, 4, 4), [1, 1, 3, 3], LINEAR, REGION, region=[0, 0, 0.25, 0.5, 1, 1, 0.75, 0.875])
add("region_outside", floats(1, 2, 4, 5), [1, 2, 4, 6], LINEAR, REGION, region=[0, 0, -0.25, 0.5, 1, 1, 0.75, 1.5], outside=10)
add("region_nearest", floats(4, 4), [5, 4], NEAREST, REGION, region=[0.5, 0, 1.25, 1], outside=-3.5)
add("region_cubic", floats(5, 5), [4, 4], CUBIC, REGION, region=[0.125, 0.25, 0.875, 0.75])
add("same_size", floats(2, 3), [2, 3])
add("one_element", floats(1), [4])
add("fed_size", floats(2, 3, 3), [2, 5, 4], constant=False, out_shape=[-1, -1, -1], size_type=np.int32)
add("open", floats(2, 3, 3), [2, 5, 4], shape=[-1, -1, 3], out_shape=[2, 5, 4])
add("float16", floats(1, 2, 3, 4).astype(np.float16), [1, 2, 6, 5])
add("float16_cubic", floats(2, 5, 4).astype(np.float16), [2, 7, 3], CUBIC)
int8_values = rng.integers(-128, 128, (1, 2, 4, 5)).astype(np.int8)
add("quantized", int8_values, [1, 2, 7, 8], quant=(0.05, 3))
add("quantized_rescaled", int8_values, [1, 2, 3, 4], quant=(0.05, 3), out_quant=(0.07, -8))
add("quantized_nearest", int8_values, [1, 2, 8, 5], NEAREST, quant=(0.05, 3))
add("quantized_cubic", int8_values, [1, 2, 6, 9], CUBIC, quant=(0.05, 3))
x = floats(2, 3)
size = Given(np.int64([4, 5]), constant=True)
region = {"OH_NN_RESIZE_COORDINATE_MODE": np.int8([5])}
cases.add("reject_size_count", ORACLE, [x, Given(np.int64([4]), constant=True)], [floats(4, 3)], expect="reject")
cases.add("reject_size", ORACLE, [x, Given(np.int64([0, 5]), constant=True)], [floats(1, 5)], expect="reject")
cases.add("reject_no_region", ORACLE, [x, size], [floats(4, 5)], region, expect="reject")
cases.add("reject_region", ORACLE, [x, size], [floats(4, 5)], {**region, "OH_NN_RESIZE_REGION": np.float32([0, 1])}, expect="reject")
cases.add("reject_scales", ORACLE, [x, size], [floats(4, 5)], {"OH_NN_RESIZE_SCALES": np.float32([2])}, expect="reject")
cases.add("reject_zero_scale", ORACLE, [x, size], [floats(4, 5)], {"OH_NN_RESIZE_SCALES": np.float32([2, 0])}, expect="reject")
cases.add("reject_mode", ORACLE, [x, size], [floats(4, 5)], {"OH_NN_RESIZE_MODE": np.int8([3])}, expect="reject")
SEVENTHS, THIRTEENTH = float(np.float32(11 / 7)), float(np.float32(1 / 13))
for shape, word in [(None, ""), ([-1, -1], "_open")]:
    add(f"scales_alone{word}", floats(7, 3), None, LINEAR, scales=[SEVENTHS, 2], sized=False, shape=shape, out_shape=shape)
    add(f"scales_alone_smaller{word}", floats(13, 5), None, NEAREST, ASYMMETRIC, 2, scales=[THIRTEENTH, 0.5], sized=False,
        shape=shape, out_shape=shape)  # fmt: skip
    add(f"scales_alone_nearest{word}", floats(3, 9), None, NEAREST, ASYMMETRIC, 2,
        scales=[float(np.float32(25 / 3)), float(np.float32(1 / 3))], sized=False, shape=shape, out_shape=shape)  # fmt: skip
add("nearest_float32_tie", floats(7, 14), [8, 17], NEAREST, ASYMMETRIC, 1, scales=[float(np.float32(8 / 7)), float(np.float32(17 / 14))])
for nearest, word in enumerate(["half_down", "half_up", "floor", "ceil"]):
    add(f"nearest_{word}_of_nearest", floats(5, 6), [7, 4], NEAREST, HALF_PIXEL_OF_NEAREST, nearest)
add("region_edge_float32", floats(7, 1), [11, 1], LINEAR, REGION, region=[0.2, 0, 1.2, 1], outside=10)
cases.add("reject_no_size", ORACLE, [x], [floats(4, 5)], expect="reject")
cases.write()
