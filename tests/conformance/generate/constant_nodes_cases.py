"""A network whose weight and shape depend only on constants, so that Build computes them."""

import json

import numpy as np
from case import GOLDEN, Given, data, tensor

x = np.arange(24, dtype=np.float32).reshape(2, 3, 4) / 8
table, bias = np.arange(12, dtype=np.float32).reshape(3, 4) / 4, np.float32([-1.5])
order, rows, columns = np.int32([1, 0]), np.int64([6]), np.int64([3])
y = (x @ (table + bias).T).reshape(6, 3)

axis = {"name": "axis", "dtype": "INT64", "shape": [1], "type": "OH_NN_CONCAT_AXIS", "data": data(np.int64([0]))}
tensors = [tensor("x", Given(x))]
tensors += [tensor(name, Given(array, constant=True)) for name, array in
            [("table", table), ("bias", bias), ("order", order), ("rows", rows), ("columns", columns)]]  # fmt: skip
tensors += [axis]
tensors += [tensor(name, Given(array)) for name, array in
            [("sum", table), ("weight", table.T), ("product", y.reshape(2, 3, 3)), ("shape", np.int64([6, 3])), ("y", y)]]  # fmt: skip
number = {row["name"]: i for i, row in enumerate(tensors)}


def operation(operator, inputs, output, params=()):
    return {"op": f"OH_NN_OPS_{operator}", "inputs": [number[name] for name in inputs],
            "params": [number[name] for name in params], "outputs": [number[output]]}  # fmt: skip


line = {
    "name": "net/constant_nodes", "oracle": "numpy", "tensors": tensors,
    "ops": [operation("ADD", ["table", "bias"], "sum"), operation("TRANSPOSE", ["sum", "order"], "weight"),
            operation("MATMUL", ["x", "weight"], "product"), operation("CONCAT", ["rows", "columns"], "shape", ["axis"]),
            operation("RESHAPE", ["product", "shape"], "y")],
    "inputs": [number["x"]], "outputs": [number["y"]],
    "runs": [{"inputs": [{"shape": list(x.shape), "data": data(x)}],
              "outputs": [{"shape": list(y.shape), "data": data(y)}]}],
    "expect": "ok", "tags": ["float32", "network"],
}  # fmt: skip

# Operators that depend on the format: a 1 x 1 convolution and a pool of constants in NCHW.
image = np.arange(32, dtype=np.float32).reshape(1, 2, 4, 4) / 8 - 1
filters = np.float32([[1, -2], [0.5, 0.25], [-1, 1]]).reshape(3, 1, 1, 2)
convolved = np.einsum("nchw,oc->nohw", image, filters[:, 0, 0]) + np.float32([1, 2, 3]).reshape(1, 3, 1, 1)
pooled = convolved.reshape(1, 3, 2, 2, 2, 2).max(axis=(3, 5))
z = np.arange(12, dtype=np.float32).reshape(1, 3, 2, 2)
kernel = {"dtype": "INT64", "shape": [2], "data": data(np.int64([2, 2]))}
tensors = [tensor("z", Given(z, format="NCHW")), tensor("image", Given(image, constant=True, format="NCHW")),
           tensor("filters", Given(filters, constant=True)), tensor("offsets", Given(np.float32([1, 2, 3]), constant=True)),
           {"name": "kernel", "type": "OH_NN_MAX_POOL_KERNEL_SIZE", **kernel},
           {"name": "stride", "type": "OH_NN_MAX_POOL_STRIDE", **kernel},
           tensor("convolved", Given(convolved, format="NCHW")), tensor("pooled", Given(pooled, format="NCHW")),
           tensor("y", Given(z + pooled, format="NCHW"))]  # fmt: skip
number = {row["name"]: i for i, row in enumerate(tensors)}
in_nchw = {
    "name": "net/constant_nchw", "oracle": "numpy", "tensors": tensors,
    "ops": [operation("CONV2D", ["image", "filters", "offsets"], "convolved"),
            operation("MAX_POOL", ["convolved"], "pooled", ["kernel", "stride"]), operation("ADD", ["z", "pooled"], "y")],
    "inputs": [number["z"]], "outputs": [number["y"]],
    "runs": [{"inputs": [{"shape": list(z.shape), "data": data(z)}],
              "outputs": [{"shape": list(z.shape), "data": data(z + pooled), "tol": {"abs": 1e-5, "rel": 1e-5}}]}],
    "expect": "ok", "tags": ["float32", "network"],
}  # fmt: skip
lines = [json.dumps(case, separators=(",", ":")) + "\n" for case in (line, in_nchw)]
(GOLDEN / "net_constant_nodes.jsonl").write_text("".join(lines))
