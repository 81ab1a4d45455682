"""Golden cases of GATHER_ELEMENTS, SCATTER_ELEMENTS and SCATTER_ND_UPDATE, computed with NumPy.

    /usr/bin/python3 element_index_cases.py
"""

import numpy as np

from case import Cases, Given

LOOSE = {"abs": 1e-5, "rel": 1e-5}
HALF = {"abs": 1e-3, "rel": 1e-3}
ONE_STEP = {"lsb": 1}
random = np.random.default_rng(1010)


def floats(*shape, dtype=np.float32):
    """Multiples of 1/8, so that sums are exact."""
    return (random.integers(-64, 64, shape) / 8).astype(dtype)


def integers(*shape, dtype=np.int32, low=-99, high=100):
    return random.integers(low, high, shape).astype(dtype)


def constant(array):
    return Given(array, constant=True)


def opened(array, constant=False):
    return Given(array, shape=[-1] * array.ndim, constant=constant)


def option(role, value, dtype=np.int64):
    return {role: np.array([value], dtype)}


def requantized(stored, source, target):
    """R11: the nearest value on the other grid, ties away from zero."""
    real = source[0] * (stored.astype(np.float64) - source[1]) / target[0]
    rounded = np.where(real < 0, np.ceil(real - 0.5), np.floor(real + 0.5)) + target[1]
    return np.clip(rounded, -128, 127).astype(np.int8)


def place(index, length):
    """R20; None if the index is out of range."""
    index = index + length if index < 0 else index
    return index if 0 <= index < length else None


def gathered(x, indices, axis=0, zero=0):
    y = np.full(indices.shape, zero, x.dtype)
    for at in np.ndindex(indices.shape):
        k = place(int(indices[at]), x.shape[axis])
        if k is not None:
            source = list(at)
            source[axis] = k
            y[at] = x[tuple(source)]
    return y


COMBINE = [lambda a, b: b, np.add, np.multiply, np.minimum, np.maximum]


def scattered(x, indices, updates, axis=0, reduction=0):
    wide = x.astype(np.float64) if x.dtype.kind == "f" else x.copy()
    for at in np.ndindex(indices.shape):
        k = place(int(indices[at]), x.shape[axis])
        if k is not None:
            target = list(at)
            target[axis] = k
            with np.errstate(over="ignore"):
                wide[tuple(target)] = COMBINE[reduction](wide[tuple(target)], updates[at].astype(wide.dtype))
    return wide.astype(x.dtype)


def scattered_slices(x, indices, updates, reduction=0):
    wide = x.astype(np.float64) if x.dtype.kind == "f" else x.copy()
    for row in np.ndindex(indices.shape[:-1]):
        target = tuple(place(int(index), length) for index, length in zip(indices[row], x.shape))
        if None not in target:
            with np.errstate(over="ignore"):
                wide[target] = COMBINE[reduction](wide[target], updates[row].astype(wide.dtype))
    return wide.astype(x.dtype)


def gather_elements():
    cases = Cases("GATHER_ELEMENTS")
    oracle = "numpy.take_along_axis, by loops"
    axis = lambda value: option("OH_NN_GATHER_ELEMENTS_AXIS", value)

    def add(name, x, indices, at=0, params=None, **more):
        array, places = (o.array if isinstance(o, Given) else o for o in (x, indices))
        cases.add(name, oracle, [x, indices], [gathered(array, places, at)], params=params, **more)

    x = floats(3, 4, 5)
    add("default_axis", x, integers(2, 4, 5, low=0, high=3))
    add("middle_axis", x, integers(3, 2, 5, low=0, high=4, dtype=np.int64), 1, axis(1))
    add("last_axis_longer", x, integers(3, 4, 7, low=0, high=5), 2, axis(2))
    add("negative_axis_and_indices", x, constant(integers(2, 3, 4, low=-5, high=5, dtype=np.int64)), 2, axis(-1))
    add("smaller_beside_the_axis", x, constant(integers(2, 4, 3, low=0, high=4)), 1, axis(1))
    add("vector", floats(6), integers(9, low=-6, high=6, dtype=np.int64))
    add("rank_six", floats(2, 1, 3, 2, 1, 2), integers(2, 1, 3, 4, 1, 2, low=0, high=2), 3, axis(3))
    add("out_of_range_gives_zeros", x, np.int64([[[0, 3, -3, -4, 2 ** 32]]]), 0, axis(0), tags=["special"])
    add("constant_data", constant(floats(4, 3)), integers(4, 3, low=0, high=4))
    for dtype in (np.float16, np.float64):
        add(np.dtype(dtype).name, floats(4, 3, dtype=dtype), integers(2, 3, low=0, high=4))
    for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
        low = 0 if np.dtype(dtype).kind == "u" else -99
        add(np.dtype(dtype).name, integers(4, 3, dtype=dtype, low=low), integers(2, 3, low=0, high=4))
    add("bool", integers(4, 3, low=0, high=2).astype(bool), integers(5, 3, low=0, high=4))
    quant, other = (0.25, -3), (0.5, 4)
    stored, places = integers(4, 3, dtype=np.int8), np.int32([[0, 1, 2], [9, 0, -1]])
    cases.add("quantized", oracle, [Given(stored, quant=quant), places],
              [Given(gathered(stored, places, zero=-3), quant=quant)], tags=["quant", "special"])  # fmt: skip
    cases.add("requantized", oracle, [Given(stored, quant=quant), places],
              [Given(gathered(requantized(stored, quant, other), places, zero=4), quant=other)],
              tol=ONE_STEP, tags=["quant"])  # fmt: skip
    places = integers(2, 4, low=0, high=3)
    cases.add("open_shapes", oracle, [opened(x[:, :, 0]), opened(places)],
              [opened(gathered(x[:, :, 0], places))], tags=["dynamic"])  # fmt: skip
    add("reject_axis", x, integers(2, 4, 5, low=0, high=2), params=axis(3), expect="reject")
    add("reject_rank", x[0], integers(2, low=0, high=2)[:, None][:, :1], params=axis(2), expect="reject")
    cases.add("reject_rank_of_indices", oracle, [x, integers(2, low=0, high=2)], [floats(2)], expect="reject")
    cases.add("reject_larger_indices", oracle, [x, integers(3, 5, 5, low=0, high=2)], [floats(3, 5, 5)],
              expect="reject")  # fmt: skip
    cases.add("reject_constant_index", oracle, [floats(3), constant(np.int32([3]))], [floats(1)], expect="reject")
    cases.add("reject_float_indices", oracle, [floats(3), floats(2)], [floats(2)], expect="reject")
    cases.write()


def scatter_elements():
    cases = Cases("SCATTER_ELEMENTS")
    oracle = "NumPy, update by update"

    def params(axis=None, reduction=None):
        given = {} if axis is None else option("OH_NN_SCATTER_ELEMENTS_AXIS", axis)
        if reduction is not None:
            given |= option("OH_NN_SCATTER_ELEMENTS_REDUCTION", reduction, np.int8)
        return given

    def add(name, x, indices, updates, axis=0, reduction=None, **more):
        arrays = [o.array if isinstance(o, Given) else o for o in (x, indices, updates)]
        cases.add(name, oracle, [x, indices, updates], [scattered(*arrays, axis, reduction or 0)],
                  params=params(axis if axis else None, reduction), **more)  # fmt: skip

    x = floats(3, 4, 5)
    shuffled = np.argsort(random.random((3, 4, 5)), axis=0)
    add("default", x, shuffled[:2].astype(np.int32), floats(2, 4, 5))
    add("last_wins", x, constant(np.int64([[[0, 1]], [[0, 1]], [[0, 2]]])), floats(3, 1, 2))
    add("last_axis_negative", x, np.int64([[[-1, 0, -3]]]), floats(1, 1, 3), -1)
    add("middle_axis_smaller", x, np.argsort(random.random((2, 4, 3)), axis=1).astype(np.int32), floats(2, 4, 3), 1)
    add("constant_data_and_updates", constant(x), shuffled[:1].astype(np.int32), constant(floats(1, 4, 5)))
    add("vector", floats(6), np.int32([5, 0, -2]), floats(3))
    add("out_of_range_is_skipped", x[0], np.int64([[0, 4, -4, -5, 2 ** 33]]), floats(1, 5), tags=["special"])
    for dtype in (np.float16, np.float64):
        add(np.dtype(dtype).name, floats(4, 3, dtype=dtype), np.int32([[3, 0, 1]]), floats(1, 3, dtype=dtype))
    for dtype in (np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint32):
        low = 0 if np.dtype(dtype).kind == "u" else -99
        add(np.dtype(dtype).name, integers(5, 3, dtype=dtype, low=low), np.int32([[3, 0, 1], [4, -1, 0]]),
            integers(2, 3, dtype=dtype, low=low))  # fmt: skip
    add("bool", integers(4, 3, low=0, high=2).astype(bool), np.int32([[3, 0, 1]]), np.array([[True, False, True]]))
    repeated = integers(4, 4, 5, low=-3, high=3)
    names = ["none", "sum", "product", "minimum", "maximum"]
    for reduction in range(1, 5):
        add(f"{names[reduction]}_of_repeated", floats(3, 4, 5), repeated, floats(4, 4, 5), 0, reduction, tol=LOOSE)
        add(f"{names[reduction]}_int32", integers(3, 7), integers(2, 6, low=0, high=7), integers(2, 6), 1, reduction)
    add("sum_float16", floats(3, 4, dtype=np.float16), integers(5, 4, low=0, high=3), floats(5, 4, dtype=np.float16),
        0, 1, tol=HALF)  # fmt: skip
    add("sum_int8_wraps", integers(3, 4, dtype=np.int8), integers(5, 4, low=0, high=3),
        integers(5, 4, dtype=np.int8), 0, 1, tags=["special"])  # fmt: skip
    add("product_int64", integers(3, 4, dtype=np.int64), integers(5, 4, low=0, high=3),
        integers(5, 4, dtype=np.int64), 0, 2)  # fmt: skip
    quant = (0.25, -3)
    stored, new = integers(4, 3, dtype=np.int8), integers(1, 3, dtype=np.int8)
    places = np.int32([[3, 0, 1]])
    cases.add("quantized", oracle, [Given(stored, quant=quant), places, Given(new, quant=quant)],
              [Given(scattered(stored, places, new), quant=quant)], tags=["quant"])  # fmt: skip
    other = (0.5, 4)
    cases.add("requantized_updates", oracle, [Given(stored, quant=quant), places, Given(new, quant=other)],
              [Given(scattered(stored, places, requantized(new, other, quant)), quant=quant)],
              tol=ONE_STEP, tags=["quant"])  # fmt: skip
    u = floats(1, 5)
    cases.add("open_shapes", oracle, [opened(x[0]), opened(np.int64([[3, 1, 0, 2, 1]])), opened(u)],
              [opened(scattered(x[0], np.int64([[3, 1, 0, 2, 1]]), u))], tags=["dynamic"])  # fmt: skip
    cases.add("reject_updates_of_another_shape", oracle, [x, shuffled[:2].astype(np.int32), floats(1, 4, 5)], [x],
              expect="reject")  # fmt: skip
    cases.add("reject_updates_of_another_dtype", oracle, [x, shuffled[:1].astype(np.int32), integers(1, 4, 5)], [x],
              expect="reject")  # fmt: skip
    cases.add("reject_sum_of_bool", oracle, [np.array([True]), np.int32([0]), np.array([True])], [np.array([True])],
              params=params(0, 1), expect="reject")  # fmt: skip
    cases.add("reject_sum_of_quantized", oracle, [Given(stored, quant=quant), places, Given(new, quant=quant)],
              [Given(stored, quant=quant)], params=params(0, 1), expect="reject")  # fmt: skip
    cases.add("reject_reduction", oracle, [x, shuffled[:1].astype(np.int32), floats(1, 4, 5)], [x],
              params=params(0, 5), expect="reject")  # fmt: skip
    cases.write()


def scatter_nd_update():
    cases = Cases("SCATTER_ND_UPDATE")
    oracle = "NumPy, row by row"

    def add(name, x, indices, updates, reduction=None, **more):
        arrays = [o.array if isinstance(o, Given) else o for o in (x, indices, updates)]
        params = {} if reduction is None else option("OH_NN_SCATTER_ND_UPDATE_REDUCTION", reduction, np.int8)
        cases.add(name, oracle, [x, indices, updates], [scattered_slices(*arrays, reduction or 0)], params=params,
                  **more)  # fmt: skip

    x = floats(4, 3, 8)
    add("slices", x, np.int32([[2], [0]]), floats(2, 3, 8))
    add("slices_of_two_dimensions", x, np.int64([[2, 1], [0, 0], [3, 2]]), floats(3, 8), 0)
    add("elements", x, np.int32([[2, 1, 7], [0, 0, 0]]), floats(2))
    add("negative_indices", x, constant(np.int64([[-1, -3], [0, -1]])), floats(2, 8))
    add("last_wins", floats(4, 3), np.int32([[1], [2], [1], [1]]), floats(4, 3))
    add("rows_of_rank_three", floats(5, 2), np.int32([[[4], [0]], [[2], [3]]]), floats(2, 2, 2))
    add("out_of_range_is_skipped", floats(4, 3), np.int64([[4], [-4], [-5], [2 ** 32]]), floats(4, 3), tags=["special"])
    add("constant_data", constant(floats(6)), np.int32([[4], [3], [1], [5]]), floats(4))
    add("float16", floats(4, 8, dtype=np.float16), np.int32([[3], [1]]), floats(2, 8, dtype=np.float16))
    add("float16_odd", floats(4, 5, dtype=np.float16), np.int32([[3], [1]]), floats(2, 5, dtype=np.float16))
    for dtype in (np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64, np.float64):
        low = 0 if np.dtype(dtype).kind == "u" else -99
        add(np.dtype(dtype).name, integers(5, 3, dtype=dtype, low=low), np.int32([[3], [0]]),
            integers(2, 3, dtype=dtype, low=low))  # fmt: skip
    add("bool", integers(4, 3, low=0, high=2).astype(bool), np.int32([[3]]), np.array([[True, False, True]]))
    names = ["none", "sum", "product", "minimum", "maximum"]
    for reduction in range(1, 5):
        rows = integers(9, 1, low=-4, high=4)
        add(f"{names[reduction]}_of_repeated", floats(4, 6), rows, floats(9, 6), reduction, tol=LOOSE)
        add(f"{names[reduction]}_int32", integers(4, 6), rows, integers(9, 6), reduction)
    add("sum_float16", floats(3, 4, dtype=np.float16), integers(5, 1, low=0, high=3), floats(5, 4, dtype=np.float16), 1,
        tol=HALF)  # fmt: skip
    nan = np.float32([[np.nan, 1, np.inf], [2, -np.inf, 0]])
    add("minimum_keeps_nan", nan, np.int32([[0], [1]]), np.float32([[1, np.nan, 3], [1, 1, np.nan]]), 3,
        tags=["special"])  # fmt: skip
    quant, other = (0.25, -3), (0.125, 5)
    stored, new = integers(4, 3, dtype=np.int8, low=-20, high=20), integers(1, 3, dtype=np.int8)
    cases.add("quantized", oracle, [Given(stored, quant=quant), np.int32([[2]]), Given(new, quant=quant)],
              [Given(scattered_slices(stored, np.int32([[2]]), new), quant=quant)], tags=["quant"])  # fmt: skip
    cases.add("requantized", oracle, [Given(stored, quant=quant), np.int32([[2]]), Given(new, quant=quant)],
              [Given(requantized(scattered_slices(stored, np.int32([[2]]), new), quant, other), quant=other)],
              tol=ONE_STEP, tags=["quant"])  # fmt: skip
    u = floats(2, 8)
    cases.add("open_shapes", oracle, [opened(x), opened(np.int32([[1, 2], [3, 0]])), opened(u)],
              [opened(scattered_slices(x, np.int32([[1, 2], [3, 0]]), u))], tags=["dynamic"])  # fmt: skip
    cases.add("reject_width", oracle, [floats(3), np.int32([[0, 0]]), floats(1)], [floats(3)], expect="reject")
    cases.add("reject_updates", oracle, [x, np.int32([[0]]), floats(1, 3, 7)], [x], expect="reject")
    cases.add("reject_constant_index", oracle, [floats(3), constant(np.int32([[-4]])), floats(1)], [floats(3)],
              expect="reject")  # fmt: skip
    cases.add("reject_reduction_of_uint16", oracle, [integers(3, dtype=np.uint16, low=0), np.int32([[1]]),
              integers(1, dtype=np.uint16, low=0)], [integers(3, dtype=np.uint16, low=0)],
              params=option("OH_NN_SCATTER_ND_UPDATE_REDUCTION", 1, np.int8), expect="reject")  # fmt: skip
    cases.write()


if __name__ == "__main__":
    for write in (gather_elements, scatter_elements, scatter_nd_update):
        write()
