"""A network whose weight and shape come of constants alone, so that Build computes them."""

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
(GOLDEN / "net_constant_nodes.jsonl").write_text(json.dumps(line, separators=(",", ":")) + "\n")
