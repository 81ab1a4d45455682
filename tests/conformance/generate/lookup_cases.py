"""Golden cases of HASHTABLE_LOOKUP, LSH_PROJECTION and RANDOM_MULTINOMIAL."""

from oracles import lookup as oracle
import numpy as np
from case import Cases, Given

rng = np.random.default_rng(10)
I64 = lambda x: np.int64([x])

# HASHTABLE_LOOKUP

cases = Cases("HASHTABLE_LOOKUP")
BYTE = "OH_NN_HASHTABLE_LOOKUP_FILL_BYTE"


def lookup(name, lookups, keys, values, fill=None, quant=None, hits=np.uint8, shape=None, constant=False):
    lookups, keys = np.int32(lookups), np.int32(keys)
    rows, found = oracle.hashtable_lookup(lookups, keys, values, fill or 0)
    hit_quant = None
    if hits == np.int8:
        found, hit_quant = (found.astype(np.int16) - 128).astype(np.int8), (1.0, -128)
    cases.add(name, "rows by their keys",
              [Given(lookups, shape=shape), Given(keys, constant=constant), Given(values, quant=quant, constant=constant)],
              [Given(rows, quant=quant, shape=shape and [-1, *rows.shape[1:]]), Given(found, quant=hit_quant, shape=shape)],
              None if fill is None else {BYTE: I64(fill)})  # fmt: skip


table = rng.integers(-99, 99, (5, 3)).astype(np.float32) / 4
KEYS = [-7, 0, 3, 12, 999]
lookup("float32", [3, 999, 4, -7], KEYS, table)
lookup("one_dimension", [0, 12, 13], KEYS, table[:, 0])
lookup("three_dimensions", [12, 1, 0], KEYS, np.repeat(table[..., None], 2, 2))
lookup("int32", [3, 5, 0], KEYS, table.astype(np.int32))
lookup("float16", [3, 5, 0], KEYS, table.astype(np.float16))
lookup("int64", [3, 5, 0], KEYS, table.astype(np.int64))
lookup("quantized", [3, 5, 0], KEYS, table.astype(np.int8), fill=128, quant=(0.5, -3))
lookup("quantized_hits", [3, 5, 0], KEYS, table.astype(np.int8), fill=128, quant=(0.5, -3), hits=np.int8)
lookup("all_hit", [999, -7], KEYS, table)
lookup("none_hits", [1, 2, 5000, -100], KEYS, table)
lookup("constant_table", [3, 4], KEYS, table, constant=True)
lookup("open", [3, 4, 0], KEYS, table, shape=[-1])
outputs = [np.zeros((2, 3), np.float32), np.zeros(2, np.uint8)]
wrong = lambda name, inputs, params=None, out=outputs: cases.add(f"reject_{name}", "", inputs, out, params, expect="reject")
wrong("keys_in_no_order", [np.int32([1, 2]), np.int32([1, 5, 3, 7, 9]), table])
wrong("key_count", [np.int32([1, 2]), np.int32(KEYS[:4]), table])
wrong("byte", [np.int32([1, 2]), np.int32(KEYS), table], {BYTE: I64(256)})
wrong("other_quantization", [np.int32([1, 2]), np.int32(KEYS), Given(table.astype(np.int8), quant=(0.5, 0))],
      out=[Given(np.zeros((2, 3), np.int8), quant=(0.25, 0)), outputs[1]])  # fmt: skip
cases.write()

# LSH_PROJECTION

cases = Cases("LSH_PROJECTION")
MODE = "OH_NN_LSH_PROJECTION_MODE"


def project(name, hashes, bits, items, bytes_each, mode, weighted=True, dtype=np.float32, constant=False):
    seeds = (rng.integers(-64, 64, (hashes, bits)) / 64).astype(dtype)
    data = rng.integers(0, 256, (items, bytes_each)).astype(np.uint8)
    weights = (rng.integers(1, 64, items) / 16).astype(dtype) if weighted else None
    y = oracle.lsh_projection(seeds, data, weights, mode)
    inputs = [Given(seeds, constant=constant), data] + ([Given(weights, constant=constant)] if weighted else [])
    cases.add(name, "integers of Python", inputs, [y], {MODE: I64(mode)})


for bytes_each in range(4, 13):
    project(f"dense_{bytes_each}_bytes", 3, 4, 5, bytes_each, 2)
project("sparse", 4, 6, 3, 4, 3)
project("sparse_weighted", 4, 6, 3, 8, 3)
project("sparse_without_weights", 4, 6, 3, 8, 3, weighted=False)
project("sparse_without_ranges", 4, 6, 3, 8, 1, weighted=False)
project("dense_without_weights", 2, 5, 3, 8, 2, weighted=False)
project("32_bits", 3, 32, 2, 4, 1)
project("31_bits_in_ranges", 3, 31, 2, 4, 3)
project("one_item", 2, 3, 1, 4, 2)
project("float16", 3, 4, 3, 8, 2, dtype=np.float16)
project("constant_seeds", 3, 4, 3, 8, 3, constant=True)
seeds, items = np.zeros((2, 3), np.float32), np.zeros((2, 8), np.uint8)
wrong = lambda name, inputs, params, length=6: cases.add(f"reject_{name}", "", inputs, [np.zeros(length, np.int32)],
                                                         params, expect="reject")  # fmt: skip
wrong("long_items", [seeds, np.zeros((2, 13), np.uint8)], {MODE: I64(2)})
wrong("short_items", [seeds, np.zeros((2, 3), np.uint8)], {MODE: I64(2)})
wrong("mode", [seeds, items], {MODE: I64(0)})
wrong("no_mode", [seeds, items], {})
wrong("bits", [np.zeros((1, 33), np.float32), items], {MODE: I64(1)}, 1)
wrong("weight_count", [seeds, items, np.ones(3, np.float32)], {MODE: I64(2)})
cases.write()

# RANDOM_MULTINOMIAL: only draws with a single possible result.

cases = Cases("RANDOM_MULTINOMIAL")
SAMPLES = "OH_NN_RANDOM_MULTINOMIAL_SAMPLES"
NEVER = -np.inf


def draw(name, logits, samples, dtype=np.float32, seeds=(7, -3), shape=None):
    logits = np.array(logits, dtype)
    chosen = np.argmax(np.where(np.isfinite(logits), logits, -1e30), 1)
    y = np.repeat(chosen[:, None], samples, 1).astype(np.int32)
    cases.add(name, "one class has all the probability", [Given(logits, shape=shape), np.int32(seeds)],
              [Given(y, shape=shape and [-1, samples])], {SAMPLES: I64(samples)})  # fmt: skip


draw("one_class", [[0.5], [-3]], 5)
draw("others_never", [[NEVER, 2, NEVER], [0, NEVER, NEVER], [NEVER, NEVER, -9]], 50)
draw("infinity_and_nan_never", [[np.inf, 2, np.nan]], 50)
draw("far_below", [[-2000, 0, -3000], [1e30, 0, 1]], 50)
draw("float16", [[NEVER, 1], [3, NEVER]], 9, np.float16)
draw("other_seeds", [[NEVER, 1], [3, NEVER]], 9, seeds=(-(2**31), 2**31 - 1))
draw("open", [[NEVER, 1], [3, NEVER]], 9, shape=[-1, 2])
wrong = lambda name, inputs, params: cases.add(f"reject_{name}", "", inputs, [np.zeros((1, 4), np.int32)], params,
                                               expect="reject")  # fmt: skip
wrong("nothing_finite", [np.float32([[NEVER, NEVER]]), np.int32([1, 2])], {SAMPLES: I64(4)})
wrong("no_samples", [np.float32([[1, 2]]), np.int32([1, 2])], {SAMPLES: I64(0)})
wrong("one_seed", [np.float32([[1, 2]]), np.int32([1])], {SAMPLES: I64(4)})
wrong("rank", [np.float32([1, 2]), np.int32([1, 2])], {SAMPLES: I64(4)})
cases.write()
