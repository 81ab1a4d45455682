"""QUANTIZED_16BIT_LSTM and QUANTIZED_LSTM, computed unit by unit with Python's integers."""

import math

INT8, INT16, INT32 = (-128, 127), (-32768, 32767), (-(2**31), 2**31 - 1)


def clamp(x, limits):
    return max(limits[0], min(limits[1], x))


def trunc(x, y):
    """x / y toward zero."""
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def rdiv(x, n):
    """x / 2^n, half away from zero."""
    return int(math.copysign((abs(x) + (1 << n) // 2) >> n, x))


def times(a, b, bits=16):
    """A product of fixed-point numbers; one of them has no integer bits."""
    exact = a * b
    half = 1 << (bits - 2)
    return clamp(trunc(exact + (half if exact >= 0 else -half), 1 << (bits - 1)), INT16 if bits == 16 else INT32)


def split(factor):
    """Splits a factor into a 31-bit mantissa and an exponent."""
    mantissa, exponent = math.frexp(factor)
    mantissa = round(mantissa * 2**31)
    return (mantissa // 2, exponent + 1) if mantissa == 2**31 else (mantissa, exponent)


def mult(x, factor):
    mantissa, exponent = factor if isinstance(factor, tuple) else split(factor)
    exact = clamp(clamp(x, INT32) << max(exponent, 0), INT32) * mantissa
    nudge = 2**30 if exact >= 0 else 1 - 2**30
    return rdiv(trunc(exact + nudge, 2**31), max(-exponent, 0))


def c16(k):
    return rdiv(k, 16)


def exp_small(a):
    x = a + 4096
    x2 = times(x, x)
    x3, x4 = times(x2, x), times(x2, x2)
    t = rdiv(times(rdiv(x4, 2) + x3, c16(715827883)) + x2, 1)
    e = c16(1895147668)
    return clamp(e + times(e, x + t), INT16)


def exp(a, i):
    """e^a for a of 0 or less with i integer bits."""
    if a == 0:
        return 32767
    f = 15 - i
    q = 2 ** (f - 2)
    r = a % q - q
    result = exp_small(r << i)
    rest = r - a
    if rest >= 2 ** (f + 5):
        return 0
    factors = [1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242]
    for power, k in zip(range(-2, 5), factors):
        if power < i and rest >> (f + power) & 1:
            result = times(result, c16(k))
    return result


def reciprocal(y):
    h = (y + 32768) // 2
    x = c16(1515870810) + times(h, c16(-1010580540))
    for _ in range(3):
        d = 8192 - times(h, x)
        x = clamp(x + clamp(times(x, d) << 2, INT16), INT16)
    return x


def sigmoid(a, i):
    if a == 0:
        return 16384
    s = clamp(reciprocal(exp(-abs(a), i)) << 1, INT16)
    return 32767 - s if a < 0 else s


def tanh(a, i):
    if a == 0:
        return 0
    t = clamp((reciprocal(exp(-abs(a), i + 1)) - 8192) << 2, INT16)
    return -t if a < 0 else t


def lstm_16bit(x, weights, recurrent, biases, cx, hx, weight_scale, weight_zero):
    """x and hx have the zero point 128 subtracted; gates are lists of input, forget, cell, output. Returns cy and hy."""
    cy, hy = [], []
    for values, state, output in zip(x, cx, hx):
        values = [*values, *output]
        rows = ([], [])
        for u in range(len(state)):
            gates = []
            for g in range(4):
                row = [*recurrent[g][u], *weights[g][u]]
                acc = int(biases[g][u]) + sum(int(v) * (int(w) - weight_zero) for v, w in zip(values, row))
                gates.append(clamp(mult(acc, 4096 / 128 * weight_scale), INT16))
            i, f, o = (sigmoid(gates[g], 3) for g in (0, 1, 3))
            z = tanh(gates[2], 3)
            c = clamp(rdiv(rdiv(i * z, 15), 4) + rdiv(f * int(state[u]), 15), INT16)
            rows[0].append(c)
            rows[1].append(clamp(rdiv(rdiv(o * tanh(c, 4), 15), 8), INT8))
        cy.append(rows[0])
        hy.append(rows[1])
    return cy, hy


def inverse_root(var):
    if var <= 1:
        return 2**31 - 1, 0
    s = 11
    while var >= 2**29:
        var, s = var // 4, s + 1
    p = (32 - var.bit_length() - 1) // 2 - 1
    var, s = var << 2 * p, s - p
    y, z = rdiv(var >> 1, 1), 2**28
    for _ in range(5):
        t = clamp(times(times(z, z, 32), z, 32) << 6, INT32)
        z = clamp(times(402653184, z, 32) - times(y, t, 32) << 3, INT32)
    z = times(z, 1518500250, 32)
    return (clamp(z << -s, INT32), 0) if s < 0 else (z, -s)


def normalized(values, weights, bias, scale):
    u = len(values)
    mean = trunc(1024 * sum(values), u)
    var = trunc(sum(a * a for a in values) * (2**20 // u) - mean**2, 2**20)
    root = inverse_root(var if var >= 1 else 0 if scale < 1e-4 else 1)
    result = []
    for a, w, b in zip(values, weights, bias):
        v = mult(1024 * a - mean, root) * int(w) + int(b)
        v = trunc(v + (512 if v >= 0 else -512), 1024)
        result.append(clamp(mult(v, scale * 4096), INT16))
    return result


def dot(a, b, zero=0):
    return sum((int(p) - zero) * int(q) for p, q in zip(a, b))


def quantized_lstm(operands, quant, gate_scales, hidden_scale, hidden_zero=0, cell_clip=0.0, proj_clip=0.0):
    """Operands by number, None if absent; `quant`: scale and zero point by number. Returns hy and cy."""
    x, hx, cx = operands[0], operands[18], operands[19]
    scale = lambda i: quant[i][0]
    k = round(math.log2(scale(19)))
    units = len(cx[0])
    hy, cy = [], []
    for values, output, state in zip(x, hx, cx):

        def gate(g, cell, peephole):
            sums = []
            for u in range(units):
                a = mult(dot(values, operands[1 + g][u], quant[0][1]), scale(1 + g) * scale(0) / gate_scales[g])
                a = clamp(a, INT16)
                back = dot(output, operands[5 + g][u], quant[18][1])
                a = clamp(a + mult(back, scale(5 + g) * scale(18) / gate_scales[g]), INT16)
                if peephole and operands[peephole] is not None:
                    peek = int(operands[peephole][u]) * int(cell[u])
                    a = clamp(a + mult(peek, scale(19) * scale(peephole) / gate_scales[g]), INT16)
                sums.append(a)
            norm = operands[20 + g]
            return sums if norm is None else normalized(sums, norm, operands[12 + g], scale(20 + g))

        f = [sigmoid(a, 3) for a in gate(1, state, 10)]
        z = [tanh(a, 3) for a in gate(2, state, None)]
        i = [32767 - a for a in f] if operands[1] is None else [sigmoid(a, 3) for a in gate(0, state, 9)]
        c = [clamp(rdiv(f[u] * int(state[u]), 15) + rdiv(i[u] * z[u], 30 + k), INT16) for u in range(units)]
        if cell_clip > 0:
            c = [clamp(a, (-int(cell_clip / scale(19)), int(cell_clip / scale(19)))) for a in c]
        o = [sigmoid(a, 3) for a in gate(3, c, 11)]
        hidden = [clamp(mult(o[u] * tanh(c[u], 15 + k), 2**-30 / hidden_scale) - hidden_zero, INT8) for u in range(units)]
        if operands[16] is not None:
            projected = []
            for p, row in enumerate(operands[16]):
                acc = (0 if operands[17] is None else int(operands[17][p])) + hidden_zero * sum(map(int, row))
                acc += dot(hidden, row)
                a = clamp(mult(acc, scale(16) * hidden_scale / scale(18)) + quant[18][1], INT8)
                if proj_clip > 0:
                    a = clamp(a, (-int(proj_clip / scale(16)), int(proj_clip / scale(16))))
                projected.append(a)
            hidden = projected
        hy.append(hidden)
        cy.append(c)
    return hy, cy
