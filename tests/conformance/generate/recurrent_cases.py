"""Golden cases of GRU, RNN and LSTM's cell clip, computed in float64 by the formulas of docs/spec/operators/gemm_conv.md."""

import numpy as np
from case import Cases, Given

FORWARD, BACKWARD, BOTH = 0, 1, 2
TOLERANCE = {"abs": 2e-5, "rel": 2e-5}
TOLERANCE_FP16 = {"abs": 2e-3, "rel": 2e-3}


def sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * x))


def gru_step(w, r, b, x, h, linear):
    wz, wr, wn = np.split(w, 3)
    rz, rr, rn = np.split(r, 3)
    az, ar, an, bz, br, bn = np.split(b, 6)
    z = sigmoid(x @ wz.T + az + h @ rz.T + bz)
    reset = sigmoid(x @ wr.T + ar + h @ rr.T + br)
    part = reset * (h @ rn.T + bn) if linear else (reset * h) @ rn.T + bn
    n = np.tanh(x @ wn.T + an + part)
    return (1 - z) * n + z * h


def rnn_step(w, r, b, x, h, activation):
    return activation(x @ w.T + h @ r.T + sum(np.split(b, 2)))


def layer(step, operands, direction, option):
    x, w, r, b, h = (operand.astype(np.float64) for operand in operands)
    outputs, last = [], []
    for d in range(len(w)):
        times = range(len(x))
        if direction == BACKWARD or d == 1:
            times = reversed(times)
        state, output = h[d], np.zeros((len(x), x.shape[1], r.shape[2]))
        for t in times:
            state = output[t] = step(w[d], r[d], b[d], x[t], state, option)
        outputs.append(output)
        last.append(state)
    return np.concatenate(outputs, axis=2), np.stack(last)


class Layers:
    """Cases of one of the operators."""

    def __init__(self, operator, gates, step, option_of):
        self.cases = Cases(operator)
        self.gates, self.step, self.option_of = gates, step, option_of

    def operands(self, sizes, direction, dtype, seed, scale=0.5):
        steps, batch, inputs, hidden = sizes
        directions = 2 if direction == BOTH else 1
        rows = self.gates * hidden
        shapes = [(steps, batch, inputs), (directions, rows, inputs), (directions, rows, hidden),
                  (directions, 2 * rows), (directions, batch, hidden)]  # fmt: skip
        random = np.random.default_rng(seed)
        return [random.uniform(-scale, scale, shape).astype(dtype) for shape in shapes]

    def add(self, name, sizes, direction=None, option=None, dtype=np.float32, fed=False, scale=0.5, edit=None,
            declared=None, tags=(), **expect):  # fmt: skip
        operands = self.operands(sizes, direction, dtype, len(self.cases.lines), scale)
        if edit:
            edit(operands)
        params = {}
        if direction is not None:
            params[f"OH_NN_{self.cases.operator}_DIRECTION"] = np.int8([direction])
        if option is not None:
            params.update([option[:2]])
        results = layer(self.step, operands, direction, self.option_of(option))
        inputs = [Given(x, constant=not fed and 0 < i < 4) for i, x in enumerate(operands)]
        outputs = [Given(y.astype(dtype)) for y in results]
        if declared:
            inputs[0].shape, inputs[4].shape, outputs[0].shape, outputs[1].shape = declared
        self.cases.add(name, "numpy float64", inputs, outputs, params=params, tags=tags,
                       tol=TOLERANCE_FP16 if dtype == np.float16 else TOLERANCE, **expect)  # fmt: skip

    def add_common(self):
        self.add("forward", (5, 2, 3, 4))
        self.add("backward", (5, 2, 3, 4), BACKWARD)
        self.add("both", (4, 2, 3, 4), BOTH)
        self.add("both_odd_hidden", (3, 3, 5, 7), BOTH)
        self.add("one_step", (1, 1, 2, 3))
        self.add("two_steps_backward", (2, 1, 4, 1), BACKWARD)
        self.add("explicit_forward", (3, 1, 4, 8), FORWARD)
        self.add("wide", (2, 2, 6, 21))
        self.add("fed_weights", (3, 2, 4, 4), BOTH, fed=True)
        self.add("float16", (4, 2, 4, 8), BOTH, dtype=np.float16)
        self.add("dynamic", (4, 2, 3, 4), BOTH, tags=["dynamic"],
                 declared=([-1, -1, 3], [2, -1, 4], [-1, -1, 8], [2, -1, 4]))  # fmt: skip
        self.add_rejects()
        self.add("several_groups_of_units", (2, 2, 3, 67))

    def add_rejects(self):
        reject = {"expect": "reject", "tags": ["reject"]}
        name = self.cases.operator
        x, w, r, b, h = self.operands((2, 1, 3, 4), None, np.float32, 1)
        outputs = [np.zeros((2, 1, 4), np.float32), np.zeros((1, 1, 4), np.float32)]
        for what, operands in [("gates", [x, w[:, :-1], r, b, h]), ("bias", [x, w, r, b[:, :-1], h]),
                               ("input_size", [x, w[:, :, :2], r, b, h]), ("rank", [x[0], w, r, b, h]),
                               ("states", [x, w, r, b, h[:, :, :3]]), ("without_state", [x, w, r, b])]:  # fmt: skip
            self.cases.add(f"reject_{what}", "none", operands, outputs, **reject)
        for what, direction in [("both_of_one", 2), ("direction", 3)]:
            params = {f"OH_NN_{name}_DIRECTION": np.int8([direction])}
            self.cases.add(f"reject_{what}", "none", [x, w, r, b, h], outputs, params=params, **reject)
        integers = [operand.astype(np.int32) for operand in (x, w, r, b, h)]
        self.cases.add("reject_int32", "none", integers, [y.astype(np.int32) for y in outputs], **reject)


def saturate(operands):
    operands[0] *= 1e4


def gru():
    layers = Layers("GRU", 3, gru_step, lambda option: option is not None and option[2])
    linear = ("OH_NN_GRU_LINEAR_BEFORE_RESET", np.bool_([True]), True)
    layers.add("linear_before_reset", (5, 2, 3, 4), option=linear)
    layers.add("linear_before_reset_both", (4, 3, 5, 7), BOTH, option=linear)
    layers.add("linear_before_reset_backward", (3, 1, 4, 17), BACKWARD, option=linear)
    layers.add("not_linear", (2, 2, 3, 4), option=("OH_NN_GRU_LINEAR_BEFORE_RESET", np.bool_([False]), False))
    layers.add("linear_float16", (3, 2, 4, 4), option=linear, dtype=np.float16)
    layers.add("saturated", (3, 1, 3, 4), edit=saturate, tags=["fp32_range", "special"])
    layers.add_common()
    layers.cases.write()


def rnn():
    relu = ("OH_NN_RNN_ACTIVATION_TYPE", np.int8([1]), lambda x: np.maximum(x, 0))
    tanh = ("OH_NN_RNN_ACTIVATION_TYPE", np.int8([0]), np.tanh)
    layers = Layers("RNN", 1, rnn_step, lambda option: option[2] if option else np.tanh)
    layers.add("relu", (5, 2, 3, 4), option=relu)
    layers.add("relu_both", (4, 3, 5, 7), BOTH, option=relu)
    layers.add("tanh", (2, 2, 3, 4), option=tanh)
    layers.add("saturated", (3, 1, 3, 4), edit=saturate, tags=["fp32_range", "special"])
    layers.add_common()
    x, w, r, b, h = layers.operands((2, 1, 3, 4), None, np.float32, 1)
    layers.cases.add("reject_activation", "none", [x, w, r, b, h], [np.zeros((2, 1, 4), np.float32), h],
                     params={"OH_NN_RNN_ACTIVATION_TYPE": np.int8([2])}, expect="reject", tags=["reject"])  # fmt: skip
    layers.cases.write()


def clipped_lstm(x, w, r, b, h, c, clip, zoneout=(0, 0)):
    """Outputs, final states and cells of a layer; its directions are the first dimension of the weights."""
    outputs, states = [], []
    for d in range(len(w)):
        state, cell, output = h[d], c[d], np.zeros((len(x), x.shape[1], r.shape[2]))
        for t in range(len(x)) if d == 0 else reversed(range(len(x))):
            i, o, f, g = np.split(x[t] @ w[d].T + state @ r[d].T + sum(np.split(b[d], 2)), 4, axis=1)
            now = np.clip(sigmoid(f) * cell + sigmoid(i) * np.tanh(g), -clip, clip)
            output[t] = sigmoid(o) * np.tanh(now)
            state = zoneout[1] * state + (1 - zoneout[1]) * output[t]
            cell = zoneout[0] * cell + (1 - zoneout[0]) * now
        outputs.append(output)
        states.append((state, cell))
    return np.concatenate(outputs, axis=2), *(np.stack(part) for part in zip(*states))


class ClippedLstms:
    def __init__(self):
        self.cases = Cases("LSTM", "lstm_clip")

    def operands(self, steps, batch, inputs, hidden, directions=1, dtype=np.float32, cells=4):
        shapes = [(steps, batch, inputs), (directions, 4 * hidden, inputs), (directions, 4 * hidden, hidden),
                  (directions, 8 * hidden), (directions, batch, hidden), (directions, batch, hidden)]  # fmt: skip
        random = np.random.default_rng(len(self.cases.lines))
        values = [random.uniform(-0.5, 0.5, shape).astype(dtype) for shape in shapes]
        values[5] *= cells  # many cells beyond the clip
        return values

    def add(self, name, sizes, clip, zoneout=(0, 0), dtype=np.float32, **how):
        values = self.operands(*sizes, dtype=dtype, **how)
        results = clipped_lstm(*(value.astype(np.float64) for value in values), clip, zoneout)
        params = {"OH_NN_LSTM_HAS_BIAS": np.bool_([True]), "OH_NN_LSTM_CELL_CLIP": np.float32([clip])}
        if len(values[1]) == 2:
            params["OH_NN_LSTM_BIDIRECTIONAL"] = np.bool_([True])
        for role, factor in zip(("CELL", "HIDDEN"), zoneout):
            if factor:
                params[f"OH_NN_LSTM_ZONEOUT_{role}"] = np.float32([factor])
        tolerance = 2e-3 if dtype == np.float16 else 2e-5
        self.cases.add(name, "numpy float64", [Given(x, constant=0 < i < 4) for i, x in enumerate(values)],
                       [Given(y.astype(dtype)) for y in results], params, {"abs": tolerance, "rel": tolerance})  # fmt: skip


def lstm_clip():
    layers = ClippedLstms()
    layers.add("tight", (5, 2, 3, 4), 0.25)
    layers.add("odd_hidden", (4, 3, 5, 7), 0.5)
    layers.add("both", (4, 2, 3, 4, 2), 0.25)
    layers.add("wide", (3, 2, 6, 21), 0.75)
    layers.add("one_step", (1, 1, 2, 3), 0.5)
    layers.add("unreached", (3, 2, 4, 8), 10)
    layers.add("keras", (6, 1, 4, 8), 10, cells=60)
    layers.add("zoneout", (3, 1, 4, 8), 0.5, zoneout=(0.25, 0.5))
    layers.add("float16", (3, 2, 4, 8), 0.5, dtype=np.float16)
    for name, clip in [("negative", -1), ("nan", np.nan)]:
        values = layers.operands(2, 1, 3, 4)
        layers.cases.add(f"reject_{name}", "none", values, [np.zeros((2, 1, 4), np.float32), values[4], values[5]],
                         {"OH_NN_LSTM_CELL_CLIP": np.float32([clip])}, expect="reject", tags=["reject"])  # fmt: skip
    layers.cases.write()


gru()
rnn()
lstm_clip()
