"""run.py LIBRARY MODEL [KEY=VALUE]...: runs a TensorFlow Lite model with NNRt's delegate, and without it.

LIBRARY is the path of libnnrt_tflite.so. Options are those of docs/tflite.md, such as device=gpu. Inputs are random. Prints how far
the results differ and how long a run takes. Needs one of the packages ai-edge-litert, tflite-runtime or tensorflow."""

import sys
import time

import numpy

try:
    from ai_edge_litert.interpreter import Interpreter, load_delegate
except ImportError:
    try:
        from tflite_runtime.interpreter import Interpreter, load_delegate
    except ImportError:
        from tensorflow.lite.python.interpreter import Interpreter, load_delegate

RUNS = 20


def random_input(detail):
    values = numpy.random.default_rng(0).random(detail["shape"])
    if numpy.issubdtype(detail["dtype"], numpy.integer):
        values *= min(numpy.iinfo(detail["dtype"]).max, 255)
    return values.astype(detail["dtype"])


def results_of(interpreter):
    interpreter.allocate_tensors()
    for detail in interpreter.get_input_details():
        interpreter.set_tensor(detail["index"], random_input(detail))
    interpreter.invoke()
    results = [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]
    start = time.perf_counter()
    for _ in range(RUNS):
        interpreter.invoke()
    return results, (time.perf_counter() - start) / RUNS * 1000


def main(library, model, *options):
    delegate = load_delegate(library, dict(option.split("=", 1) for option in options))
    ours, our_ms = results_of(Interpreter(model_path=model, experimental_delegates=[delegate]))
    theirs, their_ms = results_of(Interpreter(model_path=model))
    for i, (a, b) in enumerate(zip(ours, theirs)):
        difference = numpy.abs(a.astype("float64") - b.astype("float64")).max() if a.size else 0
        print(f"output {i}: {a.dtype} {a.shape}, largest difference {difference:.3g}")
    print(f"{our_ms:.2f} ms a run, {their_ms:.2f} ms without the delegate")


if __name__ == "__main__":
    main(*sys.argv[1:])
