"""Golden cases of ROI_ALIGN, computed point by point in float64."""

import functools
import math

import numpy as np
from case import Cases, Given, eighths

rng = np.random.default_rng(7)
floats = functools.partial(eighths, rng)
ORACLE = "the definition in float64"


def at_point(image, y, x):
    """image is [C, H, W]."""
    _, height, width = image.shape
    if y < -1 or y > height or x < -1 or x > width:
        return np.zeros(image.shape[0])
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    top, left = math.floor(y), math.floor(x)
    bottom, right = min(top + 1, height - 1), min(left + 1, width - 1)
    v, u = y - top, x - left
    upper = (1 - u) * image[:, top, left] + u * image[:, top, right]
    lower = (1 - u) * image[:, bottom, left] + u * image[:, bottom, right]
    return (1 - v) * upper + v * lower


def roi_align(x, regions, batch_indices, out, ratio, scale, maximum, half_pixel):
    """x is [N, C, H, W]. The ratio is one number, or one each for height and width."""
    ratio = ratio if isinstance(ratio, tuple) else (ratio, ratio)
    y = np.zeros((len(regions), x.shape[1], *out))
    offset = 0.5 if half_pixel else 0.0
    for r, region in enumerate(regions.astype(np.float64)):
        if not 0 <= batch_indices[r] < x.shape[0]:
            continue
        start = [region[1] * scale[0] - offset, region[0] * scale[1] - offset]
        size = [region[3] * scale[0] - offset - start[0], region[2] * scale[1] - offset - start[1]]
        if not half_pixel:
            size = [max(1, s) for s in size]
        bins = [size[i] / out[i] for i in range(2)]
        points = [ratio[i] or min(max(1, math.ceil(bins[i])), 2 * x.shape[2 + i] + 2) for i in range(2)]
        for i in range(out[0]):
            for j in range(out[1]):
                values = [at_point(x[batch_indices[r]], start[0] + i * bins[0] + (v + 0.5) * bins[0] / points[0],
                                   start[1] + j * bins[1] + (u + 0.5) * bins[1] / points[1])
                          for v in range(points[0]) for u in range(points[1])]  # fmt: skip
                y[r, :, i, j] = np.max(values, axis=0) if maximum else np.mean(values, axis=0)
    return y


cases = Cases("ROI_ALIGN")
TOL = {"abs": 2e-5, "rel": 2e-5}
HALF = {"abs": 2e-2, "rel": 4e-3}


def add(name, x, regions, batch_indices, out=(2, 2), ratio=0, scale=None, maximum=False, half_pixel=True, nhwc=False,
        index=np.int64, shape=None, region_shape=None, out_shape=None, constant=False, strides=None, strict=False,
        quant=None):  # fmt: skip
    params = {"OH_NN_ROI_ALIGN_NEW_HEIGHT": np.int64([out[0]]), "OH_NN_ROI_ALIGN_NEW_WIDTH": np.int64([out[1]])}
    if ratio: params["OH_NN_ROI_ALIGN_SAMPLING_RATIO"] = np.int64(ratio if isinstance(ratio, tuple) else [ratio])
    if scale: params["OH_NN_ROI_ALIGN_SPATIAL_SCALE"] = np.float32(scale)
    if maximum: params["OH_NN_ROI_ALIGN_MODE"] = np.int8([1])
    if not half_pixel: params["OH_NN_ROI_ALIGN_HALF_PIXEL"] = np.array([False])
    if strides: params["OH_NN_ROI_ALIGN_STRIDES"] = np.float32(strides)
    if strict: params["OH_NN_ROI_ALIGN_STRICT"] = np.array([True])
    regions = np.array(regions, np.float32 if quant else x.dtype)
    scale = [s / d for s, d in zip((scale or [1]) * 2, (strides or [1]) * 2)]
    real = (x.astype(np.float64) - quant[0][1]) * quant[0][0] if quant else x.astype(np.float64)
    y = roi_align(real, regions, batch_indices, out, ratio, scale[:2], maximum, half_pixel)
    if quant:
        y = y / quant[1][0] + quant[1][1]
        y = np.clip(np.sign(y) * np.floor(np.abs(y) + 0.5), -128, 127)
    y = y.astype(x.dtype)
    if nhwc:
        x, y = x.transpose(0, 2, 3, 1), y.transpose(0, 2, 3, 1)
    fmt = "NHWC" if nhwc else "NCHW"
    before, after = quant or (None, None)
    cases.add(name, ORACLE, [Given(x, format=fmt, shape=shape, quant=before), Given(regions, shape=region_shape, constant=constant),
                             Given(np.array(batch_indices, index), constant=constant, shape=region_shape and region_shape[:1])],
              [Given(y, format=fmt, shape=out_shape, quant=after)], params,
              {"lsb": 1} if quant else HALF if x.dtype == np.float16 else TOL)  # fmt: skip


REGIONS = [[0.5, 1, 5.25, 4.5], [2, 0.25, 4, 6], [-1.5, -2, 3, 9]]
for maximum in (False, True):
    for half_pixel in (False, True):
        word = ("max" if maximum else "average") + ("" if half_pixel else "_whole_pixel")
        add(word, floats(2, 3, 6, 7), REGIONS, [0, 1, 0], ratio=2, maximum=maximum, half_pixel=half_pixel)
        add(word + "_adaptive", floats(2, 2, 6, 7), REGIONS, [1, 0, 1], (3, 2), maximum=maximum, half_pixel=half_pixel)
add("nhwc_vec4", floats(1, 8, 5, 5), [[1, 1, 4, 3]], [0], (2, 3), nhwc=True)
add("nhwc", floats(2, 3, 5, 5), REGIONS, [0, 1, 1], (1, 2), ratio=3, nhwc=True)
add("scale", floats(1, 2, 6, 6), [[2, 4, 20, 18]], [0], (3, 3), scale=[0.25])
add("two_scales", floats(1, 2, 6, 6), [[2, 4, 20, 9]], [0], (3, 3), scale=[0.5, 0.25])
add("small_region", floats(1, 2, 6, 6), [[2, 2, 2.25, 2.25]], [0], half_pixel=False)
add("outside", floats(1, 2, 4, 4), [[-9, -9, -5, -5], [6, 6, 9, 9]], [0, 0])
add("huge_region", floats(1, 1, 3, 3), [[-500, -500, 500, 500]], [0], (1, 1))
add("image_out_of_range", floats(2, 2, 4, 4), REGIONS, [2, 0, -1], ratio=1)
add("image_far_out_of_range", floats(2, 2, 4, 4), REGIONS, [1 << 32, 0, 1], ratio=1)
add("int32_images", floats(2, 2, 4, 4), REGIONS, [1, 0, 1], ratio=1, index=np.int32)
add("constant_regions", floats(2, 2, 5, 5), REGIONS, [1, 0, 1], ratio=1, constant=True)
add("open", floats(1, 2, 5, 5), REGIONS, [0, 0, 0], ratio=1, shape=[-1, 2, -1, -1], region_shape=[-1, 4], out_shape=[-1, 2, 2, 2])
add("float16", floats(1, 2, 5, 5).astype(np.float16), REGIONS, [0, 0, 0], ratio=2)
nchw = lambda a: Given(a, format="NCHW")
x, regions, batch_indices, y = floats(1, 2, 4, 4), floats(3, 4), np.zeros(3, np.int64), floats(3, 2, 2, 2)
size = {"OH_NN_ROI_ALIGN_NEW_HEIGHT": np.int64([2]), "OH_NN_ROI_ALIGN_NEW_WIDTH": np.int64([2])}
cases.add("reject_rank", ORACLE, [nchw(x[0]), regions, batch_indices], [nchw(y)], size, expect="reject")
cases.add("reject_regions", ORACLE, [nchw(x), floats(3, 5), batch_indices], [nchw(y)], size, expect="reject")
cases.add("reject_images", ORACLE, [nchw(x), regions, np.zeros(2, np.int64)], [nchw(y)], size, expect="reject")
cases.add("reject_no_size", ORACLE, [nchw(x), regions, batch_indices], [nchw(y)], {"OH_NN_ROI_ALIGN_NEW_HEIGHT": np.int64([2])}, expect="reject")
cases.add("reject_scale", ORACLE, [nchw(x), regions, batch_indices], [nchw(y)], {**size, "OH_NN_ROI_ALIGN_SPATIAL_SCALE": np.float32([0])}, expect="reject")
INSIDE = [[0.5, 1, 5.25, 4.5], [2, 0.25, 4, 5], [0, 0, 7, 6]]
whole = {"half_pixel": False, "nhwc": True}
add("two_ratios", floats(2, 3, 6, 7), INSIDE, [0, 1, 0], ratio=(2, 3), **whole)
add("adaptive_rows", floats(2, 3, 6, 7), INSIDE, [0, 1, 0], ratio=(0, 2), **whole)
add("strides", floats(1, 4, 6, 7), np.array(INSIDE) * [3, 10, 3, 10], [0] * 3, (3, 2), strides=[10, 3], **whole)
add("one_stride", floats(1, 2, 6, 7), np.array(INSIDE) * 4, [0] * 3, ratio=2, strides=[4], **whole)
add("scale_and_strides", floats(1, 2, 6, 7), np.array(INSIDE) * 2, [0] * 3, ratio=2, scale=[2], strides=[4], **whole)
add("strict", floats(2, 3, 6, 7), INSIDE, [0, 1, 0], ratio=2, strict=True, **whole)
add("strict_strides", floats(2, 3, 6, 7), np.array(INSIDE) * 2, [0, 1, 0], strides=[2], strict=True, **whole)
int8_values = rng.integers(-128, 128, (2, 3, 6, 7)).astype(np.int8)
add("quantized", int8_values, INSIDE, [0, 1, 0], ratio=2, quant=((0.1, -3), (0.09, 10)), **whole)
add("quantized_strict", int8_values, INSIDE, [0, 1, 0], quant=((0.1, -3), (0.1, -3)), strict=True, **whole)
add("float16_strict", floats(1, 2, 6, 7).astype(np.float16), INSIDE, [0] * 3, ratio=2, strict=True, **whole)
strict = {**size, "OH_NN_ROI_ALIGN_STRICT": np.array([True])}
for name, region, image in [("image", [0, 0, 2, 2], 1), ("negative_image", [0, 0, 2, 2], -1),
                              ("left", [-1, 0, 2, 2], 0), ("above", [0, -0.5, 2, 2], 0), ("right", [0, 0, 4.5, 2], 0),
                              ("below", [0, 0, 2, 4.5], 0), ("turned_over", [2, 0, 1, 2], 0)]:  # fmt: skip
    cases.add(f"reject_strict_{name}", ORACLE, [nchw(x), np.float32([region]), np.int64([image])], [nchw(y[:1])],
              strict, expect="reject")  # fmt: skip
cases.add("reject_stride", ORACLE, [nchw(x), regions, batch_indices], [nchw(y)],
          {**size, "OH_NN_ROI_ALIGN_STRIDES": np.float32([-1])}, expect="reject")  # fmt: skip
cases.add("reject_three_ratios", ORACLE, [nchw(x), regions, batch_indices], [nchw(y)],
          {**size, "OH_NN_ROI_ALIGN_SAMPLING_RATIO": np.int64([1, 1, 1])}, expect="reject")  # fmt: skip
cases.write()
