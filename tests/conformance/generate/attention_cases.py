"""Golden cases of ATTENTION, computed query by query in float64."""

import numpy as np
from case import Cases, Given

rng = np.random.default_rng(11)
ORACLE = "the definition in float64"
TOL = {"abs": 2e-5, "rel": 2e-5}
HALF = {"abs": 3e-3, "rel": 2e-3}
TO_POSITION, TO_LAST = 1, 2  # values of CAUSAL


def floats(*shape, reach=40):
    return rng.integers(-reach, reach, shape).astype(np.float32) / 16


def bools(*shape):
    return rng.integers(0, 3, shape) > 0


def seen_keys(i, queries, keys, causal):
    last = {0: keys - 1, TO_POSITION: i, TO_LAST: i + keys - queries}[causal]
    return np.arange(keys) <= last


def row_of(query, key, value, mask, scale, seen):
    """The result for one query; `mask` is a row of flags or numbers, or None."""
    if mask is not None and mask.dtype == bool:
        seen = seen & mask
    products = np.where(seen, key @ query * scale, -np.inf)
    if mask is not None and mask.dtype != bool:
        products = np.where(seen, products + mask, -np.inf)
    largest = products.max()
    if largest == -np.inf:
        return np.zeros(value.shape[1])
    weights = np.exp(products - largest)
    return weights / weights.sum() @ value


def attention(query, key, value, mask=None, scale=None, causal=0):
    query, key, value = (x.astype(np.float64) for x in (query, key, value))
    batch, heads, queries, size = query.shape
    keys, group = key.shape[2], heads // key.shape[1]
    if mask is not None:
        mask = np.broadcast_to(mask if mask.dtype == bool else mask.astype(np.float64), (batch, heads, queries, keys))
    scale = size**-0.5 if scale is None else scale
    y = np.zeros((batch, heads, queries, value.shape[3]))
    for b, h, i in np.ndindex(batch, heads, queries):
        own = None if mask is None else mask[b, h, i]
        seen = seen_keys(i, queries, keys, causal)
        y[b, h, i] = row_of(query[b, h, i], key[b, h // group], value[b, h // group], own, scale, seen)
    return y


cases = Cases("ATTENTION")


def add(name, sizes, mask=None, scale=None, causal=0, dtype=np.float32, open_shapes=None, constant=False, reach=40, tags=()):
    """`sizes`: batch, query heads, key heads, queries, keys, query size, value size."""
    batch, heads, key_heads, queries, keys, size, value_size = sizes
    operands = [floats(batch, heads, queries, size, reach=reach), floats(batch, key_heads, keys, size, reach=reach),
                floats(batch, key_heads, keys, value_size)]  # fmt: skip
    operands = [x.astype(dtype) for x in operands]
    if mask is not None and mask.dtype != bool:
        mask = mask.astype(dtype)
    y = attention(*operands, mask, scale, causal).astype(dtype)
    if mask is not None:
        operands.append(mask)
    params = {}
    if scale is not None: params["OH_NN_ATTENTION_SCALE"] = np.float32([scale])
    if causal: params["OH_NN_ATTENTION_CAUSAL"] = np.int8([causal])
    shapes = open_shapes or [None] * 5
    given = [Given(x, shape=shape) for x, shape in zip(operands, shapes)]
    if constant: given[-1].constant = True
    tags = [*tags, "dynamic"] if open_shapes else tags
    cases.add(name, ORACLE, given, [Given(y, shape=shapes[4])], params, HALF if dtype == np.float16 else TOL, tags=tags)


add("plain", (1, 2, 2, 4, 4, 8, 8))
add("one_of_each", (1, 1, 1, 1, 1, 1, 1))
add("one_key", (2, 2, 2, 3, 1, 4, 4))
add("more_keys", (2, 3, 3, 3, 7, 4, 4))
add("more_queries", (1, 2, 2, 9, 5, 4, 4))
add("longer_values", (1, 2, 2, 4, 5, 4, 12))
add("shorter_values", (1, 2, 2, 4, 5, 12, 4))
add("odd_lengths", (1, 2, 2, 5, 6, 7, 5))
add("odd_values", (1, 2, 2, 5, 6, 8, 37))
add("one_query", (1, 4, 4, 1, 9, 8, 8))
add("one_query_of_few_keys", (2, 4, 2, 1, 150, 8, 8))
add("tiles", (1, 1, 1, 53, 131, 8, 8))
add("odd_tiles", (1, 2, 1, 31, 261, 5, 3))
add("long_values", (1, 1, 1, 3, 5, 4, 264))
add("scale", (1, 2, 2, 4, 5, 8, 8), scale=0.5)
add("negative_scale", (1, 2, 2, 4, 5, 8, 8), scale=-0.25)
add("zero_scale", (1, 1, 1, 2, 5, 4, 4), scale=0)
add("large_products", (1, 1, 1, 3, 40, 8, 4), scale=4, reach=400)
add("grouped", (1, 4, 2, 3, 5, 8, 8))
add("grouped_odd", (2, 6, 2, 3, 5, 7, 3))
add("grouped_many", (1, 14, 2, 1, 33, 16, 16))
add("shared_by_all", (1, 8, 1, 4, 6, 8, 8))

for causal, word in [(TO_POSITION, "causal"), (TO_LAST, "causal_to_last")]:
    add(word, (1, 2, 2, 6, 6, 8, 8), causal=causal)
    add(f"{word}_more_keys", (1, 2, 2, 4, 9, 8, 8), causal=causal)
    add(f"{word}_more_queries", (1, 2, 2, 9, 4, 8, 8), causal=causal)
    add(f"{word}_one_query", (1, 2, 1, 1, 7, 8, 8), causal=causal)
    add(f"{word}_tiles", (1, 1, 1, 150, 140, 4, 4), causal=causal)
    add(f"{word}_grouped", (1, 4, 2, 30, 34, 4, 4), causal=causal)
    add(f"{word}_mask", (1, 2, 2, 5, 7, 4, 4), mask=floats(5, 7), causal=causal)
    add(f"{word}_flags", (2, 2, 1, 5, 6, 4, 4), mask=bools(2, 1, 1, 6), causal=causal)
    add(f"{word}_float16", (1, 2, 2, 6, 8, 8, 8), causal=causal, dtype=np.float16)

for kind, draw in [("flags", bools), ("mask", floats)]:
    for word, shape in [("", (2, 4, 5, 7)), ("_of_keys", (7,)), ("_of_queries", (5, 1)), ("_of_both", (5, 7)),
                        ("_of_heads", (4, 1, 1)), ("_of_batch", (2, 1, 1, 7)), ("_of_all_heads", (2, 1, 5, 7)),
                        ("_of_one", (1, 1, 1, 1)), ("_scalar", ())]:  # fmt: skip
        add(f"{kind}{word}", (2, 4, 2, 5, 7, 4, 4), mask=draw(*shape))
    add(f"{kind}_one_query", (2, 4, 2, 1, 11, 8, 8), mask=draw(2, 1, 1, 11))
    add(f"{kind}_tiles", (1, 1, 1, 9, 300, 4, 4), mask=draw(9, 300))
    add(f"{kind}_constant", (1, 2, 2, 5, 7, 4, 4), mask=draw(5, 7), constant=True)
    add(f"{kind}_float16", (1, 2, 2, 5, 7, 4, 4), mask=draw(2, 5, 7), dtype=np.float16)

nothing = bools(6, 9)
nothing[[0, 3]] = False
add("nothing_is_seen", (1, 2, 2, 6, 9, 4, 4), mask=nothing)
add("nothing_is_seen_of_infinities", (1, 2, 2, 6, 9, 4, 4), mask=np.where(nothing, 0, -np.inf).astype(np.float32))
add("nothing_is_seen_by_one_query", (1, 2, 2, 1, 9, 4, 4), mask=np.zeros((1, 9), bool))
add("nothing_is_seen_float16", (1, 2, 2, 6, 9, 4, 4), mask=nothing, dtype=np.float16)
beyond = np.zeros((3, 300), bool)
beyond[0, 290] = beyond[1, 5] = True
add("first_tiles_are_not_seen", (1, 1, 1, 3, 300, 4, 4), mask=beyond)
add("first_tiles_are_infinities", (1, 1, 1, 3, 300, 4, 4), mask=np.where(beyond, 0.5, -np.inf).astype(np.float32))
nan_rows = attention(q := floats(1, 2, 6, 4), k := floats(1, 2, 9, 4), v := floats(1, 2, 9, 4), nothing).astype(np.float32)
for flag in (False, True):
    nan_rows[:, :, [0, 3]] = 0 if flag else np.nan
    cases.add(f"nothing_is_seen_{'zeros' if flag else 'nan'}", ORACLE, [q, k, v, nothing], [nan_rows.copy()],
              {"OH_NN_ATTENTION_ZERO_NAN": np.array([flag])}, TOL, tags=["special"])  # fmt: skip
lowest = np.finfo(np.float32).min
add("lowest_numbers", (1, 1, 1, 6, 9, 4, 4), mask=np.where(nothing, 0, lowest).astype(np.float32), tags=["fp32_range"])
add("lowest_numbers_of_tiles", (1, 1, 1, 3, 300, 4, 4), mask=np.where(beyond, 0, lowest).astype(np.float32),
    tags=["fp32_range"])  # fmt: skip

add("float16", (1, 2, 2, 4, 5, 8, 8), dtype=np.float16)
add("float16_odd", (2, 4, 2, 3, 5, 7, 3), dtype=np.float16)
add("float16_one_query", (1, 4, 4, 1, 35, 8, 8), dtype=np.float16)
add("float16_tiles", (1, 1, 1, 50, 140, 4, 4), dtype=np.float16)

add("dynamic", (2, 4, 2, 5, 7, 4, 4),
    open_shapes=[[-1, 4, -1, 4], [-1, 2, -1, 4], [-1, 2, -1, 4], None, [-1, 4, -1, 4]])  # fmt: skip
add("dynamic_mask", (2, 4, 4, 5, 7, 4, 4), mask=floats(2, 1, 5, 7),
    open_shapes=[[-1, 4, -1, 4], [-1, 4, -1, 4], [-1, 4, -1, 4], [-1, 1, -1, -1], [-1, 4, -1, 4]])  # fmt: skip
add("dynamic_causal", (1, 4, 2, 3, 8, 4, 4), causal=TO_LAST,
    open_shapes=[[1, 4, -1, 4], [1, 2, -1, 4], [1, 2, -1, 4], None, [1, 4, -1, 4]])  # fmt: skip


def reject(name, *operands, y=(1, 2, 4, 8), params=None):
    result = np.zeros(y, operands[0].dtype)
    cases.add(f"reject_{name}", "none", operands, [result], params, expect="reject", tags=["reject"])


q, k, v = floats(1, 2, 4, 8), floats(1, 2, 5, 8), floats(1, 2, 5, 8)
reject("query_rank", q[0], k, v)
reject("key_rank", q, k[0], v)
reject("value_rank", q, k, v[0])
reject("batch", q, floats(2, 2, 5, 8), v)
reject("value_batch", q, k, floats(2, 2, 5, 8))
reject("size", q, floats(1, 2, 5, 7), v)
reject("number_of_values", q, k, floats(1, 2, 6, 8))
reject("value_heads", q, k, floats(1, 1, 5, 8))
reject("heads", floats(1, 3, 4, 8), k, v, y=(1, 3, 4, 8))
reject("mask_shape", q, k, v, floats(3, 5))
reject("mask_rank", q, k, v, floats(1, 1, 2, 4, 5))
reject("mask_dtype", q, k, v, floats(4, 5).astype(np.float16))
reject("mask_of_integers", q, k, v, np.ones((4, 5), np.int32))
reject("causal", q, k, v, params={"OH_NN_ATTENTION_CAUSAL": np.int8([3])})
reject("int32", *[x.astype(np.int32) for x in (q, k, v)])
reject("other_dtype", q, k.astype(np.float16), v)
reject("without_value", q, k)
add("float16_vectors", (1, 1, 1, 50, 140, 16, 24), dtype=np.float16)
add("float16_vectors_grouped", (2, 4, 2, 9, 65, 72, 8), causal=TO_LAST, dtype=np.float16)
add("float16_vectors_mask", (1, 2, 2, 18, 70, 8, 72), mask=floats(2, 18, 70), dtype=np.float16)
add("tiles_of_many_rows", (1, 1, 1, 400, 530, 4, 4))

# A row is NaN where a score is, zeros only where it sees no key.
nan = np.float32(np.nan)
queries, keys, values = np.float32([nan, np.inf, 1, nan]), np.float32([1, 2]), np.float32([3, 3])
q, k, v = (x.reshape(1, 1, -1, 1) for x in (queries, keys, values))
cases.add("nan_queries", ORACLE, [q, k, v], [np.float32([nan, nan, 3, nan]).reshape(q.shape)], tol=TOL, tags=["special"])
cases.add("nan_queries_flags", ORACLE, [q, k, v, np.array([[1, 0], [1, 1], [0, 1], [0, 0]], bool)],
          [np.float32([nan, nan, 3, 0]).reshape(q.shape)], tol=TOL, tags=["special"])  # fmt: skip
cases.add("nan_queries_zeros", ORACLE, [q, k, v], [np.float32([0, 0, 3, 0]).reshape(q.shape)],
          {"OH_NN_ATTENTION_ZERO_NAN": np.int8([2])}, TOL)  # fmt: skip
cases.add("nan_queries_causal", ORACLE, [q, k, v], [np.float32([0, 0, 3, nan]).reshape(q.shape)],
          {"OH_NN_ATTENTION_CAUSAL": np.int8([TO_LAST])}, TOL, tags=["special"])  # fmt: skip
reject("zero_nan", q, k, v, y=q.shape, params={"OH_NN_ATTENTION_ZERO_NAN": np.int8([-1])})

cases.write()
