#!/usr/bin/env python3
"""The peer agrees with NNRt on the benchmarks' networks: peer_test.py NNRT BENCH_DIRECTORY. Uses PyTorch if installed, otherwise
NumPy."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

NNRT, BENCH = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
FILES = [sys.executable, BENCH / "models/model_files.py"]
sys.dont_write_bytecode = True
sys.path[:0] = [str(BENCH / "peers"), str(pathlib.Path(__file__).parent)]
try:
    import numpy
    import onnx_model
except ImportError as error:
    print(f"Skipped: {error}")
    sys.exit(0)
try:
    import torch
except ImportError:
    import numpy_torch as torch
import onnx_patterns  # noqa: E402
import onnx_torch  # noqa: E402

NETWORKS = ["squeezenet", "mobilenet_v2", "mobilenet_v3", "shufflenet_v2", "efficientnet_b0", "resnet_18", "googlenet", "vgg_16",
            "bert_layer", "gpt2_small", "vit_b16", "efficientnet_v2_s", "densenet_121", "maxvit_t", "mobilevit_s", "lstm"]
OPERATORS = ["norm/softmax_197x197", "norm/layer_norm_197x1023", "matmul/12x128x64x128", "attention/12x197x197", "move/transpose_1023x4099",
             "move/shuffle_58_channels", "connect/1x1023x4099", "conv/3x3_197_211_13", "recurrent/lstm_33x1x197", "pool/max_3x3_64_112",
             "elementwise/mul_channels"]


def tensor(array):
    return torch.tensor(array)


def ours(file, inputs, folder):
    command = [NNRT, "run", file, "-d", "cpu", "--output", folder / "out.npz"]
    for name, array in inputs.items():
        numpy.save(folder / f"{name}.npy", array)
        command += ["--input", f"{name}={folder / name}.npy"]
    subprocess.run(command, check=True, capture_output=True, env=dict(os.environ, NNRT_DEVICES="cpu"))
    with numpy.load(folder / "out.npz") as found:
        return [found[name] for name in found.files]


class Peer(unittest.TestCase):
    def compare(self, name, *options):
        with tempfile.TemporaryDirectory() as directory:
            folder = pathlib.Path(directory)
            subprocess.run([*FILES, folder, name, *options], check=True)
            file = folder / (name.replace("/", "-") + ".onnx")
            model = onnx_model.Model(file)
            random = numpy.random.default_rng(1)
            inputs = {each: random.uniform(-1, 1, shape).astype(numpy.float32) for each, shape in model.inputs.items()}
            expected = ours(file, inputs, folder)
        network = onnx_torch.Network(torch, model, "cpu", torch.float32)
        computed = network(*map(tensor, inputs.values()))
        self.assertEqual(len(computed), len(expected))
        for got, want in zip(computed, expected):
            self.assertEqual(tuple(got.shape), want.shape)
            reach = float(numpy.ptp(want))
            self.assertLess(float(numpy.abs(numpy.asarray(got) - want).max()), 1e-3 * reach)

    def test_networks(self):
        for name in NETWORKS:
            with self.subTest(name):
                self.compare(name, "--small")

    def test_batches(self):
        for name in ("vgg_16", "vit_b16", "maxvit_t"):
            with self.subTest(name):
                self.compare(name, "--small", "--batch", "2")

    def test_operators(self):
        for name in OPERATORS:
            with self.subTest(name):
                self.compare(name)

    def test_patterns(self):
        """Every pattern in a transformer layer that PyTorch has a function for is matched."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([*FILES, folder, "gpt2_small", "vit_b16", "efficientnet_b0", "--small"], check=True)
            kinds = {name: [node.kind for node in onnx_patterns.simplified(onnx_model.Model(pathlib.Path(folder, name + ".onnx")))]
                     for name in ("gpt2_small", "vit_b16", "efficientnet_b0")}
        self.assertEqual(kinds["gpt2_small"].count("Attention"), 2)
        self.assertEqual(kinds["gpt2_small"].count("Linear"), 8)
        self.assertEqual(kinds["vit_b16"].count("Attention"), 2)
        self.assertIn("Silu", kinds["efficientnet_b0"])
        for name in ("gpt2_small", "vit_b16"):
            self.assertNotIn("MatMul", kinds[name])

    def test_what_is_not_known_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([*FILES, folder, "squeezenet_int8", "--small"], check=True)
            model = onnx_model.Model(pathlib.Path(folder, "squeezenet_int8.onnx"))
        with self.assertRaisesRegex(onnx_torch.Unsupported, "DequantizeLinear, QuantizeLinear"):
            onnx_torch.Network(torch, model, "cpu", torch.float32)


if __name__ == "__main__":
    unittest.main()
