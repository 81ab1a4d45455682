"""nnrt.batch.map on dask.array and dask.bag."""

import os
import unittest

import numpy

import nnrt
import nnrt.batch
from model_files import DEVICE, ModelTest
from onnx_writer import OnnxModel

try:
    import dask
    import dask.array
    import dask.bag
except ImportError:
    raise unittest.SkipTest("Dask is not installed.") from None


class Arrays(ModelTest):
    def setUp(self):
        super().setUp()
        dask.config.set(scheduler="synchronous")
        self.x = numpy.random.default_rng(1).normal(size=(23, 3)).astype("f4")

    def test_are_run_in_blocks_of_rows(self):
        model, function = self.scaled_sum()
        path = self.path(model)
        for chunks, batch in (((5, 3), None), ((5, 2), 2), ((23, 3), 4)):
            y = nnrt.batch.map(path, dask.array.from_array(self.x, chunks), device=DEVICE, batch=batch)
            self.assertEqual((y.shape, y.dtype), ((23, 3), numpy.float32))
            numpy.testing.assert_allclose(y.compute(), function(self.x), rtol=1e-6, atol=1e-6)
            numpy.testing.assert_allclose((y.sum(axis=1) + 1).compute(), function(self.x).sum(1) + 1, rtol=1e-5, atol=1e-5)

    def test_of_a_model_of_one_row(self):
        model, function = self.scaled_sum((1, 3))
        y = nnrt.batch.map(self.path(model), dask.array.from_array(self.x, (5, 3)), device=DEVICE)
        numpy.testing.assert_allclose(y.compute(), function(self.x), rtol=1e-6, atol=1e-6)

    def test_of_several_inputs_and_outputs(self):
        model = OnnxModel().node("Add", ["a", "b"], ["sum"]).node("Mul", ["a", "b"], ["product"])
        for name in ("a", "b"):
            model.input(name, (None, 3))
        path = self.path(model.output("sum", (None, 3)).output("product", (None, 3)))
        x = dask.array.from_array(self.x, (5, 3))
        total, product = nnrt.batch.map(path, {"b": (x + 1).rechunk((7, 3)), "a": x}, device=DEVICE)
        numpy.testing.assert_allclose(total.compute(), 2 * self.x + 1, rtol=1e-6, atol=1e-6)
        numpy.testing.assert_allclose(product.compute(), self.x * (self.x + 1), rtol=1e-6, atol=1e-6)

    def test_outputs_without_a_row_for_each_row_raise(self):
        model = OnnxModel().node("ReduceSum", ["x"], ["y"]).input("x", (None, 3)).output("y", (1, 1))
        y = nnrt.batch.map(self.path(model), dask.array.from_array(self.x, (5, 3)), device=DEVICE)
        with self.assertRaisesRegex(nnrt.Error, "for 5 rows of the input"):
            y.compute()


class Bags(ModelTest):
    def setUp(self):
        super().setUp()
        dask.config.set(scheduler="synchronous")

    def test_of_arrays_mappings_and_paths(self):
        model, function = self.scaled_sum()
        arrays = numpy.random.default_rng(1).normal(size=(10, 1, 3)).astype("f4")
        paths = [os.path.join(self.folder, f"{i}.npy") for i in range(10)]
        for path, array in zip(paths, arrays):
            numpy.save(path, array)
        for items in (list(arrays), [{"x": array} for array in arrays], paths):
            for batch in (None, 3):
                bag = dask.bag.from_sequence(items, npartitions=3)
                outputs = nnrt.batch.map(self.path(model), bag, device=DEVICE, batch=batch).compute()
                numpy.testing.assert_allclose(numpy.array(outputs), function(arrays), rtol=1e-6, atol=1e-6)

    def test_a_bad_item_raises(self):
        model, _ = self.scaled_sum()
        bag = dask.bag.from_sequence([os.path.join(self.folder, "none.npy")])
        with self.assertRaises(nnrt.Error):
            nnrt.batch.map(self.path(model), bag, device=DEVICE).compute()


if __name__ == "__main__":
    unittest.main()
