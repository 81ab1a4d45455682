"""What the tool (TEST_TOOL) says of inputs whose shape is open, and whether the shapes that it names work."""

import os
import re
import subprocess
import unittest

import numpy

from model_files import ModelTest
from onnx_writer import OnnxModel

TOOL = os.environ.get("TEST_TOOL")
WEIGHTS = numpy.random.default_rng(1).normal(size=(4, 3, 2, 2)).astype("f4")
SHAPE = re.compile(r"--shape ([^ `]+?)(?=[. `]|$)")


def image_network():
    """A convolution of an image of any size."""
    return OnnxModel().constant("w", WEIGHTS).node("Conv", ["x", "w"], ["c"]).input("x", (None, 3, None, None))


@unittest.skipUnless(TOOL, "without the tool")
class OpenShapes(ModelTest):
    def nnrt(self, *arguments, code=0):
        done = subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def assert_told(self, model, question, answer):
        """Without a shape, commands ask for it and name one, and so does `plan`; with that one they work."""
        path = self.path(model)
        for command in (["run"], ["bench", "--runs", "1"], ["profile", "--runs", "1"], ["compare", "-d", "cpu,cpu"]):
            text = self.nnrt(command[0], path, *command[1:], code=2)
            self.assertIn(question, text)
            self.assertEqual(text.count("\n"), 1, text)
            self.assertEqual(SHAPE.findall(text.rpartition("The model builds with")[2]), answer, text)
        self.assertEqual(SHAPE.findall(self.nnrt("plan", path)), answer)
        shapes = [it for shape in answer for it in ("--shape", shape)]
        for command in ("run", "plan", "compile"):
            self.nnrt(command, path, *shapes, *(["-o", os.path.join(self.folder, "x.nnrt")] if command == "compile" else []))

    def test_of_images_are_told_by_a_fixed_reshape(self):
        model = image_network().constant("pooled", numpy.array([1, 4 * 32 * 32]))
        model.node("AveragePool", ["c"], ["p"], kernel_shape=[8, 8], strides=[8, 8], pads=[0, 0, 1, 1])
        model.node("Reshape", ["p", "pooled"], ["y"]).output("y", (1, 4096))
        self.assert_told(model, "Input x is open: [?, 3, ?, ?]; give --shape x=1,3,H,W or --input x=FILE.", ["x=1,3,256,256"])

    def test_of_images_are_told_by_a_resize(self):
        model = image_network().constant("sizes", numpy.array([1, 3, 98, 66])).constant("one", numpy.zeros((1, 3, 1, 1), "f4"))
        model.node("Resize", ["one", "", "", "sizes"], ["r"]).node("Add", ["r", "x"], ["s"]).node("Conv", ["s", "w"], ["y"])
        self.assert_told(model.output("y", (1, 4, None, None)), "give --shape x=1,3,H,W or", ["x=1,3,98,66"])

    def test_of_any_image_are_usual_ones(self):
        model = image_network().node("Relu", ["c"], ["y"]).output("y", (None, 4, None, None))
        self.assert_told(model, "give --shape x=1,3,H,W or", ["x=1,3,224,224"])

    def test_of_text_fit_its_positions(self):
        model = OnnxModel().constant("table", numpy.ones((10, 8), "f4")).constant("positions", numpy.ones((1, 64, 8), "f4"))
        model.node("Gather", ["table", "ids"], ["e"]).node("Add", ["e", "positions"], ["p"]).node("Unsqueeze", ["mask", "axis"], ["m"])
        model.constant("axis", numpy.array([2])).node("Mul", ["p", "m"], ["y"])
        model.input("ids", (None, None), "int64").input("mask", (None, None)).output("y", (None, 64, 8))
        self.assert_told(model, "Input ids is open: [?, ?]; give --shape ids=1,N or --input ids=FILE.", ["ids=1,64", "mask=1,64"])

    def test_of_recurrent_states_are_those_of_a_batch_of_1(self):
        model = OnnxModel().constant("w", numpy.ones((512, 8), "f4")).node("MatMul", ["x", "w"], ["m"])
        model.node("Add", ["m", "state"], ["y"]).input("x", (None, None)).input("state", (2, None, 8)).output("y", (2, None, 8))
        self.assert_told(model, "Input x is open: [?, ?]; give --shape x=1,N or", ["x=1,512", "state=2,1,8"])

    def test_of_a_batch_alone_are_1(self):
        model, _ = self.scaled_sum()
        path = self.path(model)
        self.assertIn("[1, 3]", self.nnrt("run", path))
        self.assertEqual(SHAPE.findall(self.nnrt("plan", path)), ["x=1,3"])

    def test_of_a_batch_that_cannot_be_1_are_named(self):
        model = OnnxModel().constant("rows", numpy.array([4, 3])).node("Reshape", ["x", "rows"], ["y"])
        path = self.path(model.input("x", (None, 3)).output("y", (4, 3)))
        self.assertIn("The model builds with --shape x=4,3.\n", self.nnrt("run", path, code=1))
        self.assertEqual(SHAPE.findall(self.nnrt("plan", path)), ["x=4,3"])
        self.nnrt("run", path, "--shape", "x=4,3")

    def test_are_not_named_in_other_errors(self):
        path = self.path(image_network().node("Relu", ["c"], ["y"]).output("y", (None, 4, None, None)))
        self.assertNotIn("--shape", self.nnrt("run", path, "-i", "missing.npy", code=1))
        self.assertNotIn("--shape", self.nnrt("run", path, "-i", "random:x", code=2))

    def test_of_arrays_are_taken(self):
        path = self.path(image_network().node("Relu", ["c"], ["y"]).output("y", (None, 4, None, None)))
        numpy.save(os.path.join(self.folder, "x.npy"), numpy.ones((2, 3, 5, 6), "f4"))
        self.assertIn("[2, 4, 4, 5]", self.nnrt("run", path, "-i", os.path.join(self.folder, "x.npy")))

    def test_that_no_usual_size_fits_are_patterns(self):
        model = OnnxModel().constant("w", WEIGHTS).node("Conv", ["x", "w"], ["c"]).constant("sum", numpy.ones((1, 4, 72, 70), "f4"))
        path = self.path(model.node("Add", ["c", "sum"], ["y"]).input("x", (None, 3, None, None)).output("y", (None, 4, 72, 70)))
        self.assertNotIn("builds", self.nnrt("run", path, code=2))
        self.assertIn("`--shape x=1,3,H,W` plans a run of that shape.", self.nnrt("plan", path))


if __name__ == "__main__":
    unittest.main()
