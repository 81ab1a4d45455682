"""Golden cases of QUANTIZED_16BIT_LSTM and QUANTIZED_LSTM: computed with integers, which are checked here against
real numbers."""

from oracles import lstm as oracle
import numpy as np
from case import Cases, Given

rng = np.random.default_rng(73)
ORACLE = "the definition in integers of Python"
sigmoid = lambda x: 1 / (1 + np.exp(-x))


def near(got, want, scale, steps, name):
    apart = np.abs(np.array(got) * scale - want).max() / scale
    assert apart <= steps, (name, apart)


# QUANTIZED_16BIT_LSTM

cases = Cases("QUANTIZED_16BIT_LSTM")
VALUE, STATE = 1 / 128, 1 / 2048


def operands_16bit(batch, inputs, units, weight_zero):
    int8_values = lambda *shape: rng.integers(-128, 128, shape).astype(np.int8)
    weights = lambda *shape: np.clip(rng.normal(weight_zero, 40, shape), -128, 127).astype(np.int8)
    return ([int8_values(batch, inputs)], [weights(units, inputs) for _ in range(4)], [weights(units, units) for _ in range(4)],
            [rng.integers(-4000, 4000, units).astype(np.int32) for _ in range(4)],
            [rng.integers(-9000, 9000, (batch, units)).astype(np.int16)], [int8_values(batch, units)])  # fmt: skip


def real_16bit(x, weights, recurrent, biases, cx, hx, scale, zero):
    """Computes the same step in floats, to check the oracle."""
    weight = lambda w: (w.astype(float) - zero) * scale
    gates = [(np.concatenate([x, hx], 1) * VALUE) @ np.concatenate([weight(r), weight(w)], 1).T + b * VALUE * scale
             for w, r, b in zip(weights, recurrent, biases)]  # fmt: skip
    gates = [np.clip(g, -8, 8) for g in gates]
    c = np.clip(sigmoid(gates[0]) * np.tanh(gates[2]) + sigmoid(gates[1]) * cx * STATE, -16, 16)
    return c, np.clip(sigmoid(gates[3]) * np.tanh(c), -1, 127 / 128)


def lstm_16bit(name, batch, inputs, units, scale=0.01, zero=10, constant=False, shape=None):
    operands = operands_16bit(batch, inputs, units, zero)
    (x,), weights, recurrent, biases, (cx,), (hx,) = operands
    cy, hy = oracle.lstm_16bit(x, weights, recurrent, biases, cx, hx, scale, zero)
    c, h = real_16bit(x, weights, recurrent, biases, cx, hx, scale, zero)
    near(cy, c, STATE, 3, name)
    near(hy, h, VALUE, 1.5, name)
    value, state, weight = (VALUE, 0), (STATE, 0), (scale, zero)
    state_shape = shape and [-1, units]
    cases.add(name, ORACLE,
              [Given(x, quant=value, shape=shape), *(Given(w, quant=weight, constant=constant) for w in weights + recurrent),
               *(Given(b, constant=constant) for b in biases), Given(cx, quant=state, shape=state_shape),
               Given(hx, quant=value, shape=state_shape)],
              [Given(np.int16(cy), quant=state, shape=state_shape), Given(np.int8(hy), quant=value, shape=state_shape)])  # fmt: skip


lstm_16bit("one_unit", 1, 1, 1)
lstm_16bit("as_many_units", 3, 5, 5)
lstm_16bit("more_units", 2, 3, 8)
lstm_16bit("more_inputs", 2, 9, 4)
lstm_16bit("saturated", 2, 8, 8, scale=0.1, zero=-20)
lstm_16bit("small_weights", 2, 6, 4, scale=0.001, zero=0)
lstm_16bit("constant_weights", 2, 4, 4, constant=True)
lstm_16bit("open", 2, 4, 4, shape=[-1, 4])


def reject_16bit(name, change):
    (x,), weights, recurrent, biases, (cx,), (hx,) = operands_16bit(2, 3, 4, 0)
    inputs = [Given(x, quant=(VALUE, 0)), *(Given(w, quant=(0.01, 0)) for w in weights + recurrent),
              *map(Given, biases), Given(cx, quant=(STATE, 0)), Given(hx, quant=(VALUE, 0))]  # fmt: skip
    outputs = [Given(cx, quant=(STATE, 0)), Given(hx, quant=(VALUE, 0))]
    change(inputs, outputs)
    cases.add(f"reject_{name}", ORACLE, inputs, outputs, expect="reject")


def set_quant(index, quant):
    return lambda inputs, _: setattr(inputs[index], "quant", quant)


reject_16bit("input_scale", set_quant(0, (0.01, 0)))
reject_16bit("state_scale", set_quant(13, (0.01, 0)))
reject_16bit("different_weights", set_quant(4, (0.02, 0)))
reject_16bit("weights_without_scale", set_quant(1, None))
reject_16bit("output_scale", lambda _, outputs: setattr(outputs[1], "quant", (VALUE, 3)))
reject_16bit("weight_shape", lambda inputs, _: setattr(inputs[3], "array", inputs[3].array[:, :2]))
reject_16bit("bias_shape", lambda inputs, _: setattr(inputs[9], "array", inputs[9].array[:3]))
cases.write()

# QUANTIZED_LSTM

cases = Cases("QUANTIZED_LSTM")
P = "OH_NN_QUANTIZED_LSTM_"
GATES = (0.004, 0.005, 0.006, 0.0045)
FINE = (2.0**-12,) * 4
COUPLED, PEEPHOLES, NORM, PROJECTION = {1, 5, 12}, {9, 10, 11}, {20, 21, 22, 23}, {16, 17}


def operand(i, inputs, units, outputs, batch):
    """The values and the quantization."""
    shape = ((batch, inputs) if i == 0 else (units, inputs) if i < 5 else (units, outputs) if i < 9
             else (outputs, units) if i == 16 else (outputs,) if i == 17 else (batch, outputs) if i == 18
             else (batch, units) if i == 19 else (units,))  # fmt: skip
    if i in (12, 13, 14, 15, 17):
        return rng.integers(-20000, 20000, shape).astype(np.int32) // (16 if i == 17 else 1), None
    if i in (9, 10, 11):
        return rng.integers(-8000, 8000, shape).astype(np.int16), (2.0**-14, 0)
    if i >= 20:
        return rng.integers(500, 30000, shape).astype(np.int16), (2.0**-15, 0)
    if i == 19:
        return rng.integers(-16000, 16000, shape).astype(np.int16), (2.0**-12, 0)
    return rng.integers(-128, 128, shape).astype(np.int8), {0: (0.02, 5), 18: (1 / 128, -2)}.get(i, (0.006, 0))


def real_lstm(ops, quant, gate_scales, hidden_scale, cell_clip):
    """hy (without a projection) and cy in real numbers."""
    value = lambda i: (ops[i].astype(float) - quant[i][1]) * quant[i][0]

    def gate(g, cell, peephole):
        a = value(0) @ value(1 + g).T + value(18) @ value(5 + g).T
        if peephole and ops[peephole] is not None:
            a = a + value(peephole) * cell
        a = a / gate_scales[g] * 2.0**-12
        if ops[20 + g] is None:
            return np.clip(a, -8, 8)
        a = (a - a.mean(1, keepdims=True)) / np.maximum(a.std(1, keepdims=True), 2.0**-12)
        return np.clip(a * value(20 + g) + ops[12 + g] * quant[20 + g][0] / 1024, -8, 8)

    c, f = value(19), sigmoid(gate(1, value(19), 10))
    i = 1 - f if ops[1] is None else sigmoid(gate(0, c, 9))
    c = f * c + i * np.tanh(gate(2, c, None))
    limit = cell_clip or 32767 * quant[19][0]
    c = np.clip(c, -limit, limit)
    return sigmoid(gate(3, c, 11)) * np.tanh(c), c


def lstm(name, batch, inputs, units, outputs=None, without=frozenset(), scales=FINE, hidden=1 / 128, zero=0, cell_clip=0.0,
         proj_clip=0.0, constant=True, cell_exponent=-12, shape=None):  # fmt: skip
    outputs = outputs or units
    ops, quant = map(list, zip(*(operand(i, inputs, units, outputs, batch) for i in range(24))))
    quant[19] = (round(2.0**cell_exponent, 10), 0)
    if cell_exponent > -11:
        ops[19] = ops[19] // 4
    given = [None if i in without else op for i, op in enumerate(ops)]
    hy, cy = oracle.quantized_lstm(given, quant, scales, hidden, zero, cell_clip, proj_clip)
    h, c = real_lstm(given, quant, scales, hidden, cell_clip)
    near(cy, c, 2.0**cell_exponent, max(24, 0.02 / 2.0**cell_exponent), name)
    if 16 in without:
        near(np.array(hy) + zero, h, hidden, 4, name)
    params = {P + "GATE_SCALES": np.float32(scales), P + "HIDDEN_SCALE": np.float32([hidden])}
    if zero: params[P + "HIDDEN_ZERO_POINT"] = np.int64([zero])
    if cell_clip: params[P + "CELL_CLIP"] = np.float32([cell_clip])
    if proj_clip: params[P + "PROJ_CLIP"] = np.float32([proj_clip])
    if without: params[P + "OMITTED"] = np.int64(sorted(without))
    fed = (0, 18, 19)
    rows = [Given(op if i not in without else np.zeros(1, op.dtype), quant=quant[i] if i not in without else None,
                  constant=i not in fed and (constant or i in without), shape=[-1, op.shape[1]] if shape and i in fed else None)
            for i, op in enumerate(ops)]  # fmt: skip
    out = [Given(np.int8(hy), quant=quant[18]), Given(np.int16(cy), quant=quant[19]), Given(np.int8(hy), quant=quant[18])]
    if shape:
        for o in out: o.shape = [-1, o.array.shape[1]]
    cases.add(name, ORACLE, rows, out, params)


PLAIN = PEEPHOLES | NORM | PROJECTION
lstm("plain", 2, 4, 5, without=PLAIN)
lstm("gate_scales", 2, 4, 5, without=PLAIN, scales=(0.0003, 0.0002, 0.00025, 0.0004))
lstm("coupled", 2, 4, 5, without=PLAIN | COUPLED)
lstm("peepholes", 2, 4, 5, without=NORM | PROJECTION)
lstm("coupled_peepholes", 2, 4, 5, without=NORM | PROJECTION | COUPLED | {9})
lstm("norm", 2, 6, 8, without=PEEPHOLES | PROJECTION, scales=GATES)
lstm("coupled_norm", 2, 6, 8, without=PEEPHOLES | PROJECTION | COUPLED | {20}, scales=GATES)
lstm("norm_and_peepholes", 3, 6, 8, without=PROJECTION, scales=GATES)
lstm("norm_of_many_units", 1, 16, 40, without=PEEPHOLES | PROJECTION, scales=GATES)
lstm("projection", 2, 4, 6, 3, without=PEEPHOLES | NORM)
lstm("projection_without_bias", 2, 4, 6, 3, without=PEEPHOLES | NORM | {17}, hidden=0.01)
lstm("all", 3, 7, 9, 4, scales=GATES, hidden=0.009, zero=4)
lstm("hidden_zero_point", 2, 4, 5, without=PLAIN, hidden=1 / 100, zero=-7)
lstm("cell_clip", 2, 4, 5, without=PLAIN, cell_clip=1.5)
lstm("projection_clip", 2, 4, 6, 3, without=PEEPHOLES | NORM, proj_clip=0.2)
lstm("coarse_cell", 2, 4, 5, without=PLAIN, cell_exponent=-9)
lstm("fine_cell", 2, 4, 5, without=PLAIN, cell_exponent=-15)
lstm("one_unit", 1, 1, 1, without=PLAIN)
lstm("weights_of_the_run", 2, 4, 5, without=PLAIN, constant=False)
lstm("open", 2, 4, 5, without=PLAIN, shape=True)


def reject(name, change=lambda rows, params: None, without=PLAIN):
    ops, quant = zip(*(operand(i, 3, 4, 4, 2) for i in range(24)))
    rows = [Given(op if i not in without else np.zeros(1, op.dtype), quant=quant[i] if i not in without else None)
            for i, op in enumerate(ops)]  # fmt: skip
    params = {P + "GATE_SCALES": np.float32(FINE), P + "HIDDEN_SCALE": np.float32([0.01]),
              P + "OMITTED": np.int64(sorted(without))}  # fmt: skip
    change(rows, params)
    outputs = [Given(ops[18], quant=quant[18]), Given(ops[19], quant=quant[19]), Given(ops[18], quant=quant[18])]
    cases.add(f"reject_{name}", ORACLE, rows, outputs, params, expect="reject")


def without_param(name):
    return lambda rows, params: params.pop(P + name)


def with_param(name, value):
    return lambda rows, params: params.update({P + name: value})


reject("no_gate_scales", without_param("GATE_SCALES"))
reject("no_hidden_scale", without_param("HIDDEN_SCALE"))
reject("half_an_input_gate", without=PLAIN | {1})
reject("half_of_the_peepholes", without=NORM | PROJECTION | {10})
reject("half_of_the_norm_weights", without=PEEPHOLES | PROJECTION | {21})
reject("bias_of_no_projection", without=PEEPHOLES | NORM | {16})
reject("omitted_weights", with_param("OMITTED", np.int64(sorted(PLAIN | {2}))))
reject("omitted_out_of_range", with_param("OMITTED", np.int64([24])))
reject("gate_scale", with_param("GATE_SCALES", np.float32([1, 1, 0, 1])))
reject("clip", with_param("CELL_CLIP", np.float32([-1])))
reject("hidden_zero_point", with_param("HIDDEN_ZERO_POINT", np.int64([200])))
reject("cell_scale", lambda rows, params: setattr(rows[19], "quant", (0.001, 0)))
reject("weight_zero_point", lambda rows, params: setattr(rows[2], "quant", (0.006, 1)))
reject("weight_shape", lambda rows, params: setattr(rows[2], "array", rows[2].array[:, :2]))
cases.write()
