"""Golden cases of AXIS_ALIGNED_BBOX_TRANSFORM, BOX_WITH_NMS_LIMIT, GENERATE_PROPOSALS, HEATMAP_MAX_KEYPOINT and
ROI_POOLING."""

from oracles import box as oracle
import numpy as np
from case import Cases, Given

rng = np.random.default_rng(44)
ORACLE = "the definition in float64"
TOL = {"abs": 1e-4, "rel": 2e-5}
HALF = {"abs": 2e-2, "rel": 4e-3}
I64 = lambda *x: np.int64(x)
F32 = lambda *x: np.float32(x)


def tolerance(dtype):
    return {"lsb": 1} if dtype == np.int8 else HALF if dtype == np.float16 else TOL


def quantized(x, scale, zero_point):
    """An INT8 operand and its real values."""
    int8_values = np.clip(oracle.rounded(np.asarray(x) / scale) + zero_point, -128, 127).astype(np.int8)
    return Given(int8_values, quant=(scale, zero_point)), (int8_values.astype(np.float64) - zero_point) * scale


def operand(x, dtype, scale, zero_point=0):
    """Also supports float dtypes."""
    if dtype == np.int8:
        return quantized(x, scale, zero_point)
    x = np.asarray(x).astype(dtype)
    return Given(x), x.astype(np.float64)


def boxes(*shape):
    """Corners on a grid of eighths, in images of 32 by 40."""
    corner = rng.integers(0, 160, (*shape, 2)) / 8
    return np.concatenate([corner, corner + rng.integers(8, 120, (*shape, 2)) / 8], -1).reshape(*shape[:-1], -1)


def loosen(cases):
    """Tolerates one step in quantized results, and none in float ones."""
    for line in cases.lines:
        for run in line["runs"]:
            for index, output in zip(line["outputs"], run["outputs"]):
                if line["tensors"][index]["dtype"] == "FLOAT32" and "lsb" in output.get("tol", {}):
                    output["tol"] = TOL


def fail(cases, name, inputs, outputs, params=None):
    cases.add(name, ORACLE, inputs, outputs, params, expect="reject")


# AXIS_ALIGNED_BBOX_TRANSFORM

cases = Cases("AXIS_ALIGNED_BBOX_TRANSFORM")
SIZES = [[32, 40], [24, 28]]
BOX_LAX = {"OH_NN_AXIS_ALIGNED_BBOX_TRANSFORM_STRICT": np.array([False])}


def transform(name, count, classes, dtype=np.float32, delta_dtype=None, shape=None, index=None, strict=True):
    regions, x = operand(boxes(count, 1), dtype, 0)
    deltas, d = operand(rng.integers(-12, 12, (count, 4 * classes)) / 16, delta_dtype or dtype, 0.05, 3)
    batch_indices = np.sort(rng.integers(0, 2, count)).astype(np.int32) if index is None else np.int32(index)
    sizes, s = operand(SIZES, dtype, 0)
    y = oracle.bbox_transform(x, d, np.clip(batch_indices, 0, 1), s).astype(dtype)
    y[(batch_indices < 0) | (batch_indices > 1)] = 0
    if shape:
        regions.shape, deltas.shape = [-1, 4], [-1, 4 * classes]
    cases.add(name, ORACLE, [regions, deltas, Given(batch_indices, shape=shape), sizes],
              [Given(y, shape=shape and [-1, 4 * classes])], None if strict else BOX_LAX, tolerance(dtype))  # fmt: skip


transform("one_class", 3, 1)
transform("classes", 5, 3)
transform("float16", 4, 2, np.float16)
transform("quantized_deltas", 4, 2, np.float32, np.int8)
transform("open", 4, 2, shape=[-1])
transform("lax", 5, 3, strict=False)
transform("lax_image", 5, 3, index=[-1, 0, 1, 2, 1 << 30], strict=False)
transform("lax_float16", 4, 2, np.float16, strict=False)
transform("lax_quantized_deltas", 4, 2, np.float32, np.int8, strict=False)
x, d, s = np.float32(boxes(2, 1)), np.zeros((2, 8), np.float32), np.float32(SIZES)
transform_outputs = [np.zeros((2, 8), np.float32)]
fail(cases, "reject_image", [x, d, np.int32([0, 2]), s], transform_outputs)
fail(cases, "reject_negative_image", [x, d, np.int32([-1, 0]), s], transform_outputs)
fail(cases, "reject_turned_over", [x[:, [2, 1, 0, 3]], d, np.int32([0, 1]), s], transform_outputs)
fail(cases, "reject_deltas", [x, d[:, :7], np.int32([0, 1]), s], [np.zeros((2, 7), np.float32)])
fail(cases, "reject_region_count", [x, d[:1], np.int32([0, 1]), s], transform_outputs)
fail(cases, "reject_sizes", [x, d, np.int32([0, 1]), s[:, :1]], transform_outputs)
fail(cases, "reject_mixed_dtypes", [x, d.astype(np.float16), np.int32([0, 1]), s], transform_outputs)
loosen(cases)
cases.write()

# BOX_WITH_NMS_LIMIT

cases = Cases("BOX_WITH_NMS_LIMIT")


def limits(score=0.0, most=-1, mode=0, threshold=0.0, sigma=1.0, least=0.0):
    p = "OH_NN_BOX_WITH_NMS_LIMIT_"
    return {p + "SCORE_THRESHOLD": F32(score), p + "MAX_DETECTIONS": I64(most), p + "MODE": I64(mode),
            p + "IOU_THRESHOLD": F32(threshold), p + "SIGMA": F32(sigma), p + "NMS_SCORE_THRESHOLD": F32(least)}  # fmt: skip


EMPTY = {"OH_NN_BOX_WITH_NMS_LIMIT_EMPTY_ROW": np.array([True])}


def distinct(*shape):
    """Scores without ties."""
    return (rng.permutation(int(np.prod(shape))).reshape(shape) + 1) / (np.prod(shape) + 2)


def nms(name, rows, classes, batch_indices, dtype=np.float32, constant=False, empty=False, **options):
    scores, p = operand(distinct(rows, classes), dtype, 1 / 128, -128)
    b, real = operand(boxes(rows, classes), np.float16 if dtype == np.float16 else np.float32, 0)
    batch_indices = np.int32(batch_indices)
    found = oracle.box_with_nms_limit(p, real, batch_indices, **options)
    if not len(found[0]):
        assert empty, name
        found = np.zeros(1), np.zeros((1, 4)), np.int32([0]), np.int32([-1])
    scores.constant = b.constant = constant
    out, _ = operand(found[0], dtype, 1 / 128, -128)
    out.shape = [-1]
    cases.add(name, ORACLE, [scores, b, Given(batch_indices)],
              [out, Given(found[1].astype(b.array.dtype), shape=[-1, 4]), Given(found[2], shape=[-1]),
               Given(found[3], shape=[-1])], {**limits(**options), **(EMPTY if empty else {})},
              tolerance(dtype))  # fmt: skip


nms("hard", 12, 3, [0] * 12, threshold=0.3)
nms("linear", 12, 3, [0] * 12, mode=1, threshold=0.3, least=0.1)
nms("gaussian", 12, 3, [0] * 12, mode=2, sigma=0.5, least=0.15)
nms("hard_keeps_scores_of_zero", 6, 2, [0] * 6, threshold=0.1)
nms("images", 12, 3, [2] * 5 + [0] * 4 + [7] * 3, threshold=0.2, least=0.01, most=4)
nms("most_in_all_classes", 10, 4, [0] * 6 + [1] * 4, threshold=0.5, least=0.01, most=3)
nms("score_threshold", 12, 3, [0] * 12, score=0.6, threshold=0.5, least=0.01)
nms("one_row", 1, 2, [3], threshold=0.5)
nms("constant", 8, 3, [0] * 8, constant=True, threshold=0.4, least=0.01)
nms("float16", 10, 3, [0] * 6 + [1] * 4, np.float16, mode=2, sigma=0.5, least=0.1)
nms("quantized", 10, 3, [0] * 6 + [1] * 4, np.int8, mode=1, threshold=0.25, least=0.1)
nms("empty_row", 4, 2, [0] * 4, score=2.0, empty=True)
nms("empty_row_quantized", 4, 2, [0] * 4, np.int8, score=2.0, empty=True)
nms("empty_row_of_none", 4, 1, [0] * 4, empty=True)
nms("empty_row_not_needed", 6, 3, [0] * 6, threshold=0.3, least=0.01, empty=True)
p, b = np.float32(distinct(4, 2)), np.float32(boxes(4, 2))
outputs = [Given(np.zeros(1, np.float32), shape=[-1]), Given(np.zeros((1, 4), np.float32), shape=[-1, 4]),
           Given(np.zeros(1, np.int32), shape=[-1]), Given(np.zeros(1, np.int32), shape=[-1])]  # fmt: skip
group = np.zeros(4, np.int32)
fail(cases, "reject_nothing_left", [p, b, group], outputs, limits(score=2.0))
fail(cases, "reject_mode", [p, b, group], outputs, limits(mode=3))
fail(cases, "reject_negative_mode", [p, b, group], outputs, limits(mode=-1))
fail(cases, "reject_turned_over", [p, b[:, [2, 1, 0, 3, 6, 5, 4, 7]], group], outputs, limits())
fail(cases, "reject_box_count", [p, b[:, :4], group], outputs, limits())
fail(cases, "reject_image_count", [p, b, group[:3]], outputs, limits())
loosen(cases)
cases.write()

# GENERATE_PROPOSALS

cases = Cases("GENERATE_PROPOSALS")
PROPOSALS = "OH_NN_GENERATE_PROPOSALS_"


def propose(name, shape, dtype=np.float32, empty=False, strides=(4, 5), nothing=False, **options):
    scores, p = operand(distinct(*shape), dtype, 1 / 128, -128)
    deltas, d = operand(rng.integers(-12, 12, (*shape[:3], 4 * shape[3])) / 32, dtype, 0.02, 1)
    real = np.float16 if dtype == np.float16 else np.float32
    anchors = np.concatenate([-rng.integers(2, 8, (shape[3], 2)), rng.integers(2, 9, (shape[3], 2))], 1).astype(real)
    sizes = np.array([[shape[1] * 4, shape[2] * 5], [shape[1] * 3, shape[2] * 4]])[: shape[0]].astype(real)
    found = oracle.generate_proposals(p, d, anchors, sizes, strides, **options)
    if not len(found[0]):
        assert empty, name
        found = np.zeros(1), np.zeros((1, 4)), np.int32([-1])
    words = {"before": "MAX_CANDIDATES", "after": "MAX_OUTPUT", "threshold": "IOU_THRESHOLD", "least": "MIN_SIZE"}
    params = {PROPOSALS + words[k]: (I64 if k in ("before", "after") else F32)(v) for k, v in options.items()}
    params[PROPOSALS + "STRIDES"] = F32(*(strides if strides[0] != strides[1] else strides[:1]))
    if empty: params[PROPOSALS + "EMPTY_ROW"] = np.array([True])
    out, _ = operand(found[0], dtype, 1 / 128, -128)
    out.shape = [-1]
    cases.add(name, ORACLE, [scores, deltas, anchors, sizes],
              [out, Given(found[1].astype(real), shape=[-1, 4]), Given(found[2], shape=[-1])], params,
              tolerance(dtype))  # fmt: skip


propose("one_anchor", (1, 4, 5, 1), threshold=0.4)
propose("anchors", (1, 4, 5, 3), threshold=0.3)
propose("images", (2, 3, 4, 2), threshold=0.3, after=4)
propose("candidates", (2, 4, 4, 2), threshold=0.5, before=9)
propose("min_size", (1, 4, 4, 3), threshold=0.6, least=6.5)
propose("one_stride", (1, 4, 4, 2), threshold=0.3, strides=(4, 4), before=20, after=6)
propose("float16", (1, 3, 4, 2), np.float16, threshold=0.3, after=5)
propose("quantized", (2, 3, 4, 2), np.int8, threshold=0.3, after=5)
propose("empty_row", (1, 3, 3, 1), threshold=0.3, least=1000.0, empty=True)
s, d = np.float32(distinct(1, 2, 2, 1)), np.zeros((1, 2, 2, 4), np.float32)
anchor, size = np.float32([[-2, -2, 2, 2]]), np.float32([[8, 8]])
outputs = [Given(np.zeros(1, np.float32), shape=[-1]), Given(np.zeros((1, 4), np.float32), shape=[-1, 4]),
           Given(np.zeros(1, np.int32), shape=[-1])]  # fmt: skip
fail(cases, "reject_nothing_left", [s, d, anchor, size], outputs, {PROPOSALS + "MIN_SIZE": F32(100)})
fail(cases, "reject_turned_over", [s, d, -anchor, size], outputs)
fail(cases, "reject_deltas", [s, d[..., :3], anchor, size], outputs)
fail(cases, "reject_anchors", [s, d, np.repeat(anchor, 2, 0), size], outputs)
fail(cases, "reject_sizes", [s, d, anchor, np.repeat(size, 2, 0)], outputs)
loosen(cases)
cases.write()

# HEATMAP_MAX_KEYPOINT

cases = Cases("HEATMAP_MAX_KEYPOINT")


def keypoints(name, count, size, points, dtype=np.float32, heatmaps=None, shape=None):
    if heatmaps is None:
        heatmaps = rng.integers(-100, 100, (count, size, size, points)) / 16
    maps, m = operand(heatmaps, dtype, 0.07, 9)
    real = np.float16 if dtype == np.float16 else np.float32
    frames = boxes(count, 1).astype(real)
    scores, points_at = oracle.heatmap_max_keypoint(m, frames, 1e-5 if dtype == np.float32 else 1e-3)
    out, _ = operand(scores, dtype, 0.1, 5)
    maps.shape = shape
    cases.add(name, ORACLE, [maps, Given(frames, shape=shape and [-1, 4])],
              [out, points_at.astype(real)], None, tolerance(dtype))  # fmt: skip


def bump(size, row, column):
    y, x = np.mgrid[:size, :size]
    return (10 - (y - row) ** 2 / 2 - (x - column) ** 2 / 3 - (y - row) * (x - column) / 8)[None, ..., None]


keypoints("random", 3, 7, 4)
keypoints("smallest", 2, 2, 2)
keypoints("between", 1, 6, 1, heatmaps=bump(6, 2.25, 3.375))
keypoints("corner", 1, 5, 1, heatmaps=bump(5, 0, 4))
keypoints("beyond_the_edge", 1, 5, 1, heatmaps=bump(5, -1.25, 5.5))
keypoints("flat", 1, 4, 1, heatmaps=np.full((1, 4, 4, 1), 3.0))
keypoints("float16", 2, 5, 2, np.float16)
keypoints("quantized", 2, 6, 3, np.int8)
keypoints("open", 2, 5, 2, shape=[-1, -1, -1, 2])
m, frames = np.zeros((2, 4, 4, 1), np.float32), np.float32(boxes(2, 1))
outputs = [np.zeros((2, 1), np.float32), np.zeros((2, 1, 2), np.float32)]
fail(cases, "reject_turned_over", [m, frames[:, [0, 3, 2, 1]]], outputs)
fail(cases, "reject_not_square", [m[:, :3], frames], outputs)
fail(cases, "reject_one_element", [m[:, :1, :1], frames], outputs)
fail(cases, "reject_box_count", [m, frames[:1]], outputs)
loosen(cases)
cases.write()

# ROI_POOLING

cases = Cases("ROI_POOLING")


def pool(name, shape, regions, batch_indices, out=(2, 2), strides=(1, 1), dtype=np.float32, nchw=False, index=np.int32,
         open_shape=None, strict=True):  # fmt: skip
    if strict:  # the GPU computes these too
        pool("lax_" + name, shape, regions, batch_indices, out, strides, dtype, nchw, index, open_shape, False)
    x, real = operand(rng.integers(-100, 100, shape) / 8, dtype, 0.11, -7)
    regions = np.asarray(regions, np.float16 if dtype == np.float16 else np.float32)
    y = oracle.roi_pooling(real, regions, batch_indices, out, strides)
    result, _ = operand(y, dtype, 0.11, -7)
    x.format = result.format = "NHWC"
    if nchw:
        x.array, result.array = x.array.transpose(0, 3, 1, 2), result.array.transpose(0, 3, 1, 2)
        x.format = result.format = "NCHW"
    if open_shape: x.shape, result.shape = open_shape
    p = "OH_NN_ROI_POOLING_"
    cases.add(name, ORACLE, [x, regions, np.array(batch_indices, index)], [result],
              {p + "NEW_HEIGHT": I64(out[0]), p + "NEW_WIDTH": I64(out[1]),
               p + "STRIDES": F32(*(strides if strides[0] != strides[1] else strides[:1])),
               **({} if strict else {p + "STRICT": np.array([False])})},
              {"lsb": 0} if dtype == np.int8 else None)  # fmt: skip


REGIONS = [[0.5, 1, 5.25, 4.5], [2, 0.25, 4, 5.5], [0, 0, 6, 6], [3, 3, 3, 3]]
pool("nhwc", (2, 6, 7, 3), REGIONS, [0, 1, 1, 0])
pool("nchw", (2, 6, 7, 3), REGIONS, [0, 1, 1, 0], (3, 2), nchw=True)
pool("vec4", (1, 6, 6, 8), REGIONS, [0] * 4, (2, 3))
pool("stride", (1, 6, 6, 2), np.array(REGIONS) * 4, [0] * 4, (3, 3), (4, 4))
pool("two_strides", (1, 6, 6, 2), np.array(REGIONS) * [3, 10, 3, 10], [0] * 4, (2, 3), (10, 3))
pool("thirds", (1, 9, 9, 1), [[4.5, 1.5, 25.5, 19.5]], [0], (3, 3), (3, 3))
pool("empty_bins", (1, 4, 4, 2), [[4, 4, 4, 4], [3, 3, 4, 4]], [0, 0], (3, 3))
pool("more_bins_than_cells", (1, 4, 4, 1), [[1, 1, 2, 2]], [0], (5, 7))
pool("int64_images", (2, 6, 7, 3), REGIONS, [1, 1, 0, 0], index=np.int64)
pool("float16", (2, 6, 7, 2), REGIONS, [1, 1, 0, 0], dtype=np.float16)
pool("quantized", (2, 6, 7, 2), REGIONS, [1, 1, 0, 0], dtype=np.int8)
pool("open", (1, 6, 6, 2), REGIONS, [0] * 4, open_shape=([1, -1, -1, 2], [-1, 2, 2, 2]))
pool("outside", (1, 5, 6, 3), [[-3, -2, 2, 3], [4, 3, 12, 9], [-9, -9, -4, -5], [3, 3, 1, 0]], [0] * 4, strict=False)
pool("image_out_of_range", (2, 5, 6, 4), REGIONS, [-1, 0, 2, 1], strict=False)
pool("far_image", (2, 5, 6, 4), REGIONS, [1 << 32, 0, -(1 << 32), 1], strict=False, index=np.int64)
x, y = np.zeros((2, 4, 5, 1), np.float32), np.zeros((1, 2, 2, 1), np.float32)
size = {"OH_NN_ROI_POOLING_NEW_HEIGHT": I64(2), "OH_NN_ROI_POOLING_NEW_WIDTH": I64(2)}
for name, region, image in [("image", [0, 0, 2, 2], 2), ("negative_image", [0, 0, 2, 2], -1),
                              ("left", [-1, 0, 2, 2], 0), ("above", [0, -0.5, 2, 2], 0), ("right", [0, 0, 5.5, 2], 0),
                              ("below", [0, 0, 2, 4.5], 0), ("turned_over", [2, 0, 1, 2], 0)]:  # fmt: skip
    fail(cases, f"reject_{name}", [x, F32(region), np.int32([image])], [y], size)
fail(cases, "reject_no_size", [x, F32([0, 0, 2, 2]), np.int32([0])], [y], {"OH_NN_ROI_POOLING_NEW_HEIGHT": I64(2)})
fail(cases, "reject_stride", [x, F32([0, 0, 2, 2]), np.int32([0])], [y], {**size, "OH_NN_ROI_POOLING_STRIDES": F32(0)})
loosen(cases)
cases.write()
