"""written_test.py NNRT BENCH_MODELS -- tflite_models_test LIBRARY DELEGATE TOLERANCES...: the .tflite files that nnrt writes, in TensorFlow Lite.

Networks of the benchmarks, small ones, are converted, and some quantized; the program compares the interpreter's own results with those of the delegate."""
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

NEWER = {"maxvit_t", "mobilevit_s",  # TRANSPOSE of six dimensions
         "resnet_18_int8"}  # a scale for each channel of FULLY_CONNECTED
QUANTIZED = ["squeezenet", "mobilenet_v2", "resnet_18"]
NNRT, BENCH_MODELS, PROGRAM = sys.argv[1], sys.argv[2], sys.argv[4:]


def nnrt(*arguments):
    subprocess.run([NNRT, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, NNRT_DEVICES="cpu"))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        models, written, samples = folder / "models", folder / "written", folder / "samples"
        subprocess.run([sys.executable, "-B", pathlib.Path(BENCH_MODELS) / "model_files.py", models, "--small"], check=True)
        written.mkdir()
        samples.mkdir()
        random = numpy.random.default_rng(1)
        for i in range(8):
            numpy.save(samples / f"{i}.npy", random.random((1, 3, 64, 64), numpy.float32) * 2 - 1)
        for file in sorted(models.glob("*.onnx")):
            nnrt("convert", file, "-o", written / f"written_{file.stem}.tflite")
        for network in QUANTIZED:
            nnrt("quantize", models / f"{network}.onnx", "--calibrate", samples, "-o", written / f"written_{network}_quantized.tflite")
        done = subprocess.run([*PROGRAM, written], check=False, text=True, stdout=subprocess.PIPE)
        print(done.stdout)
        refused = {line.split(".tflite")[0].removeprefix("written_") for line in done.stdout.splitlines() if "not run by TensorFlow Lite" in line}
        print(f"{len(refused)} not run by this version of TensorFlow Lite")
        sys.exit(f"not run: {sorted(refused - NEWER)}" if refused - NEWER else done.returncode)


main()
