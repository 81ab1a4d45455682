"""Models: declarations and results, with numpy as the oracle."""

import asyncio
import os
import pickle
import shutil
import threading
import time
import unittest
import zipfile
from concurrent.futures import ThreadPoolExecutor

import numpy

import nnrt
from model_files import DEVICE, DIGITS, DIGITS_INT8, SANITIZED, ModelTest, digits_sample
from onnx_writer import OnnxModel


class ModelOfAFile(ModelTest):
    def test_recognizes_digits(self):
        for path, name in ((DIGITS, "onnx_digits"), (DIGITS_INT8, "onnx_digits_int8")):
            model = nnrt.load(path, device=DEVICE)
            for number in range(4):
                image, expected = digits_sample(number, name)
                numpy.testing.assert_allclose(model(image), expected, atol=1e-2 if "int8" in name else 1e-4)

    def test_may_be_bytes(self):
        image, expected = digits_sample(0)
        with open(DIGITS, "rb") as file:
            data = file.read()
        for given in (data, bytearray(data), memoryview(data)):
            model = nnrt.load(given, DEVICE)
            numpy.testing.assert_allclose(model(image), expected, atol=1e-4)
        self.assertTrue(model.placement["nodes"])
        self.assertIn(f"{len(data)} bytes", repr(model))
        with self.assertRaises(nnrt.Error):
            nnrt.load(data[:100], DEVICE)

    def test_declares_inputs_and_outputs(self):
        model = nnrt.load(DIGITS, DEVICE)
        self.assertEqual(model.inputs, (nnrt.TensorInfo("image", numpy.dtype("float32"), (None, 1, 8, 8)),))
        self.assertEqual([info.shape for info in model.outputs], [(None, 10)])
        self.assertEqual(model.device.type, DEVICE)
        fixed = nnrt.load(DIGITS, DEVICE, shapes={"image": (2, 1, 8, 8)})
        self.assertEqual(fixed.inputs[0].shape, (2, 1, 8, 8))
        self.assertEqual(fixed.outputs[0].shape, (2, 10))
        self.assertEqual(nnrt.load(DIGITS, DEVICE, shapes=(None, 1, 8, 8)).inputs, model.inputs)

    def test_takes_inputs_in_order_and_by_name(self):
        model = self.load(
            OnnxModel().node("Sub", ["a", "b"], ["d"]).node("Mul", ["a", "b"], ["p"])
            .input("a", [2]).input("b", [2]).output("d", [2]).output("p", [2]))
        a, b = numpy.float32([5, 7]), numpy.float32([1, 2])
        for d, p in (model(a, b), model(b=b, a=a), model.run([a, b]).values()):
            numpy.testing.assert_array_equal(d, [4, 5])
            numpy.testing.assert_array_equal(p, [5, 14])
        self.assertEqual(list(model.run({"b": b, "a": a})), ["d", "p"])
        with self.assertRaises(TypeError):
            model(a, b=b)

    def test_runs_with_any_size_of_an_open_dimension(self):
        onnx, oracle = self.scaled_sum()
        model = self.load(onnx)
        for rows in (1, 5, 2, 40000, 7):  # the fourth exceeds the initial size of outputs
            x = numpy.random.default_rng(rows).standard_normal((rows, 3), numpy.float32)
            numpy.testing.assert_allclose(model(x), oracle(x), rtol=1e-6, atol=1e-6)

    def test_takes_an_array_by_itself_for_the_only_input(self):
        onnx, oracle = self.scaled_sum()
        x = numpy.ones((5, 3), numpy.float32)
        tensor = nnrt.Tensor.from_numpy(x)
        model = self.load(onnx)
        for given in (x, tensor, [x], (tensor,)):
            (result,) = model.run(given).values()
            numpy.testing.assert_allclose(result, oracle(x), rtol=1e-6)
        (result,) = asyncio.run(model.run_async(x)).values()
        numpy.testing.assert_allclose(result, oracle(x), rtol=1e-6)
        self.assertTrue(model.profile(x, runs=1).operations)

    def test_says_what_is_wrong_with_the_first_shape(self):
        model = nnrt.load(DIGITS, DEVICE)  # its dynamic outputs have no shape before the first run
        with self.assertRaisesRegex(nnrt.Error, r"Shape \[1, 8, 8\] of input 0"):
            model(numpy.zeros((1, 8, 8), numpy.float32))

    def test_results_belong_to_the_caller(self):
        onnx, oracle = self.scaled_sum((2, 3))
        model = self.load(onnx)
        x = numpy.ones((2, 3), numpy.float32)
        first = model(x)
        model(x * 100)
        numpy.testing.assert_array_equal(first, oracle(x))
        first[...] = 0  # and can be written

    def test_converts_numbers_of_a_kind(self):
        onnx, oracle = self.scaled_sum((2, 3))
        model = self.load(onnx)
        x = numpy.arange(6).reshape(2, 3)
        for given in (x, x.astype(numpy.float64), x.tolist(), numpy.asfortranarray(x.astype(numpy.float32)), x[::1]):
            numpy.testing.assert_array_equal(model(given), oracle(x.astype(numpy.float32)))
        numbers = self.load(OnnxModel().node("Abs", ["i"], ["j"]).input("i", [2], "int32").output("j", [2], "int32"))
        numpy.testing.assert_array_equal(numbers(numpy.int64([-3, 4])), [3, 4])
        for wrong in ([1.5, 2], numpy.int64([1 << 40, 0])):
            with self.assertRaises(nnrt.Error) as raised:
                numbers(wrong)
            self.assertEqual(raised.exception.code, nnrt.ReturnCode.INVALID_PARAMETER)

    def test_converts_integers_in_range_alone(self):
        ends = {"int8": (-128, 127), "uint8": (0, 255), "uint16": (0, 65535), "int32": (-2**31, 2**31 - 1),
                "uint32": (0, 2**32 - 1), "int64": (-2**63, 2**63 - 1), "uint64": (0, 2**64 - 1)}
        models = {}
        for dtype in ends:
            onnx = OnnxModel().node("Identity", ["x"], ["y"]).input("x", [1], dtype).output("y", [1], dtype)
            models[dtype] = self.load(onnx)
        for dtype, (least, most) in ends.items():
            for value in {bound + off for pair in ends.values() for bound in pair for off in (-1, 0, 1)}:
                given = [[value]]
                given += [numpy.array([value], it) for it, (low, high) in ends.items() if low <= value <= high]
                for x in given:
                    if least <= value <= most:
                        self.assertEqual(models[dtype].run({"x": x})["y"].tolist(), [value], (dtype, x))
                    else:
                        with self.assertRaises(nnrt.Error, msg=(dtype, x)):
                            models[dtype].run({"x": x})

    def test_takes_a_scalar_after_another_shape(self):
        onnx = OnnxModel().node("Identity", ["x"], ["y"]).input("x", [], "float32").output("y", [], "float32")
        model = self.load(onnx)
        for x in (numpy.float32(1), numpy.float32([2]), numpy.float32(3), 4, numpy.float32([5])):
            try:
                y = model(x)
            except nnrt.Error:
                self.assertEqual(numpy.shape(x), (1,))
                continue
            self.assertEqual(float(y.reshape(())), float(numpy.reshape(x, ())))

    def test_has_all_outputs_of_one_name(self):
        onnx = OnnxModel().node("Neg", ["x"], ["y"]).input("x", [2]).output("y", [2]).output("y", [2])
        model = self.load(onnx)
        self.assertEqual([info.name for info in model.outputs], ["y", "y#2"])
        results = model.run(numpy.float32([1, 2]))
        self.assertEqual({name: value.tolist() for name, value in results.items()}, {"y": [-1, -2], "y#2": [-1, -2]})
        tensor = nnrt.Tensor((2,))
        self.assertIs(model.run(numpy.float32([3, 4]), {"y#2": tensor})["y#2"], tensor)
        numpy.testing.assert_array_equal(tensor.numpy(), [-3, -4])

    def test_takes_an_input_named_self(self):
        model = self.load(OnnxModel().node("Neg", ["self"], ["y"]).input("self", [2]).output("y", [2]))
        numpy.testing.assert_array_equal(model(self=numpy.float32([1, 2])), [-1, -2])

    def test_advances_state_once_where_an_output_outgrows_its_room(self):
        onnx = OnnxModel().constant("one", numpy.float32(1)).node("Add", ["s", "one"], ["s2"])
        onnx.node("Expand", ["x", "n"], ["y"]).input("s", [4]).input("x", [1]).input("n", [1], "int64")
        model = self.load(onnx.output("s2", [4]).output("y", [None]))
        shares = model.may_share_memory("s", "s2")
        self.assertTrue(shares or DEVICE == "gpu")
        state = nnrt.Tensor((4,))
        after = state if shares else nnrt.Tensor((4,))
        for count, length in enumerate((16384, 16385, 3, 100_000, 100_000), 1):
            y = model.run({"s": state, "x": [7], "n": [length]}, {"s2": after})["y"]
            state.numpy()[...] = after.numpy()
            numpy.testing.assert_array_equal(state.numpy(), numpy.full(4, count, "f4"))
            numpy.testing.assert_array_equal(y, numpy.full(length, 7, "f4"))

    def test_takes_scalars_and_every_type(self):
        for dtype in ("float32", "float16", "int32", "int64", "bool", "uint8"):
            for shape in ((), (3,)):
                values = numpy.ones(shape, dtype)
                onnx = OnnxModel().node("Identity", ["x"], ["y"]).input("x", shape, dtype).output("y", shape, dtype)
                model = self.load(onnx)
                got = model(values)
                self.assertEqual((got.dtype, got.shape), (values.dtype, values.shape))
                numpy.testing.assert_array_equal(got, values)


class ModelInSeveralThreads(ModelTest):
    def test_runs_at_once(self):
        onnx, oracle = self.scaled_sum()
        model = self.load(onnx)

        def work(number):
            random = numpy.random.default_rng(number)
            for _ in range(25):
                x = random.standard_normal((int(random.integers(1, 50)), 3), numpy.float32)
                numpy.testing.assert_allclose(model(x), oracle(x), rtol=1e-5, atol=1e-5)

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(work, range(6)))

    def test_lets_other_threads_go_on(self):
        """A counting thread makes progress during a run."""
        size = 640 if DEVICE == "cpu" and not SANITIZED else 256
        weight = numpy.eye(size, dtype=numpy.float32)
        onnx = OnnxModel().constant("w", weight).input("x", (size, size)).output("y30", (size, size))
        for step in range(31):
            onnx.node("MatMul", ["x" if step == 0 else f"y{step - 1}", "w"], [f"y{step}"])
        model, x = self.load(onnx), numpy.ones((size, size), numpy.float32)
        model(x)
        counted, done = [0], threading.Event()

        def count():
            while not done.is_set():
                counted[0] += 1

        thread = threading.Thread(target=count)
        thread.start()
        before, begin = counted[0], time.monotonic()
        y = model(x)
        seconds, during = time.monotonic() - begin, counted[0] - before
        before = counted[0]
        time.sleep(seconds)
        alone = counted[0] - before
        done.set()
        thread.join()
        numpy.testing.assert_array_equal(y, x)
        self.assertGreater(during, alone / 20)  # the run uses cores, too

    def test_is_awaited(self):
        onnx, oracle = self.scaled_sum()
        model = self.load(onnx)

        async def run_all():
            arrays = [numpy.full((rows, 3), rows, numpy.float32) for rows in range(1, 9)]
            results = await asyncio.gather(*(model.run_async({"x": array}) for array in arrays))
            for array, result in zip(arrays, results):
                numpy.testing.assert_array_equal(result["y"], oracle(array))
            with self.assertRaises(nnrt.Error):
                await model.run_async({"z": arrays[0]})

        asyncio.run(run_all())


class Errors(ModelTest):
    def fails(self, code, words, call, *arguments, **named):
        with self.assertRaises(nnrt.Error) as raised:
            call(*arguments, **named)
        self.assertEqual(raised.exception.code, code)
        self.assertIn(words, str(raised.exception))
        return raised.exception

    def test_of_files(self):
        code = nnrt.ReturnCode
        self.fails(code.INVALID_PATH, "nowhere.onnx", nnrt.load, "/nowhere.onnx", DEVICE)
        self.fails(code.UNSUPPORTED, "Dream", self.load, OnnxModel().node("Dream", ["x"], ["y"]).input("x", [1]).output("y", [1]))
        self.fails(code.INVALID_PARAMETER, "(picture)", nnrt.load, DIGITS, DEVICE, shapes={"picture": (1, 1, 8, 8)})
        self.fails(code.INVALID_PARAMETER, "Device (toaster) is not one of", nnrt.load, DIGITS, "toaster")
        self.fails(code.INVALID_PARAMETER, "performance (fast)", nnrt.load, DIGITS, DEVICE, performance="fast")

    def test_of_damaged_files(self):
        corpus = os.path.join(os.environ["TEST_FUZZ"], "tflite", "corpus")
        loaded = []
        for name in sorted(os.listdir(corpus))[:80]:
            try:
                loaded.append(nnrt.load(os.path.join(corpus, name), DEVICE))
            except nnrt.Error as error:
                self.assertGreater(len(str(error)), 20)
        self.assertGreater(len(loaded), 5)
        infos = [info for model in loaded for info in model.inputs + model.outputs]
        quantized = [info.quantization for info in infos if info.quantization]
        self.assertTrue(quantized)
        for quantization in quantized:
            self.assertEqual(len(quantization.scales), len(quantization.zero_points))
            self.assertGreater(min(quantization.scales), 0)

    def test_of_mindspore_files(self):
        """relu6(a + b)"""
        path = os.path.join(os.environ["TEST_FUZZ"], "mindspore", "corpus", "Add_relu6.ms")
        a = numpy.linspace(-4, 8, 36, dtype=numpy.float32).reshape(4, 9)
        b = numpy.linspace(1, -1, 36, dtype=numpy.float32).reshape(4, 9)
        with open(path, "rb") as file:
            for source in (path, file.read()):
                model = nnrt.load(source, DEVICE)
                self.assertEqual([info.name for info in model.inputs], ["input_0", "input_1"])
                numpy.testing.assert_allclose(model(a, b), numpy.clip(a + b, 0, 6), rtol=1e-6, atol=1e-6)

    def test_of_attached_files(self):
        """Files that zipfile appends to a TensorFlow Lite file are found."""
        corpus = os.path.join(os.environ["TEST_FUZZ"], "tflite", "corpus")
        path = os.path.join(self.folder, "labelled.tflite")
        for name in sorted(os.listdir(corpus)):
            try:
                nnrt.load(os.path.join(corpus, name), DEVICE)
            except nnrt.Error:
                continue
            shutil.copy(os.path.join(corpus, name), path)
            break
        self.assertEqual(nnrt.load(path, DEVICE).files, {})
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr("labels.txt", "cat\ndog\n")
            archive.writestr("notes", b"\0\1")
        expected = {"labels.txt": b"cat\ndog\n", "notes": b"\0\1"}
        self.assertEqual(nnrt.load(path, DEVICE).files, expected)
        with open(path, "rb") as file:
            self.assertEqual(nnrt.load(file.read(), DEVICE).files, expected)

    def test_of_runs(self):
        model, code = nnrt.load(DIGITS, DEVICE), nnrt.ReturnCode.INVALID_PARAMETER
        image = numpy.zeros((1, 1, 8, 8), numpy.float32)
        self.fails(code, "The model has no input picture, but image.", model.run, {"picture": image})
        self.fails(code, "Input image is not given.", model.run, {})
        self.fails(code, "The model has 1 input, not 2.", model, image, image)
        error = self.fails(code, ".", model, numpy.zeros((1, 1, 8, 9), numpy.float32))
        self.assertGreater(len(str(error)), 20)  # the runtime's message
        self.fails(code, "float32, not complex64", model, image.astype(numpy.complex64))

    def test_go_from_process_to_process(self):
        error = self.fails(nnrt.ReturnCode.INVALID_PATH, "nowhere", nnrt.load, "/nowhere.onnx", DEVICE)
        copy = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(copy), copy.code), (str(error), error.code))


if __name__ == "__main__":
    unittest.main()
