"""run.py LIBRARY MODEL [KEY=VALUE]...: runs an ONNX model in ONNX Runtime, with NNRt's execution provider before the CPU's.

LIBRARY is the path of libnnrt_onnxruntime.so. Options are those of docs/onnxruntime.md, such as device=gpu. Inputs are random; open dimensions are 1."""

import sys

import numpy
import onnxruntime

TYPES = {"tensor(float)": "float32", "tensor(float16)": "float16", "tensor(double)": "float64", "tensor(int64)": "int64",
         "tensor(int32)": "int32", "tensor(uint8)": "uint8", "tensor(int8)": "int8", "tensor(bool)": "bool"}


def random_input(declared):
    shape = [size if isinstance(size, int) else 1 for size in declared.shape]
    return numpy.random.default_rng(0).random(shape).astype(TYPES[declared.type])


def main(library, model, *options):
    onnxruntime.register_execution_provider_library("nnrt", library)
    devices = [it for it in onnxruntime.get_ep_devices() if it.ep_name == "NNRtExecutionProvider"]
    for device in devices:
        print(device.ep_metadata["type"], device.ep_metadata["nnrt_device"], sep="\t")
    auto = next(it for it in devices if it.ep_metadata["type"] == "auto")

    session_options = onnxruntime.SessionOptions()
    session_options.add_provider_for_devices([auto], dict(option.split("=", 1) for option in options))
    session = onnxruntime.InferenceSession(model, session_options)
    inputs = {it.name: random_input(it) for it in session.get_inputs()}
    for output, result in zip(session.get_outputs(), session.run(None, inputs)):
        print(output.name, result.dtype, result.shape, result.ravel()[:4])


if __name__ == "__main__":
    main(*sys.argv[1:])
