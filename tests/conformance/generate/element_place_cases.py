"""Golden cases of CUM_SUM, TRILU, NON_ZERO, NON_MAX_SUPPRESSION and UNIQUE, computed with NumPy.

    /usr/bin/python3 element_place_cases.py
"""

import numpy as np

from case import Cases, Given, data
from element_index_cases import HALF, LOOSE, ONE_STEP, constant, floats, integers, opened, option, random, requantized


def cum_sum():
    cases = Cases("CUM_SUM")
    oracle = "numpy.cumsum in float64"

    def sums(x, axis, exclusive, reverse):
        wide = x.astype(np.float64) if x.dtype.kind == "f" else x
        wide = np.flip(wide, axis) if reverse else wide
        y = np.cumsum(wide, axis, dtype=wide.dtype)
        if exclusive:
            y = np.roll(y, 1, axis)
            y[(slice(None),) * (axis % x.ndim) + (0,)] = 0
        return (np.flip(y, axis) if reverse else y).astype(x.dtype)

    def add(name, x, axis=0, exclusive=None, reverse=None, **more):
        array = x.array if isinstance(x, Given) else x
        params = option("OH_NN_CUM_SUM_AXIS", axis) if axis else {}
        for role, flag in (("EXCLUSIVE", exclusive), ("REVERSE", reverse)):
            if flag is not None:
                params |= option(f"OH_NN_CUM_SUM_{role}", flag, bool)
        y = sums(array, axis, exclusive, reverse)
        output = opened(y) if isinstance(x, Given) and x.shape else y
        cases.add(name, oracle, [x], [output], params=params, **more)

    x = floats(3, 5, 4)
    add("default", x, tol=LOOSE)
    add("middle", x, 1, tol=LOOSE)
    add("last_negative", x, -1, tol=LOOSE)
    add("exclusive", x, 1, True, tol=LOOSE)
    add("reverse", x, 1, False, True, tol=LOOSE)
    add("exclusive_reverse", x, 2, True, True, tol=LOOSE)
    add("vector", floats(7), tol=LOOSE)
    add("one_element", floats(1), 0, True, tol=LOOSE)
    add("float16", floats(3, 9, dtype=np.float16), 1, tol=HALF)
    add("float16_reverse", floats(3, 9, dtype=np.float16), 1, False, True, tol=HALF)
    add("float64", floats(3, 9, dtype=np.float64), 1, tol=LOOSE)
    add("int32", integers(4, 6), 1)
    add("int32_wraps", integers(9, low=2 ** 30, high=2 ** 31 - 1), tags=["special"])
    add("int64", integers(4, 6, dtype=np.int64, high=2 ** 40), 1, True)
    add("int64_carries", integers(9, dtype=np.int64, low=2 ** 31, high=2 ** 32), 0, False, True)
    add("long_line", floats(1, 1001), 1, tol={"abs": 1e-3, "rel": 1e-5}, tags=["fp32_range"])
    add("long_line_exclusive_reverse_int32", integers(2, 600, 3), 1, True, True)
    add("special", np.float32([1, np.inf, 2, np.nan, 3]), tol=LOOSE, tags=["special"])
    add("open_shapes", opened(x), 1, tol=LOOSE, tags=["dynamic"])
    cases.add("reject_axis", oracle, [x], [x], params=option("OH_NN_CUM_SUM_AXIS", 3), expect="reject")
    cases.add("reject_int8", oracle, [integers(3, dtype=np.int8)], [integers(3, dtype=np.int8)], expect="reject")
    cases.add("reject_shape", oracle, [x], [floats(3, 5, 3)], expect="reject")
    cases.write()


def trilu():
    cases = Cases("TRILU")

    def add(name, x, diagonal=0, upper=None, **more):
        params = option("OH_NN_TRILU_DIAGONAL", diagonal) if diagonal else {}
        if upper is not None:
            params |= option("OH_NN_TRILU_UPPER", upper, bool)
        triangle = np.tril if upper is False else np.triu
        cases.add(name, "numpy.triu, numpy.tril", [x], [triangle(x, diagonal)], params=params, **more)

    x = floats(2, 5, 4)
    add("default", x)
    add("lower", x, 0, False)
    for diagonal in (1, -2, 4, -6, 2 ** 40, -(2 ** 40)):
        add(f"upper_{diagonal}", x, int(diagonal), True)
        add(f"lower_{diagonal}", x, int(diagonal), False)
    add("row", floats(1, 7), 3, False)
    add("column", floats(7, 1), -2, True)
    add("rank_four", floats(2, 3, 3, 5), 1, False)
    add("nan", np.float32([[np.nan, 1], [np.nan, np.inf]]), 0, True, tags=["special"])
    add("float16", floats(5, 7, dtype=np.float16), 1, True)
    add("float64", floats(5, 7, dtype=np.float64), 1, False)
    for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
        low = 0 if np.dtype(dtype).kind == "u" else -99
        add(np.dtype(dtype).name, integers(5, 3, dtype=dtype, low=low), -1, True)
    add("bool", integers(4, 3, low=0, high=2).astype(bool), 0, False)
    stored, quant, other = integers(4, 3, dtype=np.int8), (0.25, -3), (0.5, 4)
    kept = np.triu(np.ones((4, 3), bool))
    cases.add("quantized", "numpy.triu", [Given(stored, quant=quant)],
              [Given(np.where(kept, stored, np.int8(-3)), quant=quant)], tags=["quant"])  # fmt: skip
    cases.add("requantized", "numpy.triu", [Given(stored, quant=quant)],
              [Given(np.where(kept, requantized(stored, quant, other), np.int8(4)), quant=other)], tol=ONE_STEP,
              tags=["quant"])  # fmt: skip
    cases.add("open_shapes", "numpy.triu", [opened(x)], [opened(np.triu(x))], tags=["dynamic"])
    for name, diagonal in (("fed", np.int64([2])), ("fed_int32", np.int32([-1])), ("constant", constant(np.int64([1])))):
        k = int(diagonal.array[0] if isinstance(diagonal, Given) else diagonal[0])
        cases.add(f"diagonal_{name}", "numpy.triu", [x, diagonal], [np.triu(x, k)], tags=["runtime_shape"])
    cases.add("reject_diagonals", "none", [x, np.int64([1, 2])], [x], expect="reject")
    cases.add("reject_vector", "none", [floats(4)], [floats(4)], expect="reject")
    cases.write()


def chosen_by_position(x):
    """A graph with data-dependent shapes: x[x != 0], with more and fewer elements."""
    others = np.float32([[0, 0, 5, 0]] * 7)
    perm = np.int32([1, 0])
    runs = [{"inputs": [{"shape": list(array.shape), "data": data(array)}],
             "outputs": [{"shape": [int((array != 0).sum())], "data": data(-array[array != 0]),
                          "tol": {"abs": 0, "rel": 0}}]} for array in (x, others, x)]  # fmt: skip
    return {
        "name": "non_zero/chosen_by_position", "oracle": "numpy.nonzero",
        "tensors": [{"name": "x", "dtype": "FLOAT32", "shape": [-1, 4]},
                    {"name": "perm", "dtype": "INT32", "shape": [2], "data": data(perm)},
                    {"name": "columns", "dtype": "INT64", "shape": [2, -1]},
                    {"name": "rows", "dtype": "INT64", "shape": [-1, 2]},
                    {"name": "chosen", "dtype": "FLOAT32", "shape": [-1]},
                    {"name": "y", "dtype": "FLOAT32", "shape": [-1]}],
        "ops": [{"op": "OH_NN_OPS_NON_ZERO", "inputs": [0], "params": [], "outputs": [2]},
                {"op": "OH_NN_OPS_TRANSPOSE", "inputs": [2, 1], "params": [], "outputs": [3]},
                {"op": "OH_NN_OPS_GATHER_ND", "inputs": [0, 3], "params": [], "outputs": [4]},
                {"op": "OH_NN_OPS_NEG", "inputs": [4], "params": [], "outputs": [5]}],
        "inputs": [0], "outputs": [5], "runs": runs, "expect": "ok",
        "tags": ["float32", "graph", "dynamic", "special", "runtime_shape"],
    }  # fmt: skip


def non_zero():
    cases = Cases("NON_ZERO")
    oracle = "numpy.nonzero"

    def add(name, x, dtype=np.int64, declared=(-1, -1), **more):
        array = x.array if isinstance(x, Given) else x
        positions = np.array(np.nonzero(array.reshape(array.shape or 1)), dtype)
        cases.add(name, oracle, [x], [Given(positions, shape=list(declared))], **more)

    x = floats(3, 4) * (random.random((3, 4)) < 0.4).astype(np.float32)
    x[0, 0] = -0.0
    x[2, 1] = np.nan
    add("matrix", x, tags=["special"])
    add("matrix_int32", x, np.int32, tags=["special"])
    add("declared_rank", x, declared=(2, -1), tags=["special"])
    add("declared_count", x, declared=(2, int((x != 0).sum())), tags=["special"])
    add("vector", np.float32([0, 2, 0, -1]))
    add("scalar_of_one", np.float32([3]))
    add("rank_four", integers(2, 3, 2, 2, low=0, high=2).astype(np.float32))
    add("all", np.ones((2, 2), np.float32))
    add("float16", np.float16([[0, 1e-7, -0.0], [1, 0, -2]]), tags=["special"])
    add("float64", np.float64([[0, 5e-324, -0.0], [1, 0, -2]]), tags=["special"])
    for dtype in (np.int8, np.uint8, np.int16, np.int32, np.int64):
        add(np.dtype(dtype).name, integers(4, 3, dtype=dtype, low=0, high=3))
    add("bool", np.array([[True, False, True], [False, False, True]]))
    opened_x = opened(x)
    cases.add("open_shapes", oracle, [opened_x], [Given(np.array(np.nonzero(x)), shape=[-1, -1])],
              tags=["dynamic", "special"])  # fmt: skip
    cases.lines.append(chosen_by_position(x))
    some = np.int64([[0]])
    add_reject = lambda name, x, shape: cases.add(name, oracle, [x], [Given(some, shape=shape)], expect="reject")
    add_reject("reject_declared_count", x, [2, 11])
    add_reject("reject_declared_rank", x, [3, -1])
    add_reject("reject_uint16", np.uint16([1]), [1, -1])
    cases.write()


def overlap(a, b):
    area = lambda box: (box[2] - box[0]) * (box[3] - box[1])
    height, width = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if area(a) <= 0 or area(b) <= 0 or height <= 0 or width <= 0:
        return 0.0
    return height * width / (area(a) + area(b) - height * width)


def selected(boxes, scores, count, threshold, least, centered):
    rows = []
    for image in range(scores.shape[0]):
        if centered:
            x, y, w, h = boxes[image].astype(np.float64).T
            corners = np.stack([y - h / 2, x - w / 2, y + h / 2, x + w / 2], 1)
        else:
            y0, x0, y1, x1 = boxes[image].astype(np.float64).T
            corners = np.stack([np.minimum(y0, y1), np.minimum(x0, x1), np.maximum(y0, y1), np.maximum(x0, x1)], 1)
        for label in range(scores.shape[1]):
            kept = []
            for i in np.argsort(-scores[image, label].astype(np.float64), kind="stable"):
                fits = scores[image, label, i] > least and len(kept) < count
                if fits and all(overlap(corners[i], corners[j]) <= threshold for j in kept):
                    kept.append(i)
            rows += [[image, label, i] for i in kept]
    return np.array(rows).reshape(-1, 3)


def non_max_suppression():
    cases = Cases("NON_MAX_SUPPRESSION")
    oracle = "greedy selection by hand"
    role = "OH_NN_NON_MAX_SUPPRESSION_"

    def add(name, boxes, scores, count=3, threshold=None, least=None, centered=None, dtype=np.int64, constant_boxes=False,
            declared=(-1, 3), **more):  # fmt: skip
        params = option(role + "MAX_OUTPUT", count)
        if threshold is not None:
            params |= option(role + "IOU_THRESHOLD", threshold, np.float32)
        if least is not None:
            params |= option(role + "SCORE_THRESHOLD", least, np.float32)
        if centered is not None:
            params |= option(role + "CENTER_POINT_BOX", centered, bool)
        rows = selected(boxes, scores, count, threshold or 0, -np.inf if least is None else least, centered)
        operands = [constant(boxes) if constant_boxes else boxes, scores]
        cases.add(name, oracle, operands, [Given(rows.astype(dtype), shape=list(declared))], params=params, **more)

    corners = np.float32([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1],
                           [0, 100, 1, 101]]])  # fmt: skip
    scores = np.float32([[[0.9, 0.75, 0.6, 0.95, 0.5, 0.3]]])
    add("by_overlap", corners, scores, 3, 0.5)
    add("int32", corners, scores, 3, 0.5, dtype=np.int32)
    add("by_overlap_and_score", corners, scores, 3, 0.5, 0.4)
    add("limited", corners, scores, 2, 0.5)
    add("all_overlaps_allowed", corners, scores, 9, 1.0)
    add("default_threshold", corners, scores, 9)
    add("flipped_corners", corners[:, :, [2, 3, 0, 1]], scores, 3, 0.5, 0.0)
    centres = np.float32([[[0.5, 0.5, 1, 1], [0.5, 0.6, 1, 1], [0.5, 0.4, 1, 1], [0.5, 10.5, 1, 1],
                           [0.5, 10.6, 1, 1], [0.5, 100.5, 1, 1]]])  # fmt: skip
    add("centres", centres, scores, 3, 0.5, 0.0, True)
    add("same_boxes", np.tile(np.float32([0, 0, 1, 1]), (1, 9, 1)), np.full((1, 1, 9), 0.9, np.float32), 3, 0.5)
    add("equal_scores", corners, np.full((1, 1, 6), 0.5, np.float32), 9, 0.5)
    add("without_area", np.tile(np.float32([0, 0, 0, 1]), (1, 3, 1)), np.float32([[[0.2, 0.1, 0.3]]]), 3, 0.5)
    two = np.concatenate([scores, scores[:, :, ::-1]], 1)
    add("two_classes", corners, two, 2, 0.5, 0.0)
    add("two_images", np.concatenate([corners, corners[:, ::-1]]), np.concatenate([two, two[:, ::-1]]), 2, 0.5)
    add("constant_boxes", corners, scores, 3, 0.5, constant_boxes=True)
    add("declared_count", corners, scores, 3, 0.5, declared=(3, 3))
    add("float16", corners.astype(np.float16), scores.astype(np.float16), 3, 0.5)
    add("nan_score", corners, np.float32([[[0.9, np.nan, 0.6, 0.95, np.nan, 0.3]]]), 9, 0.5, 0.2, tags=["special"])
    many = (random.integers(0, 160, (2, 40, 4)) / 16).astype(np.float32)
    graded = random.permutation(2 * 3 * 40).reshape(2, 3, 40).astype(np.float32) / 256
    add("many", many, graded, 7, 0.3, 0.2)
    rows = selected(corners, scores, 3, 0.5, -np.inf, False)
    cases.add("open_shapes", oracle, [opened(corners), opened(scores)], [Given(rows, shape=[-1, -1])],
              params=option(role + "MAX_OUTPUT", 3) | option(role + "IOU_THRESHOLD", 0.5, np.float32),
              tags=["dynamic"])  # fmt: skip

    def reject(name, boxes, scores, params, shape=(-1, 3)):
        cases.add(name, oracle, [boxes, scores], [Given(np.int64([[0, 0, 0]]), shape=list(shape))], params=params,
                  expect="reject")  # fmt: skip

    for name, count, threshold, least in (("by_score", 3, 0.5, 0.4), ("by_overlap", 9, 0.5, -np.inf)):
        limits = [np.int64([count]), np.float32([threshold]), np.float32([least])]
        rows = selected(corners, scores, max(count, 0), threshold, least, False)
        cases.add(f"limits_fed_{name}", oracle, [corners, scores, *limits], [Given(rows, shape=[-1, 3])],
                  tags=["runtime_shape"])  # fmt: skip
    rows = selected(corners, scores, 2, 0.5, -np.inf, False)
    cases.add("limit_fed", oracle, [corners, scores, np.int32([2])], [Given(rows, shape=[-1, 3])],
              params=option(role + "IOU_THRESHOLD", 0.5, np.float32), tags=["runtime_shape"])  # fmt: skip
    three = option(role + "MAX_OUTPUT", 3)
    reject("reject_without_limit", corners, scores, {})
    reject("reject_limit_zero", corners, scores, option(role + "MAX_OUTPUT", 0))
    reject("reject_boxes_of_five", np.zeros((1, 6, 5), np.float32), scores, three)
    reject("reject_count_of_boxes", corners, scores[:, :, :5], three)
    reject("reject_count_of_images", corners, np.concatenate([scores, scores]), three)
    reject("reject_rank", corners[0], scores, three)
    reject("reject_declared_count", corners, scores, three, (5, 3))
    cases.write()


def unique():
    cases = Cases("UNIQUE")
    oracle = "numpy.unique"

    def results(x, axis, is_sorted):
        """NaN equals nothing."""
        values, first, inverse, counts = np.unique(x, True, True, True, axis=axis, equal_nan=False)
        if not is_sorted:
            order = np.argsort(first)
            values, first, counts = np.take(values, order, axis), first[order], counts[order]
            inverse = np.argsort(order)[inverse]
        return [values, *(numbers.astype(np.int64) for numbers in (first, inverse.ravel(), counts))]

    def add(name, x, axis=0, is_sorted=True, tags=("runtime_shape",)):
        array = x.array if isinstance(x, Given) else x
        params = option("OH_NN_UNIQUE_AXIS", axis) if axis else {}
        if not is_sorted:
            params |= option("OH_NN_UNIQUE_SORTED", False, bool)
        values, first, inverse, counts = results(array, axis, is_sorted)
        shape = list(array.shape)
        shape[axis] = -1
        outputs = [Given(values, shape=shape), opened(first), inverse, opened(counts)]
        cases.add(name, oracle, [x], outputs, params=params, tags=tags)

    generator = np.random.default_rng(5)
    for dtype in (np.float16, np.float32, np.float64, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
        low = -3 if np.dtype(dtype).kind in "fi" else 0
        add(np.dtype(dtype).name, generator.integers(low, 5, 23).astype(dtype))
    add("boolean", np.array([True, False, True]))
    add("extremes", np.array([-(2**63), 2**63 - 1, 0, -1, 2**63 - 1], np.int64))
    rows = generator.integers(0, 2, (12, 3)).astype(np.float32)
    add("rows", rows)
    add("rows_unsorted", rows, is_sorted=False)
    add("columns", np.ascontiguousarray(rows.T), -1)
    add("middle", generator.integers(0, 2, (2, 9, 2)).astype(np.int32), 1)
    add("unsorted", generator.integers(-4, 4, 20).astype(np.int64), is_sorted=False)
    add("zeros", np.array([0.0, -1.0, -0.0, 5.0, np.inf, -np.inf], np.float32))
    add("nan", np.array([2.0, np.nan, 2.0, np.nan, 1.0], np.float32), tags=("runtime_shape", "special"))
    numbers = np.zeros(1, np.int64)
    x = np.zeros(3, np.float32)
    for name, given, params in (("axis", x, option("OH_NN_UNIQUE_AXIS", 1)), ("quantized", Given(np.zeros(3, np.int8), quant=(0.5, 1)), {})):
        outputs = [opened(given.array if isinstance(given, Given) else given), opened(numbers), np.zeros(3, np.int64), opened(numbers)]
        cases.add(f"reject_{name}", oracle, [given], outputs, params=params, expect="reject", tags=["reject"])
    cases.write()


if __name__ == "__main__":
    for write in (cum_sum, trilu, non_zero, non_max_suppression, unique):
        write()
