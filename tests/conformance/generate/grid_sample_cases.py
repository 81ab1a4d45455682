"""Golden cases of GRID_SAMPLE, computed point by point in float64."""

import functools
import itertools
import math

import numpy as np
from case import Cases, Given, eighths

rng = np.random.default_rng(5)
floats = functools.partial(eighths, rng)
LINEAR, NEAREST, CUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)
ORACLE = "the definition in float64"


def mirrored(x, low, high):
    if high <= low:
        return low
    period = 2 * (high - low)
    x = (x - low) % period
    return low + (period - x if x > high - low else x)


def element(cell, n, padding, align):
    """The element read for a cell, or None."""
    if 0 <= cell < n:
        return cell
    if padding == ZEROS:
        return None
    if padding == BORDER:
        return min(max(cell, 0), n - 1)
    return int(mirrored(cell, 0, n - 1) if align else mirrored(cell, -0.5, n - 0.5))


def cubic(d, a=-0.75):
    d = abs(d)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0


def taps(coordinate, n, mode, padding, align):
    x = (coordinate + 1) / 2 * (n - 1) if align else ((coordinate + 1) * n - 1) / 2
    if mode == NEAREST:
        x = round(x)  # half to even
    low, high = (0, n - 1) if align else (-0.5, n - 0.5)
    if padding == REFLECTION and not low <= x <= high:
        x = mirrored(x, low, high)
    if mode == NEAREST:
        return [(element(round(x), n, padding, align), 1.0)]
    base = math.floor(x)
    if mode == LINEAR:
        return [(element(base + k, n, padding, align), 1 - abs(x - base - k)) for k in (0, 1)]
    return [(element(base + k, n, padding, align), cubic(x - base - k)) for k in (-1, 0, 1, 2)]


def sample(x, grid, mode, padding, align):
    """x is [N, C, ...]."""
    y = np.zeros(x.shape[:2] + grid.shape[1:-1])
    for at in itertools.product(*map(range, (grid.shape[0], *grid.shape[1:-1]))):
        point = grid[at][::-1]
        every = [taps(float(c), n, mode, padding, align) for c, n in zip(point, x.shape[2:])]
        for chosen in itertools.product(*every):
            if all(cell is not None for cell, _ in chosen):
                cells = tuple(cell for cell, _ in chosen)
                y[(at[0], slice(None), *at[1:])] += math.prod(w for _, w in chosen) * x[(at[0], slice(None), *cells)]
    return y


cases = Cases("GRID_SAMPLE")
TOL = {"abs": 2e-5, "rel": 2e-5}
HALF = {"abs": 4e-3, "rel": 2e-3}


def add(name, x, grid, mode=LINEAR, padding=ZEROS, align=False, nhwc=False, shape=None, out_shape=None, constant=False):
    params = {}
    if mode: params["OH_NN_GRID_SAMPLE_MODE"] = np.int8([mode])
    if padding: params["OH_NN_GRID_SAMPLE_PADDING_MODE"] = np.int8([padding])
    if align: params["OH_NN_GRID_SAMPLE_ALIGN_CORNERS"] = np.array([True])
    grid = grid.astype(x.dtype)
    y = sample(x.astype(np.float64), grid.astype(np.float64), mode, padding, align).astype(x.dtype)
    if nhwc:
        order = [0, *range(2, x.ndim), 1]
        x, y = x.transpose(order), y.transpose(order)
    fmt = "NHWC" if nhwc else "NCHW"
    cases.add(name, ORACLE, [Given(x, format=fmt, shape=shape), Given(grid, constant=constant)],
              [Given(y, format=fmt, shape=out_shape)], params, HALF if x.dtype == np.float16 else TOL)  # fmt: skip


def grid(*shape, reach=1.3):
    return (rng.integers(-1000, 1000, shape) * (reach / 1000)).astype(np.float32)


for mode, word in enumerate(["linear", "nearest", "cubic"]):
    for padding, kind in enumerate(["zeros", "border", "reflection"]):
        for align in (False, True):
            add(f"{word}_{kind}{'_aligned' if align else ''}", floats(1, 2, 4, 5), grid(1, 3, 4, 2), mode, padding, align)
        add(f"{word}_{kind}_far", floats(1, 1, 3, 4), grid(1, 2, 5, 2, reach=6), mode, padding)
    add(f"{word}_rank5", floats(2, 2, 3, 4, 3), grid(2, 2, 2, 3, 3), mode)
    add(f"{word}_rank5_reflection_aligned", floats(1, 2, 3, 2, 4), grid(1, 2, 2, 2, 3, reach=3), mode, REFLECTION, True)
    add(f"{word}_nhwc", floats(2, 4, 3, 4), grid(2, 3, 2, 2), mode, BORDER, nhwc=True)
add("rank5_nhwc", floats(1, 8, 2, 3, 3), grid(1, 2, 2, 2, 3), nhwc=True)
add("rank5_nhwc_odd", floats(2, 3, 2, 3, 3), grid(2, 2, 2, 2, 3), CUBIC, nhwc=True)
add("one_cell", floats(1, 3, 1, 1), grid(1, 2, 2, 2), LINEAR, BORDER)
add("one_cell_reflection", floats(1, 3, 1, 1), grid(1, 2, 2, 2), CUBIC, REFLECTION, True)
add("corners", floats(1, 1, 4, 4), np.float32([[[[-1, -1], [1, 1], [0, 0], [-1, 1]]]]), LINEAR, ZEROS, True)
add("halves_to_even", floats(1, 1, 1, 4), np.float32([[[[-1, 0], [-0.5, 0], [0, 0], [0.5, 0], [1, 0]]]]), NEAREST)
add("constant_grid", floats(1, 2, 4, 4), grid(1, 2, 3, 2), constant=True)
add("open", floats(2, 2, 4, 4), grid(2, 2, 3, 2), shape=[-1, 2, -1, -1], out_shape=[-1, 2, 2, 3])
add("float16", floats(1, 2, 4, 4).astype(np.float16), grid(1, 3, 3, 2))
nchw = lambda a: Given(a, format="NCHW")
x, g, y = floats(1, 2, 3, 3), floats(1, 2, 2, 2), floats(1, 2, 2, 2)
cases.add("reject_rank", ORACLE, [nchw(floats(1, 2, 3)), floats(1, 2, 1)], [nchw(floats(1, 2, 2))], expect="reject")
cases.add("reject_batch", ORACLE, [nchw(x), floats(2, 2, 2, 2)], [nchw(y)], expect="reject")
cases.add("reject_grid", ORACLE, [nchw(x), floats(1, 2, 2, 3)], [nchw(y)], expect="reject")
cases.add("reject_mode", ORACLE, [nchw(x), g], [nchw(y)], {"OH_NN_GRID_SAMPLE_MODE": np.int8([3])}, expect="reject")
cases.write()
