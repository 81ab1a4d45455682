"""Golden cases of MATMUL_NBITS, computed in float64 from the stored weights."""

import numpy as np
from case import Cases, Given

TOLERANCE = {"abs": 2e-5, "rel": 2e-5}
TOLERANCE_FP16 = {"abs": 2e-2, "rel": 5e-3}
BITS, BLOCK, ACTIVATION = (f"OH_NN_MATMUL_NBITS_{name}" for name in ("BITS", "BLOCK_SIZE", "ACTIVATION_TYPE"))
ACTIVATIONS = {1: lambda y: np.maximum(y, 0), 2: lambda y: np.clip(y, 0, 6)}


def packed(stored, bits):
    """Packs rows into bytes: the first of two elements has the low bits; the last four bits of an odd row are unused."""
    if bits == 8:
        return stored
    stored = np.pad(stored, ((0, 0), (0, stored.shape[1] % 2)))
    return stored[:, ::2] | stored[:, 1::2] << 4


class Weights:
    def __init__(self, random, columns, inner, bits, block, dtype):
        block = block or inner
        blocks = -(-inner // block)
        self.stored = random.integers(0, 2**bits, (columns, inner), dtype=np.uint8)
        self.zero_points = random.integers(0, 2**bits, (columns, blocks), dtype=np.uint8)
        self.scales = (random.uniform(0.5, 2, (columns, blocks)) / 2**bits).astype(dtype)
        self.packed = packed(self.stored, bits)
        self.block = block

    def values(self):
        inner = self.stored.shape[1]
        spread = lambda x: np.repeat(x.astype(np.float64), self.block, axis=1)[:, :inner]  # noqa: E731
        return (self.stored - spread(self.zero_points)) * spread(self.scales)


cases = Cases("MATMUL_NBITS")


def add(name, shape, columns, bits=None, block=None, bias=False, activation=None, dtype=np.float32, fed=False,
        declared=None, tags=(), **expect):  # fmt: skip
    random = np.random.default_rng(len(cases.lines))
    x = np.asarray(random.uniform(-1, 1, shape)).astype(dtype)
    weights = Weights(random, columns, shape[-1] if shape else 1, bits or 4, block, dtype)
    offsets = random.uniform(-1, 1, columns).astype(dtype)
    y = np.atleast_1d(x.astype(np.float64)) @ weights.values().T + (offsets if bias else 0)
    y = ACTIVATIONS.get(activation, lambda y: y)(y).astype(dtype)
    operands = [x] + [Given(w, constant=not fed) for w in (weights.packed, weights.scales, weights.zero_points)]
    if bias:
        operands.append(Given(offsets, constant=not fed))
    params = {BITS: np.int64([bits])} if bits else {}
    params |= {BLOCK: np.int64([block])} if block is not None else {}
    params |= {ACTIVATION: np.int8([activation])} if activation is not None else {}
    output = Given(y)
    if declared:
        operands[0], output.shape = Given(x, shape=declared), [*declared[:-1], columns]
    cases.add(name, "numpy float64", operands, [output], params=params, tags=tags,
              tol=TOLERANCE_FP16 if dtype == np.float16 else TOLERANCE, **expect)  # fmt: skip


for bits in (4, 8):
    add(f"row_{bits}", (1, 64), 32, bits)
    add(f"vector_{bits}", (32,), 5, bits)
    add(f"rows_{bits}", (4, 96), 33, bits, 32)
    add(f"many_rows_{bits}", (19, 64), 48, bits, 16)
    add(f"batch_{bits}", (2, 3, 160), 70, bits, 32, bias=True)
    add(f"odd_length_{bits}", (3, 37), 9, bits)
    add(f"odd_length_many_rows_{bits}", (9, 51), 35, bits, 16, bias=True)
    add(f"odd_block_{bits}", (2, 50), 7, bits, 7)
    add(f"odd_block_many_rows_{bits}", (6, 50), 7, bits, 7)
    add(f"last_block_shorter_{bits}", (2, 200), 6, bits, 128)
    add(f"block_beyond_row_{bits}", (2, 24), 6, bits, 64)
    add(f"one_element_{bits}", (1, 1), 3, bits)
    add(f"relu_{bits}", (2, 64), 20, bits, 32, bias=True, activation=1)
    add(f"relu6_many_rows_{bits}", (8, 64), 20, bits, 32, activation=2)
    add(f"float16_{bits}", (3, 64), 20, bits, 32, bias=True, dtype=np.float16)
    add(f"float16_many_rows_{bits}", (7, 64), 20, bits, dtype=np.float16)
    add(f"fed_{bits}", (2, 48), 10, bits, 16, bias=True, fed=True)
    add(f"fed_many_rows_{bits}", (6, 48), 10, bits, 16, fed=True)
    add(f"dynamic_{bits}", (1, 5, 64), 24, bits, 32, declared=[-1, -1, 64], tags=["dynamic"])
    add(f"long_{bits}", (1, 704), 18, bits, 128)
add("scalar", (), 3, 8)
add("default_bits", (2, 32), 8)
add("block_0", (2, 32), 8, 8, 0)

x = np.zeros((2, 32), np.float32)
weight, scales, zeros = np.zeros((8, 16), np.uint8), np.ones((8, 1), np.float32), np.zeros((8, 1), np.uint8)
y = np.zeros((2, 8), np.float32)
for what, operands, params in [
    ("bits", [x, weight, scales, zeros], {BITS: np.int64([2])}),
    ("block", [x, weight, scales, zeros], {BLOCK: np.int64([-1])}),
    ("row_bytes", [x, weight[:, 1:], scales, zeros], {}),
    ("blocks", [x, weight, scales, zeros], {BLOCK: np.int64([16])}),
    ("scales", [x, weight, scales[1:], zeros], {}),
    ("zero_points", [x, weight, scales, zeros[1:]], {}),
    ("rank", [x, weight[0], scales, zeros], {}),
    ("bias", [x, weight, scales, zeros, np.zeros(7, np.float32)], {}),
    ("int8", [x, weight.astype(np.int8), scales, zeros], {}),
    ("without_zero_points", [x, weight, scales], {}),
]:
    cases.add(f"reject_{what}", "none", operands, [y], params=params, expect="reject", tags=["reject"])
cases.write()
