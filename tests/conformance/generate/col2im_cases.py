"""Golden cases of COL2IM: adds each element of the columns to its pixel."""

import itertools

import numpy as np
from case import Cases, Given

rng = np.random.default_rng(6)
ORACLE = "a loop over all elements of the columns"


def col2im(x, size, block, s, d, pads):
    axes = len(size)
    blocks = [(size[i] + pads[2 * i] + pads[2 * i + 1] - (block[i] - 1) * d[i] - 1) // s[i] + 1 for i in range(axes)]
    channels = x.shape[1] // int(np.prod(block))
    x = x.reshape(x.shape[0], channels, *block, *blocks).astype(np.float64)
    y = np.zeros((x.shape[0], channels, *size))
    for tap in itertools.product(*map(range, block)):
        for at in itertools.product(*map(range, blocks)):
            cell = tuple(at[i] * s[i] + tap[i] * d[i] - pads[2 * i] for i in range(axes))
            if all(0 <= cell[i] < size[i] for i in range(axes)):
                y[(slice(None), slice(None), *cell)] += x[(slice(None), slice(None), *tap, *at)]
    return y


cases = Cases("COL2IM")
TOL = {"abs": 1e-5, "rel": 1e-5}
HALF = {"abs": 2e-2, "rel": 2e-3}


def add(name, batch, channels, size, block, s=None, d=None, pads=None, dtype=np.float32, constant=True, shape=None,
        out_shape=None, size_type=np.int64):  # fmt: skip
    axes = len(size)
    params = {"OH_NN_COL2IM_BLOCK_SIZE": np.int64(block)}
    if s: params["OH_NN_COL2IM_STRIDES"] = np.int64(s)
    if pads: params["OH_NN_COL2IM_PAD"] = np.int64(pads)
    if d: params["OH_NN_COL2IM_DILATION"] = np.int64(d)
    s, d, pads = s or [1] * axes, d or [1] * axes, pads or [0] * (2 * axes)
    blocks = [(size[i] + pads[2 * i] + pads[2 * i + 1] - (block[i] - 1) * d[i] - 1) // s[i] + 1 for i in range(axes)]
    x = (rng.integers(-40, 40, (batch, channels * int(np.prod(block)), int(np.prod(blocks)))) / 8).astype(dtype)
    y = col2im(x, size, block, s, d, pads).astype(dtype)
    cases.add(name, ORACLE, [Given(x, shape=shape), Given(np.array(size, size_type), constant=constant)],
              [Given(y, shape=out_shape)], params, HALF if dtype == np.float16 else TOL)  # fmt: skip


add("two_dimensions", 1, 2, [5, 6], [2, 3])
add("batch", 3, 1, [4, 4], [2, 2], [2, 2])
add("strides", 1, 2, [7, 8], [3, 2], [2, 3])
add("padding", 1, 1, [5, 5], [3, 3], [1, 2], pads=[1, 0, 2, 1])
add("dilation", 1, 2, [6, 7], [2, 3], [1, 2], [3, 2], [0, 1, 1, 1])
add("gaps", 1, 1, [7, 7], [1, 2], [3, 4])
add("one_dimension", 2, 3, [9], [4], [2], pads=[1, 2])
add("three_dimensions", 1, 2, [4, 5, 3], [2, 2, 2], [1, 2, 1], pads=[1, 0, 0, 1, 1, 1])
add("four_dimensions", 1, 1, [3, 2, 4, 3], [2, 1, 2, 2], [1, 1, 2, 1])
add("whole", 1, 3, [3, 4], [3, 4])
add("float16", 1, 2, [5, 5], [2, 3], dtype=np.float16)
add("int32_size", 1, 1, [5, 4], [2, 2], size_type=np.int32)
add("fed_size", 1, 2, [5, 6], [2, 3], constant=False, out_shape=[-1, -1, -1, -1])
add("open", 2, 2, [5, 6], [2, 3], shape=[-1, 12, 16], out_shape=[-1, 2, 5, 6])
x = np.zeros((1, 8, 9), np.float32)
size = Given(np.int64([4, 4]), constant=True)
block = {"OH_NN_COL2IM_BLOCK_SIZE": np.int64([2, 2])}
out = np.zeros((1, 2, 4, 4), np.float32)
cases.add("reject_blocks", ORACLE, [x[:, :, :8], size], [out], block, expect="reject")
cases.add("reject_rows", ORACLE, [x[:, :7], size], [out], block, expect="reject")
cases.add("reject_rank", ORACLE, [x[0], size], [out], block, expect="reject")
cases.add("reject_no_block", ORACLE, [x, size], [out], expect="reject")
cases.add("reject_block_count", ORACLE, [x, size], [out], {"OH_NN_COL2IM_BLOCK_SIZE": np.int64([2])}, expect="reject")
cases.write()
