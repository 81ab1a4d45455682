#!/usr/bin/env python3
"""The networks and operators of the benchmarks: models_test.py NNRT MODELS_DIRECTORY. Each runs, small, on the CPU device."""
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

NNRT, MODELS = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
sys.dont_write_bytecode = True
sys.path.insert(0, str(MODELS))
try:
    import model_files
    import numpy
    import onnx
    import stack
    import zoo
except ImportError as error:
    print(f"Skipped: {error}")
    sys.exit(0)

# Millions of parameters that the papers say. MaxViT's relative position biases are stored expanded: 0.4 more than in its tables.
SIZES = {"squeezenet": 1.24, "mobilenet_v2": 3.49, "mobilenet_v3": 5.47, "shufflenet_v2": 2.27, "mnasnet": 4.36, "efficientnet_b0": 5.27,
         "resnet_18": 11.68, "googlenet": 6.99, "resnet_50": 25.53, "bert_layer": 7.09, "bert_base": 85.05, "gpt2_small": 85.25,
         "vit_b16": 86.57, "efficientnet_v2_s": 21.3, "densenet_121": 7.98, "maxvit_t": 31.3, "mobilevit_s": 5.57, "gpt2_decode": 123.7}


def run(file, folder, seed):
    """The outputs for random inputs."""
    inputs = [word for it in onnx.load(file).graph.input for word in ("--input", f"{it.name}=random:{seed}")]
    subprocess.run([NNRT, "run", file, "-d", "cpu", "--no-fallback", *inputs, "--output", folder / "out.npz"], check=True, capture_output=True,
                   env=dict(os.environ, NNRT_DEVICES="cpu"))
    with numpy.load(folder / "out.npz") as found:
        return [found[name] for name in found.files]


class Models(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)

    def test_networks_depend_on_their_input(self):
        for name in zoo.NETWORKS:
            with self.subTest(name):
                model_files.write(self.folder, name, stack.SMALL, {}, False)
                file = model_files.file_of(self.folder, name)
                once, again = run(file, self.folder, 1)[0], run(file, self.folder, 2)[0]
                self.assertTrue(numpy.isfinite(once).all())
                self.assertFalse((once == again).all())

    def test_the_detector_selects_boxes(self):
        model_files.write(self.folder, "detector", stack.SMALL, {}, False)
        selected = run(model_files.file_of(self.folder, "detector"), self.folder, 1)[0]
        self.assertGreater(selected.shape[0], 0)
        self.assertEqual(selected.shape[1], 3)  # batch, class, box

    def test_networks_are_as_large_as_the_papers_say(self):
        for name, millions in SIZES.items():
            graph = zoo.NETWORKS[name](stack.Scale()).graph
            count = sum(math.prod(constant.dims) for constant in graph.initializer if constant.data_type == constant.FLOAT)
            self.assertAlmostEqual(count / 1e6, millions, delta=0.01 * millions, msg=name)

    def test_operators_run_with_channels_last(self):
        model_files.write(self.folder, "operators", stack.Scale(), {"dtype": "float16"}, False)
        for name, operator in zoo.OPERATORS.items():
            if operator.large or name.startswith("elementwise"):
                continue
            with self.subTest(name):
                self.assertTrue(run(model_files.file_of(self.folder / "operators", name), self.folder, 1))

    def test_work_of_an_operator(self):
        convolution, product, relu = (zoo.OPERATORS[name].stack() for name in ("conv/3x3_64_64_56", "matmul/12x128x64x128", "elementwise/relu"))
        self.assertEqual(convolution.operations, 2 * 9 * 64 * 64 * 56 * 56)
        self.assertEqual(product.operations, 2 * 12 * 128 * 64 * 128)
        self.assertEqual(relu.operations, 0)
        self.assertEqual(model_files.bytes_of(relu.finish().model), 2 * 4 * 256 * 256 * 64)

    def test_half_weights_are_halves(self):
        for constant in zoo.NETWORKS["bert_layer"](stack.SMALL, half_weights=True).graph.initializer:
            if constant.data_type == constant.FLOAT:
                values = numpy.frombuffer(constant.raw_data, numpy.float32)
                self.assertTrue((values.astype(numpy.float16).astype(numpy.float32) == values).all())


if __name__ == "__main__":
    unittest.main()
