"""Quantized models of networks that others trained: pretrained_quantize_test.py NNRT MODELS.

MODELS has an index.json; where it is not there, the test says so and is skipped. Each network below is quantized with
its own samples, and must still name the class of each, near the scores of the float model.
"""

import array
import json
import os
import re
import subprocess
import sys
import tempfile

# By the name in the index: the least signal to noise ratio (SQNR) of the scores, in decibels.
LEAST_SQNR = {"onnx_mnist_cntk": 34.0}


def floats_of(path, stored):
    """The elements of a sample, which may be stored as bytes that stand for floats."""
    with open(path, "rb") as file:
        data = file.read()
    if not stored:
        return data
    assert stored["dtype"] == "UINT8", stored
    return array.array("f", (stored["scale"] * byte + stored["offset"] for byte in data)).tobytes()


def write_samples(models, network, folder):
    """A folder for each class, as nnrt accuracy takes them."""
    stored = network["inputs"][0].get("stored")
    for number, sample in enumerate(network["samples"]):
        of_class = os.path.join(folder, str(sample["top1"]))
        os.makedirs(of_class, exist_ok=True)
        with open(os.path.join(of_class, f"{number}.bin"), "wb") as file:
            file.write(floats_of(os.path.join(models, sample["inputs"][0]), stored))


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def check(nnrt, models, network, least, folder):
    """Returns what is wrong, or nothing."""
    samples, int8 = os.path.join(folder, "samples"), os.path.join(folder, "int8.onnx")
    model = os.path.join(models, network["file"])
    write_samples(models, network, samples)
    report = output_of(nnrt, "quantize", model, "--calibrate", samples, "-o", int8)
    row = re.search(r"([\d.]+|exact) +(\d+) of (\d+)\s*$", report.split("outputs, float and INT8")[1], re.MULTILINE)
    sqnr = float("inf") if row[1] == "exact" else float(row[1])
    results = json.loads(output_of(nnrt, "accuracy", model, int8, samples, "--devices", "cpu", "--json"))["results"]
    sizes = [result["file_bytes"] for result in results]
    print(
        f"{network['name']}: {len(network['samples'])} samples, {sqnr} dB, {sizes[0]} bytes before and {sizes[1]} after, "
        f"top-1 {results[0]['top1']} before and {results[1]['top1']} after"
    )
    if sqnr < least:
        return f"The scores have {sqnr} dB, less than {least}."
    if row[2] != row[3]:
        return f"Only {row[2]} of {row[3]} samples keep their class."
    if [result["top1"] for result in results] != [1, 1]:
        return "A sample has another class than its name says."
    return "" if sizes[1] < 0.6 * sizes[0] else "The quantized file is not much smaller."


def main():
    nnrt, models = sys.argv[1:]
    index = os.path.join(models, "index.json")
    if not models or not os.path.exists(index):
        print(f"Skipped: {len(LEAST_SQNR)} networks, because NNRT_MODELS names no folder with an index.json.")
        return 0
    with open(index, encoding="utf-8") as file:
        networks = {network["name"]: network for network in json.load(file)}
    failures = []
    for name, least in LEAST_SQNR.items():
        with tempfile.TemporaryDirectory() as folder:
            failures.append(check(nnrt, models, networks[name], least, folder))
    for failure in filter(None, failures):
        print(failure)
    return 1 if any(failures) else 0


if __name__ == "__main__":
    sys.exit(main())
