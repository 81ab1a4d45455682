#!/usr/bin/env python3
"""Runs a model with 4 GiB of weights in an external file, which must fit in memory once.

large_weights.py NNRT FOLDER_OF_ONNX_WRITER [MEBIBYTES]

The file is sparse: each matrix moves one element and doubles it. Offsets exceed 32 bits."""
import os
import subprocess
import sys
import tempfile

SIZE, START = 8192, 1 << 30  # rows and columns of a matrix; offset of the first one
BYTES = SIZE * SIZE * 4


def write(writer, folder, rows, layers):
    """Returns the model's path and the column in which the result is."""
    model = writer.OnnxModel().input("t0", [rows, SIZE]).output(f"t{layers}", [rows, SIZE])
    column = 0
    with open(os.path.join(folder, "weights"), "wb") as file:
        file.truncate(START + layers * BYTES)
        for layer in range(layers):
            offset, to = START + layer * BYTES, (column + 4099) % SIZE
            file.seek(offset + (column * SIZE + to) * 4)
            file.write(writer.numpy.float32(2).tobytes())
            model.external(f"w{layer}", "float32", [SIZE, SIZE], "weights", offset, BYTES)
            model.node("MatMul", [f"t{layer}", f"w{layer}"], [f"t{layer + 1}"])
            column = to
    path = os.path.join(folder, "model.onnx")
    with open(path, "wb") as file:
        file.write(model.bytes())
    return path, column


def peak_bytes(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(command)} fails.")
    return usage.ru_maxrss * 1024


def check(nnrt, writer, rows, layers):
    numpy = writer.numpy
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as folder:
        path, column = write(writer, folder, rows, layers)
        x = numpy.zeros([rows, SIZE], "float32")
        x[:, 0] = numpy.arange(1, rows + 1)
        numpy.save(os.path.join(folder, "x.npy"), x)
        peak = peak_bytes([nnrt, "run", path, "--device", "cpu", "--input", f"t0={folder}/x.npy", "--output", f"{folder}/out"])
        outputs = os.listdir(f"{folder}/out")
        y = numpy.load(os.path.join(folder, "out", [name for name in outputs if name.endswith(".npy")][0]))
    expected = numpy.zeros([rows, SIZE], "float32")
    expected[:, column] = x[:, 0] * 2.0**layers
    if not numpy.array_equal(y, expected):
        raise SystemExit(f"The result of {rows} rows is wrong.")
    # While a matrix is packed, it is in memory twice.
    limit = (layers + 1) * BYTES + (256 << 20)
    print(f"{rows} rows: {peak >> 20} MiB for {layers * BYTES >> 20} MiB of weights, at most {limit >> 20}")
    if peak > limit:
        raise SystemExit("The weights are in memory more than once.")


def main():
    nnrt, folder = sys.argv[1:3]
    mebibytes = int(sys.argv[3]) if len(sys.argv) > 3 else 4096
    sys.path.insert(0, folder)
    try:
        import onnx_writer
    except ImportError as error:
        raise SystemExit(f"Skipped: {error}") from None
    available = int(next(line for line in open("/proc/meminfo") if line.startswith("MemAvailable")).split()[1]) << 10
    if available < 2 * (mebibytes << 20):
        raise SystemExit("Skipped: there is not enough memory.")
    for rows in (1, 8):  # from the stored order, and packed
        check(nnrt, onnx_writer, rows, (mebibytes << 20) // BYTES)


main()
