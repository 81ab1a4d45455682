"""Golden cases of SOFTMAX with this runtime's parameter."""

import numpy as np

from case import Cases, Given

INF = np.inf


def softmax(x, axis, masked_only=False):
    with np.errstate(invalid="ignore"):
        powers = np.exp(x.astype(np.float64) - x.astype(np.float64).max(axis=axis, keepdims=True))
    rows = powers / powers.sum(axis=axis, keepdims=True)
    is_zero = (x == -INF).all(axis=axis, keepdims=True) if masked_only else np.isnan(rows).any(axis=axis, keepdims=True)
    return np.where(is_zero, 0, rows).astype(x.dtype)


def main():
    cases = Cases("SOFTMAX", "softmax_zero_nan")
    random = np.random.default_rng(1)
    values = random.uniform(-4, 4, (3, 5, 8))
    values[0, 1] = -INF  # fully masked
    values[1, 2, :7] = -INF
    values[2, 0, 3] = np.nan
    values[2, 3, 4] = INF
    for dtype, tol in ((np.float32, 1e-6), (np.float16, 2e-3)):
        x = values.astype(dtype)
        for axis in (-1, 1):
            params = {"OH_NN_SOFTMAX_AXIS": np.int64([axis]), "OH_NN_SOFTMAX_ZERO_NAN": np.array([True])}
            cases.add(f"{np.dtype(dtype).name}_axis{axis % 3}", "NumPy in float64", [x], [softmax(x, axis)], params,
                      tol={"abs": tol, "rel": tol})  # fmt: skip
    odd = values[:, :, :7].astype(np.float32)
    params = {"OH_NN_SOFTMAX_ZERO_NAN": np.array([True])}
    cases.add("open_shape", "NumPy in float64", [Given(odd, shape=[-1, 5, 7])], [Given(softmax(odd, -1), shape=[-1, 5, 7])],
              params, tol={"abs": 1e-6, "rel": 1e-6})  # fmt: skip
    for axis in (-1, 1):
        x = values.astype(np.float32)
        params = {"OH_NN_SOFTMAX_AXIS": np.int64([axis]), "OH_NN_SOFTMAX_ZERO_NAN": np.int8([2])}
        cases.add(f"masked_axis{axis % 3}", "NumPy in float64", [x], [softmax(x, axis, True)], params,
                  tol={"abs": 1e-6, "rel": 1e-6}, tags=["special"])  # fmt: skip
    cases.add("reject_number", "none", [odd], [odd], {"OH_NN_SOFTMAX_ZERO_NAN": np.int8([3])}, expect="reject",
              tags=["reject"])  # fmt: skip
    cases.write()


if __name__ == "__main__":
    main()
