"""Golden cases (../FORMAT.md) of one operator, with NumPy arrays for what goes in and comes out.

    cases = Cases("TRILU")
    cases.add("upper", oracle="numpy.triu", inputs=[x], params={"OH_NN_TRILU_DIAGONAL": np.int64([1])},
              outputs=[np.triu(x, 1)])
    cases.write()

An input is an array, or Given(array, ...) for a constant, a dynamic shape or a quantization. Rounded results need a
tolerance; without one they are compared exactly.
"""

import base64
import dataclasses
import json
import pathlib

import numpy as np

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"
DTYPES = {
    "bool": "BOOL", "int8": "INT8", "int16": "INT16", "int32": "INT32", "int64": "INT64", "uint8": "UINT8",
    "uint16": "UINT16", "uint32": "UINT32", "uint64": "UINT64", "float16": "FLOAT16", "float32": "FLOAT32",
    "float64": "FLOAT64",
}  # fmt: skip


@dataclasses.dataclass
class Given:
    """An operand with properties an array does not have."""

    array: np.ndarray
    constant: bool = False
    shape: list | None = None  # as declared, with -1 for dynamic dimensions
    format: str | None = None  # "NCHW", "NHWC"
    quant: tuple | None = None  # scale, zero point


def given(operand):
    return operand if isinstance(operand, Given) else Given(np.asarray(operand))


def data(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def tensor(name, operand):
    array = operand.array
    row = {"name": name, "dtype": DTYPES[array.dtype.name],
           "shape": list(array.shape) if operand.shape is None else operand.shape}  # fmt: skip
    if operand.format:
        row["format"] = operand.format
    if operand.quant:
        scale, zero_point = operand.quant
        row["quant"] = {"scales": [scale], "zero_points": [zero_point], "bits": [8]}
    if operand.constant:
        row["data"] = data(array)
    return row


def eighths(rng, *shape, reach=40):
    return rng.integers(-reach, reach, shape).astype(np.float32) / 8


def quantize(y, scale, zero):
    """As INT8; halves round away from zero."""
    r = y / scale
    return np.clip(np.sign(r) * np.floor(np.abs(r) + 0.5) + zero, -128, 127).astype(np.int8)


class Cases:
    def __init__(self, operator, file=None):
        """`file` names the file if it holds only some cases of an operator."""
        self.operator = operator
        self.file = file or operator.lower()
        self.lines = []

    def add(self, name, oracle, inputs, outputs, params=None, tol=None, expect="ok", tags=()):
        inputs = [given(operand) for operand in inputs]
        outputs = [given(operand) for operand in outputs]
        tensors = [tensor(f"in{i}", operand) for i, operand in enumerate(inputs)]
        for role, array in (params or {}).items():
            array = np.asarray(array)
            tensors.append({"name": role.lower(), "dtype": DTYPES[array.dtype.name], "shape": list(array.shape),
                            "type": role, "data": data(array)})  # fmt: skip
        first_param, first_output = len(inputs), len(tensors)
        tensors += [tensor(f"out{i}", operand) for i, operand in enumerate(outputs)]
        fed = [i for i, operand in enumerate(inputs) if not operand.constant]
        results = list(range(first_output, len(tensors)))
        run = {"inputs": [{"shape": list(inputs[i].array.shape), "data": data(inputs[i].array)} for i in fed],
               "outputs": [{"shape": list(o.array.shape), "data": data(o.array)} for o in outputs]}  # fmt: skip
        for output, operand in zip(run["outputs"], outputs):
            if tol and operand.array.dtype.kind == "f" or tol and operand.quant:
                output["tol"] = tol
        dtype = DTYPES[inputs[0].array.dtype.name].lower()
        self.lines.append({
            "name": f"{self.file}/{name}", "oracle": oracle, "tensors": tensors,
            "ops": [{"op": f"OH_NN_OPS_{self.operator}", "inputs": list(range(len(inputs))),
                     "params": list(range(first_param, first_output)), "outputs": results}],
            "inputs": fed, "outputs": results, "runs": [run], "expect": expect, "tags": [dtype, *tags],
        })  # fmt: skip

    def write(self):
        path = GOLDEN / f"{self.file}.jsonl"
        path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in self.lines))
        print(f"{path.name}: {len(self.lines)} cases")
