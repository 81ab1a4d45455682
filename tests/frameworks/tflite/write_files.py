"""write_files.py NNRT BENCH_MODELS FOLDER: writes networks of the benchmarks, small ones, as .tflite files, some of them quantized."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy

QUANTIZED = ["squeezenet", "mobilenet_v2", "resnet_18"]
NNRT, BENCH_MODELS, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])


def nnrt(*arguments):
    subprocess.run([NNRT, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, NNRT_DEVICES="cpu"))


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as work:
        models, samples = pathlib.Path(work, "models"), pathlib.Path(work, "samples")
        subprocess.run([sys.executable, "-B", BENCH_MODELS / "model_files.py", models, "--small"], check=True)
        samples.mkdir()
        random = numpy.random.default_rng(1)
        for i in range(8):
            numpy.save(samples / f"{i}.npy", random.random((1, 3, 64, 64), numpy.float32) * 2 - 1)
        for file in sorted(models.glob("*.onnx")):
            nnrt("convert", file, "-o", FOLDER / f"written_{file.stem}.tflite")
        for network in QUANTIZED:
            nnrt("quantize", models / f"{network}.onnx", "--calibrate", samples, "-o", FOLDER / f"written_{network}_quantized.tflite")


main()
