"""Test models and their paths."""

import os
import tempfile
import unittest

import numpy

import nnrt
from onnx_writer import OnnxModel

DEVICE = os.environ.get("TEST_DEVICE", "cpu")
SANITIZED = "TEST_SANITIZED" in os.environ  # runs are slower, and freed memory is kept for a while
MODELS = os.environ["TEST_MODELS"]
DIGITS = os.path.join(MODELS, "onnx", "digits.onnx")
DIGITS_INT8 = os.path.join(MODELS, "onnx", "digits_int8.onnx")


def digits_sample(number, model="onnx_digits"):
    """Images, and the probabilities computed by another framework."""
    folder = os.path.join(MODELS, "samples", model)
    image = numpy.fromfile(os.path.join(MODELS, "samples", "onnx_digits", f"{number}.in0.bin"), numpy.uint8)
    expected = numpy.fromfile(os.path.join(folder, f"{number}.out0.bin"), numpy.float32)
    return image.reshape(-1, 1, 8, 8).astype(numpy.float32), expected.reshape(-1, 10)


class ModelTest(unittest.TestCase):
    """Provides a temporary folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, model: OnnxModel, name="model.onnx"):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(model.bytes())
        return path

    def load(self, model: OnnxModel, **options):
        return nnrt.load(self.path(model), DEVICE, **options)

    def scaled_sum(self, shape=(None, 3)):
        """y = x * 2 + bias, as a model with a dynamic first dimension and as a function."""
        bias = numpy.array([1, 2, 3], numpy.float32)
        model = OnnxModel().constant("two", numpy.float32(2).reshape(1)).constant("bias", bias)
        model.node("Mul", ["x", "two"], ["m"], "/scale").node("Add", ["m", "bias"], ["y"], "/shift")
        return model.input("x", shape).output("y", shape), lambda x: x * 2 + bias
