"""Quantizes third-party networks: pretrained_quantize_test.py NNRT MODELS.

Skipped if MODELS has no index.json. Each network below is calibrated with its samples; the result must keep their
classes and be close to the float model's scores. The authors' INT8 file is shown next to it, if there is one.
"""

import array
import json
import math
import os
import re
import subprocess
import sys
import tempfile

# By name in the index: the minimum SQNR of the outputs in dB, and the maximum file size relative to the float file.
# (hello_world is tiny, the weights of kws_dscnn are INT8 already, and mnist_lstm keeps its float LSTM.)
EXPECTED = {
    "onnx_mnist_cntk": (34.0, 0.6),
    "ad_autoencoder_float": (39.0, 0.3),
    "hello_world_float": (30.0, 1.3),
    "ic_resnet8_float": (25.0, 0.32),
    "kws_dscnn_float": (50.0, 1.2),
    "mnist_lstm_float": (45.0, 0.62),
    "vww_96_float": (38.0, 0.37),
}


def floats_of(path, stored):
    """The elements of a sample as floats; it may be stored as scaled bytes."""
    with open(path, "rb") as file:
        data = file.read()
    if not stored:
        return data
    assert stored["dtype"] == "UINT8", stored
    return array.array("f", (stored["scale"] * byte + stored["offset"] for byte in data)).tobytes()


def write_samples(models, network, folder):
    """Writes a folder per class for nnrt accuracy, or one folder if the network has no classes."""
    stored = network["inputs"][0].get("stored")
    for number, sample in enumerate(network["samples"]):
        of_class = os.path.join(folder, str(sample.get("top1", 0)))
        os.makedirs(of_class, exist_ok=True)
        with open(os.path.join(of_class, f"{number}.bin"), "wb") as file:
            file.write(floats_of(os.path.join(models, sample["inputs"][0]), stored))


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def sqnr_of_maker(models, network, maker):
    """The SQNR between the expected outputs of both files in the index; None without an INT8 file."""
    if maker is None:
        return None
    quant = maker["outputs"][0]["quant"]
    signal = noise = 0
    for ours, theirs in zip(network["samples"], maker["samples"]):
        assert ours["name"] == theirs["name"], theirs
        with open(os.path.join(models, ours["outputs"][0]), "rb") as file:
            want = array.array("f", file.read())
        with open(os.path.join(models, theirs["outputs"][0]), "rb") as file:
            got = array.array("b", file.read())
        signal += sum(value * value for value in want)
        noise += sum((a - quant["scale"] * (b - quant["zero_point"])) ** 2 for a, b in zip(want, got))
    return round(10 * math.log10(signal / noise), 1)


def wrong_classes(nnrt, model, int8, samples):
    results = json.loads(output_of(nnrt, "accuracy", model, int8, samples, "--devices", "cpu", "--json"))["results"]
    return "" if [result["top1"] for result in results] == [1, 1] else "A sample has another class than its name says."


def check(nnrt, models, network, maker, folder):
    """Returns an error message, or an empty string."""
    least, largest_part = EXPECTED[network["name"]]
    model = os.path.join(models, network["file"])
    samples, int8 = os.path.join(folder, "samples"), os.path.join(folder, "int8" + os.path.splitext(model)[1])
    write_samples(models, network, samples)
    report = output_of(nnrt, "quantize", model, "--calibrate", samples, "-o", int8)
    row = re.search(
        r"([\d.]+|exact)(?: +(\d+) of (\d+))?\s*\Z", report.split("outputs, float and INT8")[1].split("\nwrote")[0]
    )
    sqnr = float("inf") if row[1] == "exact" else float(row[1])
    sizes = [os.path.getsize(model), os.path.getsize(int8)]
    print(
        f"{network['name']}: {len(network['samples'])} samples, {sqnr} dB (its maker's {sqnr_of_maker(models, network, maker)}), "
        f"{sizes[0]} bytes before and {sizes[1]} after"
    )
    if sqnr < least:
        return f"The scores have {sqnr} dB, less than {least}."
    if "top1" in network["samples"][0] and row[2] != row[3]:
        return f"Only {row[2]} of {row[3]} samples keep their class."
    if sizes[1] > largest_part * sizes[0]:
        return "The quantized file is too large."
    return wrong_classes(nnrt, model, int8, samples) if "top1" in network["samples"][0] else ""


def main():
    nnrt, models = sys.argv[1:]
    index = os.path.join(models, "index.json")
    if not models or not os.path.exists(index):
        print(f"Skipped: {len(EXPECTED)} networks, because NNRT_MODELS names no folder with an index.json.")
        return 0
    with open(index, encoding="utf-8") as file:
        networks = {network["name"]: network for network in json.load(file)}
    failures = []
    for name in EXPECTED:
        with tempfile.TemporaryDirectory() as folder:
            maker = networks.get(name.replace("_float", "_int8")) if name.endswith("_float") else None
            failures.append(check(nnrt, models, networks[name], maker, folder))
    for name, failure in zip(EXPECTED, failures):
        if failure:
            print(f"{name}: {failure}")
    return 1 if any(failures) else 0


if __name__ == "__main__":
    sys.exit(main())
