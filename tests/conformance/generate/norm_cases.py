"""Golden cases of RMS_NORM and GROUP_NORM, and of L2_NORMALIZE without an epsilon, computed in float64."""

import numpy as np
from case import Cases, Given

ORACLE = "numpy float64"
TOL = {"abs": 2e-5, "rel": 2e-5}
HALF = {"abs": 4e-3, "rel": 4e-3}
rng = np.random.default_rng(1030)


def floats(*shape):
    return np.asarray(rng.uniform(-2, 2, shape), np.float32)


def tolerance(x):
    return HALF if x.dtype == np.float16 else TOL


class Norms:
    """Cases of one of the operators; its name prefixes its parameters."""

    def __init__(self, operator):
        self.cases = Cases(operator)
        self.operator = operator

    def params(self, **values):
        kinds = {"epsilon": np.float32}
        return {f"OH_NN_{self.operator}_{name.upper()}": kinds.get(name, np.int64)([value])
                for name, value in values.items() if value is not None}  # fmt: skip

    def reject(self, what, operands, tags=(), dtype=np.float32, **values):
        self.cases.add(f"reject_{what}", "none", operands, [np.zeros(operands[0].shape, dtype)],
                       params=self.params(**values), expect="reject", tags=["reject", *tags])  # fmt: skip


def rms_norm(x, gamma, axis, epsilon):
    axis %= max(x.ndim, 1)
    x, gamma = x.astype(np.float64), gamma.astype(np.float64)
    mean = np.mean(x * x, axis=tuple(range(axis, x.ndim)), keepdims=True)
    return x / np.sqrt(mean + epsilon) * gamma


def rms_cases():
    norms = Norms("RMS_NORM")

    def add(name, x, axis=None, epsilon=None, fed=False, shape=None, tags=()):
        begin = -1 if axis is None else axis
        gamma = floats(*x.shape[begin % max(x.ndim, 1) :]).astype(x.dtype)
        y = rms_norm(x, gamma, begin, np.float64(np.float32(1e-5 if epsilon is None else epsilon)))
        norms.cases.add(name, ORACLE, [Given(x, shape=shape), Given(gamma, constant=not fed)],
                        [Given(y.astype(x.dtype), shape=shape)],
                        norms.params(begin_norm_axis=axis, epsilon=epsilon), tolerance(x), tags=tags)  # fmt: skip

    add("rank1", floats(7))
    add("rank2", floats(3, 8))
    add("rank2_odd", floats(5, 13), epsilon=1e-6)
    add("rank3", floats(2, 5, 16), epsilon=0.1)
    add("rank3_first", floats(2, 3, 5), axis=0)
    add("rank3_middle", floats(4, 3, 8), axis=1)
    add("rank3_middle_odd", floats(3, 3, 5), axis=-2, fed=True)
    add("rank4", floats(2, 3, 4, 6), axis=2, epsilon=1e-3)
    add("rank5", floats(2, 1, 3, 2, 9), axis=-3)
    add("rank8", floats(1, 2, 1, 2, 1, 2, 3, 4), axis=6)
    add("long", floats(3, 1000))
    add("long_odd", floats(2, 777), fed=True)
    add("one", floats(1))
    add("scalar", floats())
    add("of_one_each", floats(4, 1))
    add("zeros", np.zeros((2, 6), np.float32), epsilon=1e-6)
    add("no_epsilon", floats(2, 6), epsilon=0)
    add("large", floats(2, 9) * 1e15, tags=["fp32_range"])
    add("far_from_zero", floats(2, 12) + 100)
    add("float16", floats(3, 16).astype(np.float16))
    add("float16_middle", floats(2, 3, 7).astype(np.float16), axis=1, epsilon=1e-3)
    add("float16_long", floats(2, 640).astype(np.float16))
    add("float16_large", (floats(2, 320) * 2000).astype(np.float16), tags=["special"])
    add("dynamic", floats(3, 4, 8), shape=[-1, -1, 8], tags=["dynamic"])
    add("dynamic_all", floats(3, 6), shape=[-1, -1], fed=True, tags=["dynamic"])
    x, gamma = floats(2, 3, 4), floats(4)
    norms.reject("axis", [x, gamma], begin_norm_axis=3)
    norms.reject("negative_axis", [x, gamma], begin_norm_axis=-4)
    norms.reject("gamma", [x, floats(3)])
    norms.reject("gamma_rank", [x, floats(1, 4)])
    norms.reject("gamma_of_axis", [x, gamma], begin_norm_axis=1)
    norms.reject("without_gamma", [x])
    norms.reject("mixed", [x, gamma.astype(np.float16)])
    norms.reject("int32", [x.astype(np.int32), gamma.astype(np.int32)], dtype=np.int32)
    norms.cases.write()


def group_norm(x, scale, bias, groups, epsilon):
    batch, channels = x.shape[:2]
    grouped = x.astype(np.float64).reshape(batch, groups, -1)
    centered = grouped - grouped.mean(axis=2, keepdims=True)
    normal = centered / np.sqrt((centered**2).mean(axis=2, keepdims=True) + epsilon)
    beside = [1, channels] + [1] * (x.ndim - 2)
    return normal.reshape(x.shape) * scale.astype(np.float64).reshape(beside) + bias.astype(np.float64).reshape(beside)


def group_cases():
    norms = Norms("GROUP_NORM")

    def add(name, x, groups, epsilon=None, nhwc=False, fmt=None, fed=False, shape=None, tags=()):
        """x has its channels first; they are moved for NHWC."""
        scale, bias = (floats(x.shape[1]).astype(x.dtype) for _ in range(2))
        y = group_norm(x, scale, bias, groups, np.float64(np.float32(1e-5 if epsilon is None else epsilon)))
        y = y.astype(x.dtype)
        if nhwc:
            order = [0, *range(2, x.ndim), 1]
            x, y = x.transpose(order), y.transpose(order)
        fmt = fmt or ("NHWC" if nhwc else "NCHW")
        norms.cases.add(name, ORACLE, [Given(x, format=fmt, shape=shape), Given(scale, constant=not fed),
                                       Given(bias, constant=not fed)],
                        [Given(y, format=fmt, shape=shape)], norms.params(group=groups, epsilon=epsilon),
                        tolerance(x), tags=["nchw", *tags] if fmt == "NCHW" else tags)  # fmt: skip

    for nhwc, name in ((False, "nchw"), (True, "nhwc")):
        add(name, floats(2, 6, 4, 5), 3, nhwc=nhwc)
        add(f"{name}_in_vectors", floats(2, 16, 4, 6), 2, nhwc=nhwc)
        add(f"{name}_odd", floats(1, 15, 3, 3), 5, epsilon=1e-3, nhwc=nhwc)
        add(f"{name}_one_group", floats(2, 5, 3, 4), 1, nhwc=nhwc)
        add(f"{name}_of_one_channel", floats(2, 4, 5, 4), 4, epsilon=0.1, nhwc=nhwc)
        add(f"{name}_one_pixel", floats(3, 8, 1, 1), 2, nhwc=nhwc)
        add(f"{name}_wide", floats(1, 96, 5, 7), 32, nhwc=nhwc)
        add(f"{name}_long", floats(1, 8, 24, 20), 2, nhwc=nhwc)
        add(f"{name}_rank3", floats(2, 6, 9), 2, nhwc=nhwc)
        add(f"{name}_rank5", floats(1, 8, 3, 2, 4), 4, epsilon=1e-6, nhwc=nhwc)
        add(f"{name}_rank7", floats(2, 4, 1, 2, 2, 1, 3), 2, nhwc=nhwc)
        add(f"{name}_fed", floats(2, 6, 3, 3), 2, nhwc=nhwc, fed=True)
        add(f"{name}_far_from_zero", floats(1, 4, 4, 4) + 100, 2, nhwc=nhwc, tags=["fp32_range"])
        add(f"{name}_float16", floats(2, 8, 3, 4).astype(np.float16), 2, nhwc=nhwc)
        add(f"{name}_float16_odd", floats(1, 6, 5, 5).astype(np.float16), 3, epsilon=1e-3, nhwc=nhwc)
        add(f"{name}_float16_large", (floats(1, 4, 16, 16) * 2000).astype(np.float16), 2, nhwc=nhwc, tags=["special"])
    add("none", floats(2, 6, 3, 4), 3, nhwc=True, fmt="NONE")
    add("nd", floats(2, 6, 3, 4), 3, nhwc=True, fmt="ND")
    add("constant", np.full((1, 4, 3, 3), 0.1, np.float32), 2)
    add("dynamic", floats(2, 6, 4, 5), 3, shape=[-1, 6, -1, -1], tags=["dynamic"])
    add("dynamic_nhwc", floats(2, 6, 4, 5), 3, nhwc=True, shape=[-1, -1, -1, 6], tags=["dynamic"])
    add("dynamic_channels", floats(1, 6, 4, 5), 2, shape=[1, -1, 4, 5], fed=True, tags=["dynamic"])
    x, c = Given(floats(2, 6, 3, 3), format="NCHW"), floats(6)

    def reject(what, operands, **values):
        operands = [operand if isinstance(operand, Given) else Given(operand) for operand in operands]
        data = operands[0]
        norms.cases.add(f"reject_{what}", "none", operands, [Given(np.zeros_like(data.array), format=data.format)],
                        params=norms.params(**values), expect="reject", tags=["reject"])  # fmt: skip

    reject("without_group", [x, c, c])
    reject("group", [x, c, c], group=4)
    reject("no_group", [x, c, c], group=0)
    reject("negative_group", [x, c, c], group=-2)
    reject("rank2", [floats(2, 6), c, c], group=2)
    reject("rank8", [floats(1, 6, 1, 1, 1, 1, 1, 1), c, c], group=2)
    reject("scale", [x, floats(3), c], group=3)
    reject("bias", [x, c, floats(5)], group=3)
    reject("scale_rank", [x, floats(6, 1), c], group=3)
    reject("without_bias", [x, c], group=3)
    reject("mixed", [x, c.astype(np.float16), c], group=3)
    reject("int32", [x.array.astype(np.int32), c.astype(np.int32), c.astype(np.int32)], group=3)
    norms.cases.write()


def l2_cases():
    """Rows whose squares vanish in float32, or that are 0."""
    cases = Cases("L2_NORMALIZE", "l2_normalize_small")

    def add(name, shape, axes, factor):
        x = floats(*shape) * np.float32(factor)
        rows = np.moveaxis(x, axes, range(len(axes))).reshape(-1, np.prod(np.delete(shape, axes), dtype=int))
        rows[:, ::3] = 0
        x = np.moveaxis(rows.reshape([shape[a] for a in axes] + list(np.delete(shape, axes))), range(len(axes)), axes)
        norm = np.sqrt(np.sum(np.square(x, dtype=np.float64), axis=tuple(axes), keepdims=True))
        y = np.divide(x, norm, out=np.zeros(x.shape), where=norm > 0)
        params = {"OH_NN_L2_NORMALIZE_AXIS": np.int64(axes), "OH_NN_L2_NORMALIZE_EPSILON": np.float32([0])}
        cases.add(name, ORACLE, [x], [y.astype(np.float32)], params, TOL, tags=["fp32_range"])

    for factor, word in [(1, "zeros"), (1e-17, "small"), (1e-25, "smaller")]:
        add(f"rows_{word}", (4, 8), [1], factor)
        add(f"columns_{word}", (3, 8), [0], factor)
        if word == "small": add("long_rows", (2, 1025), [1], factor)
        add(f"odd_{word}", (2, 5, 3), [1], factor)
        add(f"apart_{word}", (3, 4, 2), [0, 2], factor)
    cases.write()


rms_cases()
group_cases()
l2_cases()
