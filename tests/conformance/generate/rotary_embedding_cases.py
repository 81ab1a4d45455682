"""Golden cases of ROTARY_EMBEDDING, computed in float64."""

import numpy as np
from case import Cases, Given

TOL = {"abs": 2e-6, "rel": 2e-6}
HALF = {"abs": 4e-3, "rel": 4e-3}
INTERLEAVED = "OH_NN_ROTARY_EMBEDDING_INTERLEAVED"
rng = np.random.default_rng(1033)
cases = Cases("ROTARY_EMBEDDING")


def floats(*shape):
    return np.asarray(rng.uniform(-2, 2, shape), np.float32)


def rotated(x, cos, sin, interleaved):
    x, cos, sin = (np.atleast_1d(operand.astype(np.float64)) for operand in (x, cos, sin))
    pairs = cos.shape[-1]
    first = slice(0, 2 * pairs, 2) if interleaved else slice(0, pairs)
    second = slice(1, 2 * pairs, 2) if interleaved else slice(pairs, 2 * pairs)
    a, b, y = x[..., first], x[..., second], x.copy()
    y[..., first] = a * cos - b * sin
    y[..., second] = b * cos + a * sin
    return y


def add(name, x, angles, interleaved=None, constant=False, shape=None, angle_shape=None, tags=()):
    """`angles`: the shape of cos and sin."""
    angle = np.asarray(rng.uniform(-7, 7, angles))
    cos, sin = np.cos(angle).astype(x.dtype), np.sin(angle).astype(x.dtype)
    y = rotated(x, cos, sin, interleaved).astype(x.dtype)
    params = {} if interleaved is None else {INTERLEAVED: np.bool_([interleaved])}
    cases.add(name, "numpy float64",
              [Given(x, shape=shape), *(Given(a, constant=constant, shape=angle_shape) for a in (cos, sin))],
              [Given(y, shape=shape)], params, HALF if x.dtype == np.float16 else TOL, tags=tags)  # fmt: skip


for interleaved, name in ((None, "halves"), (True, "interleaved")):
    add(name, floats(2, 3, 5, 8), (5, 4), interleaved)
    add(f"{name}_constant", floats(2, 3, 5, 8), (5, 4), interleaved, constant=True)
    add(f"{name}_in_vectors", floats(1, 2, 6, 64), (6, 32), interleaved)
    add(f"{name}_odd", floats(2, 2, 3, 14), (3, 7), interleaved)
    add(f"{name}_of_batches", floats(2, 3, 5, 8), (2, 1, 5, 4), interleaved)
    add(f"{name}_of_all", floats(2, 3, 5, 6), (2, 3, 5, 3), interleaved)
    add(f"{name}_of_one_batch", floats(2, 3, 5, 8), (1, 1, 5, 4), interleaved)
    add(f"{name}_heads_behind", floats(2, 5, 3, 8), (2, 5, 1, 4), interleaved)
    add(f"{name}_one_angle", floats(2, 3, 5, 8), (1, 4), interleaved)
    add(f"{name}_rank1_angles", floats(4, 6), (3,), interleaved)
    add(f"{name}_partial", floats(2, 3, 5, 10), (5, 2), interleaved)
    add(f"{name}_partial_in_vectors", floats(2, 2, 3, 32), (3, 8), interleaved)
    add(f"{name}_partial_odd_length", floats(2, 4, 7), (4, 3), interleaved)
    add(f"{name}_one_pair", floats(3, 2), (3, 1), interleaved)
    add(f"{name}_rank2", floats(5, 8), (5, 4), interleaved)
    add(f"{name}_rank7", floats(2, 1, 2, 1, 2, 3, 8), (2, 1, 1, 3, 4), interleaved)
    add(f"{name}_float16", floats(2, 2, 3, 16).astype(np.float16), (3, 8), interleaved)
    add(f"{name}_float16_odd", floats(1, 2, 3, 7).astype(np.float16), (1, 1, 3, 3), interleaved)
    add(f"{name}_dynamic", floats(2, 3, 5, 8), (2, 1, 5, 4), interleaved, shape=[-1, 3, -1, 8],
        angle_shape=[-1, 1, -1, 4], tags=["dynamic"])  # fmt: skip
add("scalar_angle", floats(2, 3, 5, 8), ())
add("not_interleaved", floats(2, 5, 8), (5, 4), False)
add("dynamic_all", floats(2, 3, 5, 8), (5, 4), shape=[-1, -1, -1, -1], angle_shape=[-1, -1], tags=["dynamic"])


def reject(name, x, cos, sin=None):
    cases.add(f"reject_{name}", "none", [x, cos, cos if sin is None else sin], [np.zeros_like(x)],
              expect="reject", tags=["reject"])  # fmt: skip


x = floats(2, 3, 5, 8)
reject("too_many_pairs", x, floats(5, 5))
reject("length", x, floats(4, 4))
reject("batch", x, floats(3, 1, 5, 4))
reject("angle_rank", x, floats(1, 2, 3, 5, 4))
reject("other_sin", x, floats(5, 4), floats(5, 3))
reject("broadcast_sin", x, floats(5, 4), floats(1, 4))
reject("rank1", floats(8), floats(4))
reject("rank8", floats(1, 1, 1, 1, 1, 1, 2, 8), floats(4))
reject("mixed", x, floats(5, 4).astype(np.float16))
reject("int32", x.astype(np.int32), floats(5, 4).astype(np.int32))
cases.add("reject_without_sin", "none", [x, floats(5, 4)], [np.zeros_like(x)], expect="reject", tags=["reject"])
cases.write()
