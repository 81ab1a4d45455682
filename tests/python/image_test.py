"""Images and classes: nnrt.image, nnrt.top_k, and models in notebooks."""

import os
import struct
import subprocess
import unittest

import numpy

import nnrt
from model_files import DEVICE, DIGITS, DIGITS_INT8, ModelTest, digits_sample


def bitmap(pixels):
    """A 24-bit BMP of RGB pixels."""
    height, width, _ = pixels.shape
    rows = b"".join(row[:, ::-1].tobytes() + bytes(-3 * width % 4) for row in pixels[::-1])
    return b"BM" + struct.pack("<IIIIiiHHIIIIII", 54 + len(rows), 0, 54, 40, width, height, 1, 24, *[0] * 6) + rows


class Images(ModelTest):
    def setUp(self):
        super().setUp()
        self.pixels = numpy.random.default_rng(1).integers(0, 256, (6, 5, 3), dtype=numpy.uint8)
        self.file = os.path.join(self.folder, "x.bmp")
        with open(self.file, "wb") as file:
            file.write(bitmap(self.pixels))

    def test_files_and_bytes_are_read(self):
        numpy.testing.assert_array_equal(nnrt.image.read(self.file), self.pixels)
        numpy.testing.assert_array_equal(nnrt.image.read(bitmap(self.pixels)), self.pixels)
        self.assertEqual(nnrt.image.read(self.file, channels=1).shape, (6, 5, 1))
        self.assertEqual(nnrt.image.read(self.file, channels=4)[..., 3].min(), 255)

    def test_what_is_no_image_is_refused(self):
        for wrong in (b"GIF89a", b""):
            with self.assertRaises(nnrt.Error):
                nnrt.image.read(wrong)
        with self.assertRaisesRegex(nnrt.Error, "nothing.png.* does not exist"):
            nnrt.image.read(os.path.join(self.folder, "nothing.png"))
        with self.assertRaisesRegex(nnrt.Error, "1, 3 or 4 channels, not 2"):
            nnrt.image.read(self.file, channels=2)
        for array in (self.pixels.astype("f4"), self.pixels[..., :2], numpy.zeros((1, 2, 3, 4), "u1")):
            with self.assertRaisesRegex(nnrt.Error, "An image is an array of uint8"):
                nnrt.image.resize(array, 2, 2)
        with self.assertRaisesRegex(nnrt.Error, "0 x 4"):
            nnrt.image.resize(self.pixels, 0, 4)

    def test_resizing_is_bilinear(self):
        self.assertEqual(nnrt.image.resize(self.pixels, 12, 7).shape, (12, 7, 3))
        numpy.testing.assert_array_equal(nnrt.image.resize(self.pixels, 6, 5), self.pixels)
        halves = nnrt.image.resize(self.pixels[:, :4], 3, 2).astype("i4")
        blocks = self.pixels[:, :4].reshape(3, 2, 2, 2, 3).mean((1, 3))
        self.assertLessEqual(numpy.abs(halves - blocks).max(), 1)

    def test_inputs_are_prepared_as_declared(self):
        info = nnrt.load(DIGITS, DEVICE).inputs[0]
        grey = nnrt.image.read(self.file, channels=1)
        pixels = nnrt.image.resize(grey, 8, 8)[..., 0].astype("f4")
        plain = nnrt.image.prepare(self.file, info)
        self.assertEqual((plain.shape, plain.dtype), ((1, 1, 8, 8), numpy.float32))
        numpy.testing.assert_allclose(plain[0, 0], pixels / 127.5 - 1, atol=1e-6)
        for source in (self.file, bitmap(self.pixels), grey, grey[..., 0]):
            given = nnrt.image.prepare(source, info, mean=[10], scale=0.5)
            numpy.testing.assert_allclose(given[0, 0], (pixels - 10) * 0.5, atol=1e-6)
        with self.assertRaisesRegex(nnrt.Error, "The image has 3 channels, but input .* takes 1."):
            nnrt.image.prepare(self.pixels, info)
        with self.assertRaises(nnrt.Error):
            nnrt.image.prepare(self.file, info, mean=[1, 2])

    @unittest.skipUnless("TEST_TOOL" in os.environ, "without the tool")
    def test_inputs_are_those_of_the_tool(self):
        for path in (DIGITS, DIGITS_INT8):
            model = nnrt.load(path, "cpu")
            ours = model(nnrt.image.prepare(self.file, model.inputs[0], mean=3, scale=0.25))
            output = os.path.join(self.folder, "out.npz")
            subprocess.run([os.environ["TEST_TOOL"], "run", path, "-d", "cpu", "-i", self.file, "--mean", "3", "--scale",
                            "0.25", "-o", output], check=True, stdout=subprocess.DEVNULL)
            with numpy.load(output) as theirs:
                numpy.testing.assert_array_equal(ours, theirs[theirs.files[0]])


class Classes(unittest.TestCase):
    def test_the_best_come_first(self):
        best = nnrt.top_k(numpy.array([[0.1, 0.7, 0.2, 0.7, float("nan")]]), 3, ["a", "b", "c"])
        self.assertEqual(best, [(0.7, 1, "b"), (0.7, 3, None), (0.2, 2, "c")])
        self.assertEqual((best[0].score, best[0].class_index, best[0].label), (0.7, 1, "b"))
        self.assertEqual([it.class_index for it in nnrt.top_k([3, 1, 2])], [0, 2, 1])
        self.assertEqual(nnrt.top_k(numpy.array([-128, 127], "i1"), 1), [(127, 1, None)])

    def test_scores_of_several_samples_are_refused(self):
        with self.assertRaisesRegex(nnrt.Error, "are not those of one sample"):
            nnrt.top_k(numpy.zeros((2, 10)))
        with self.assertRaises(nnrt.Error):
            nnrt.top_k([1, 2], -1)

    def test_digits_are_classified(self):
        image, expected = digits_sample(0)
        self.assertEqual(nnrt.top_k(nnrt.load(DIGITS, DEVICE)(image[:1]), 1)[0].class_index, expected[0].argmax())


class Notebooks(ModelTest):
    def test_a_model_shows_its_plan(self):
        onnx, _ = self.scaled_sum((2, 3))
        model = self.load(onnx)
        page = model._repr_html_()
        for part in ("Mul /scale", "Add /shift", "float32", "[2, 3]", model.device.name, "2 of 2 operations on"):
            self.assertIn(part, page)
        self.assertNotIn("<script", page)

    def test_names_are_escaped(self):
        onnx, _ = self.scaled_sum((2, 3))
        page = self.load(onnx.node("Mul", ["y", "two"], ["<b>"], "</td><script>").output("<b>", (2, 3)))._repr_html_()
        self.assertNotIn("<script", page)
        self.assertIn("&lt;b&gt;", page)

    def test_models_without_a_plan_show_their_inputs(self):
        onnx, _ = self.scaled_sum((2, 3))
        path = os.path.join(self.folder, "x.nnrt")
        model = self.load(onnx)
        model.save(path)
        self.assertIn("[2, 3]", nnrt.load(path)._repr_html_())
        model.close()
        self.assertIn("The model is closed.", model._repr_html_())
