"""Golden cases of PAD_EDGE and PAD_WRAP, computed with numpy.pad."""

import functools

import numpy as np
from case import Cases, Given, eighths

rng = np.random.default_rng(1)
floats = functools.partial(eighths, rng)


for operator, mode in (("PAD_EDGE", "edge"), ("PAD_WRAP", "wrap")):
    cases = Cases(operator)
    oracle = f"numpy.pad, {mode}"

    def add(name, x, pads, constant=True, shape=None, quant=None, pad_type=np.int64, out_shape=None, fmt=None):
        pads = np.asarray(pads, pad_type).reshape(-1, 2)
        y = np.pad(x, [tuple(int(v) for v in pair) for pair in pads], mode=mode)
        cases.add(name, oracle, [Given(x, shape=shape, quant=quant, format=fmt), Given(pads, constant=constant)],
                  [Given(y, quant=quant, shape=out_shape, format=fmt)])  # fmt: skip

    add("rank1", floats(5), [2, 3])
    add("rank2", floats(3, 4), [1, 2, 0, 3])
    add("rank2_first_alone", floats(3, 4), [3, 0, 0, 0])
    add("rank4", floats(2, 3, 4, 5), [0, 0, 1, 2, 2, 1, 0, 3])
    add("rank4_nchw", floats(1, 4, 3, 3), [0, 0, 0, 0, 1, 1, 2, 2], fmt="NCHW")
    add("rank5", floats(1, 2, 3, 2, 2), [0, 1, 1, 1, 2, 0, 1, 2, 0, 0])
    add("no_padding", floats(2, 3), [0, 0, 0, 0])
    add("as_long_as_the_input", floats(3, 2), [3, 3, 2, 2])
    add("int32_paddings", floats(4, 4), [1, 0, 0, 2], pad_type=np.int32)
    add("fed_paddings", floats(4, 3), [1, 2, 2, 1], constant=False, out_shape=[-1, -1])
    add("open", floats(4, 3), [1, 2, 2, 1], shape=[-1, 3], out_shape=[-1, 6])
    add("float16", floats(3, 5).astype(np.float16), [2, 1, 1, 3])
    add("int8", rng.integers(-128, 128, (3, 5)).astype(np.int8), [2, 1, 1, 3])
    add("int32", rng.integers(-2**31, 2**31, (5,)).astype(np.int32), [2, 4])
    add("int64", rng.integers(-2**60, 2**60, (2, 3)).astype(np.int64), [1, 1, 2, 3])
    add("bool", rng.integers(0, 2, (2, 7)).astype(bool), [1, 1, 2, 3])
    add("quantized", rng.integers(-128, 128, (2, 4)).astype(np.int8), [1, 0, 1, 4], quant=(0.1, 3))
    x = np.array([np.nan, 1, np.inf, -0.0], np.float32)
    add("nan", x, [1, 2])
    x = floats(2, 3)
    bad = lambda pads: [x, Given(np.asarray(pads, np.int64), constant=True)]
    cases.add("reject_negative", oracle, bad([[0, -1], [0, 0]]), [floats(2, 2)], expect="reject")
    cases.add("reject_shape", oracle, bad([[0, 1]]), [floats(2, 4)], expect="reject")
    if mode == "wrap":
        cases.add("reject_longer", oracle, bad([[0, 3], [0, 0]]), [floats(5, 3)], expect="reject")
    cases.write()
