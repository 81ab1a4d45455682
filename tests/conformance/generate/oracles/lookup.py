"""HASHTABLE_LOOKUP and LSH_PROJECTION."""

import numpy as np

WORD = 2**64


def rotr(x, n):
    return (x >> n | x << 64 - n) % WORD


def fingerprint(key):
    """Fingerprint64 of 8 to 16 bytes."""
    k2 = 0x9AE16A3B2F90404F
    m = k2 + 2 * len(key)
    a = (int.from_bytes(key[:8], "little") + k2) % WORD
    b = int.from_bytes(key[-8:], "little")
    c = (rotr(b, 37) * m + a) % WORD
    d = (rotr(a, 25) + b) * m % WORD
    p = (c ^ d) * m % WORD
    p ^= p >> 47
    q = (d ^ p) * m % WORD
    q ^= q >> 47
    return q * m % WORD


def lsh_projection(seeds, items, weights, mode):
    """`items`: the bytes of each item."""
    bits = []
    for seed in np.asarray(seeds, np.float32).ravel():
        score = 0.0
        for item, weight in zip(items, weights if weights is not None else np.ones(len(items))):
            hashed = fingerprint(seed.tobytes() + bytes(item))
            score += float(weight) * float(hashed - WORD if hashed >= WORD // 2 else hashed)
        bits.append(int(score > 0))
    bits = np.array(bits).reshape(np.shape(seeds))
    if mode == 2:
        return bits.ravel().astype(np.int32)
    numbers = [int("".join(map(str, row)), 2) + (i << len(row) if mode == 3 else 0) for i, row in enumerate(bits)]
    return np.array([number % 2**32 for number in numbers], np.uint32).view(np.int32)


def hashtable_lookup(lookups, keys, values, fill=0):
    """Rows and hits."""
    where = {int(key): i for i, key in enumerate(keys)}
    missing = np.frombuffer(bytes([fill]) * values[0].nbytes, values.dtype).reshape(values.shape[1:])
    rows = [values[where[int(k)]] if int(k) in where else missing for k in lookups]
    return np.array(rows, values.dtype), np.array([int(k) in where for k in lookups], np.uint8)
