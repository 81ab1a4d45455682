"""Sources and destinations of models: paths of any bytes, open files, offline models, caches, pickles."""

import inspect
import io
import os
import pickle
import subprocess
import sys
import textwrap
import time

import numpy

import nnrt
from model_files import DEVICE, DIGITS, ModelTest, digits_sample
from onnx_writer import OnnxModel

CORPUS = os.path.join(os.environ["TEST_FUZZ"], "tflite", "corpus")


class BytesPath:
    """A PathLike whose path is bytes."""

    def __init__(self, path):
        self._path = os.fsencode(path)

    def __fspath__(self):
        return self._path


class OddNames(OnnxModel):
    """Each question mark becomes a byte that is not UTF-8."""

    def bytes(self):
        return super().bytes().replace(b"?", b"\xff")


class Paths(ModelTest):
    def test_need_not_be_utf8(self):
        onnx, oracle = self.scaled_sum((2, 3))
        folder = os.path.join(os.fsencode(self.folder), b"d\xff\xfe")
        os.mkdir(folder)
        path = os.path.join(folder, b"m\xe9.onnx")
        with open(path, "wb") as file:
            file.write(onnx.bytes())
        x = numpy.ones((2, 3), "f4")
        for given in (os.fsdecode(path), BytesPath(path)):
            model = nnrt.load(given, DEVICE, cache=os.path.join(folder, b"cache"))
            numpy.testing.assert_array_equal(model(x), oracle(x))
            repr(model).encode()
        saved = os.path.join(folder, b"\x80.nnrt")
        model.save(saved)
        numpy.testing.assert_array_equal(nnrt.load(os.fsdecode(saved))(x), oracle(x))

    def test_that_cannot_be_are_refused_in_a_sentence(self):
        for path in ("a\0b.onnx", BytesPath(b"a\0b.onnx"), DIGITS + "\0.txt"):
            with self.assertRaisesRegex(nnrt.Error, "NUL") as raised:
                nnrt.load(path, DEVICE)
            self.assertEqual(raised.exception.code, nnrt.ReturnCode.INVALID_PATH)
        with self.assertRaises(nnrt.Error) as raised:
            nnrt.load(os.fsdecode(b"/nowhere/\xff.onnx"), DEVICE)
        str(raised.exception).encode()  # can be printed
        for source in (3, None, ["x"]):
            with self.assertRaises(nnrt.Error):
                nnrt.load(source, DEVICE)
        with self.assertRaises(nnrt.Error):
            nnrt.load(io.StringIO("text"), DEVICE)

    def test_names_of_tensors_and_nodes_need_not_be_utf8(self):
        name, node = b"in\xff".decode(errors="surrogateescape"), b"n\xff".decode(errors="surrogateescape")
        onnx = OddNames().node("Neg", ["in?"], ["out?"], "n?")
        model = self.load(onnx.input("in?", [None]).output("out?", [None]), shapes={name: (2,)})
        self.assertEqual((model.inputs[0].name, model.inputs[0].shape), (name, (2,)))
        x = numpy.float32([1, 2])
        (result,) = model.run({name: x}).values()
        numpy.testing.assert_array_equal(result, -x)
        numpy.testing.assert_array_equal(model(**{name: x}), -x)
        self.assertIn(node, model.operations[0])
        self.assertTrue(model.placement["nodes"])
        self.assertTrue(model.profile([x], runs=1).operations or "NNRT_HOSTED" in os.environ)
        with self.assertRaises(nnrt.Error) as raised:
            model.run({"other": x})
        str(raised.exception).encode()


class OpenFiles(ModelTest):
    def test_are_read(self):
        image, expected = digits_sample(0)
        with open(DIGITS, "rb") as file:
            for source in (io.BytesIO(file.read()), file):
                source.seek(0)
                numpy.testing.assert_allclose(nnrt.load(source, DEVICE)(image), expected, atol=1e-4)


class OfflineModels(ModelTest):
    def test_load_on_their_own_device(self):
        image, expected = digits_sample(0)
        path = os.path.join(self.folder, "digits.nnrt")
        nnrt.load(DIGITS, DEVICE).save(path)
        with open(path, "rb") as file:
            data = file.read()
        for source in (path, data, io.BytesIO(data)):
            model = nnrt.load(source)
            self.assertEqual(model.device.type, DEVICE)
            numpy.testing.assert_allclose(model(image), expected, atol=1e-4)
            self.assertEqual(model.inputs, nnrt.load(DIGITS, DEVICE).inputs)
        for other in nnrt.devices():
            if other != model.device:
                with self.assertRaises(nnrt.Error):
                    nnrt.load(data, other)
        with self.assertRaises(nnrt.Error) as raised:
            model.save(path)  # an offline model has nothing to export
        self.assertEqual(raised.exception.code, nnrt.ReturnCode.UNSUPPORTED)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), data)
        self.assertEqual(os.listdir(self.folder), ["digits.nnrt"])
        for damaged in (data[:100], data[:-1], data + b"x"):
            with self.assertRaises(nnrt.Error):
                nnrt.load(damaged)

    def test_keep_what_the_file_says(self):
        path, kept = os.path.join(self.folder, "model.nnrt"), 0
        for name in sorted(os.listdir(CORPUS))[:80]:
            with open(os.path.join(CORPUS, name), "rb") as file:
                data = file.read()
            try:
                model = nnrt.load(data, DEVICE)
            except nnrt.Error:
                continue
            model.save(path)
            offline = nnrt.load(path)
            self.assertEqual((offline.inputs, offline.outputs, offline.files), (model.inputs, model.outputs, model.files))
            kept += any(info.quantization for info in model.inputs)
        self.assertGreater(kept, 0)

    def test_name_the_path_that_cannot_be_written(self):
        model = nnrt.load(DIGITS, DEVICE)
        for path, kind in ((os.path.join(self.folder, "none", "x.nnrt"), FileNotFoundError), (self.folder, IsADirectoryError)):
            with self.assertRaises(kind) as raised:
                model.save(path)
            self.assertEqual(raised.exception.filename, path)

    def test_keep_names_that_are_not_utf8(self):
        path = os.path.join(self.folder, "model.nnrt")
        model = self.load(OddNames().node("Neg", ["a?"], ["b?"]).input("a?", [2]).output("b?", [2]))
        model.save(path)
        self.assertEqual(nnrt.load(path).inputs, model.inputs)


class Caches(ModelTest):
    def test_make_their_folder_and_hold_many_models(self):
        folder = os.path.join(self.folder, "a", "b")
        x, models = numpy.ones((2, 3), "f4"), []
        for factor in range(3):
            onnx = OnnxModel().constant("c", numpy.full(3, factor, "f4")).node("Mul", ["x", "c"], ["y"])
            models.append(onnx.input("x", [2, 3]).output("y", [2, 3]))
        sources = [self.path(model, f"m{number}.onnx") for number, model in enumerate(models)]
        sources += [model.bytes() for model in models]
        time.sleep(0.25)  # files that were just written are not trusted
        files = None
        for _ in range(2):
            for number, source in enumerate(sources):
                model = nnrt.load(source, DEVICE, cache=folder)
                numpy.testing.assert_array_equal(model(x), x * (number % 3))
            found = {name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in os.listdir(folder)}
            self.assertEqual(len(found), 2 * len(sources))
            self.assertIn(files, (None, found), "the second round compiles nothing")
            files = found

    def test_that_cannot_be_made_are_refused(self):
        path = os.path.join(self.folder, "file")
        open(path, "wb").close()
        with self.assertRaisesRegex(nnrt.Error, "cannot be created") as raised:
            nnrt.load(DIGITS, DEVICE, cache=path)
        self.assertEqual(raised.exception.code, nnrt.ReturnCode.INVALID_PATH)


class Models(ModelTest):
    def test_are_closed(self):
        image, expected = digits_sample(0)
        with nnrt.load(DIGITS, DEVICE) as model:
            result = model(image)
        numpy.testing.assert_allclose(result, expected, atol=1e-4)
        model.close()
        self.assertEqual(model.inputs[0].name, "image")
        for use in (lambda: model(image), lambda: model.operations, lambda: model.save("x.nnrt"), lambda: model.placement,
                    lambda: model.profile(image), lambda: model.files):
            with self.assertRaisesRegex(nnrt.Error, "The model is closed"):
                use()

    def test_are_pickled_by_their_source(self):
        onnx, oracle = self.scaled_sum()
        x = numpy.ones((2, 3), "f4")
        for source in (self.path(onnx), onnx.bytes(), io.BytesIO(onnx.bytes())):
            model = nnrt.load(source, DEVICE, shapes={"x": (2, 3)}, priority="low")
            copy = pickle.loads(pickle.dumps(model))
            self.assertEqual((copy.inputs, copy.device), (model.inputs, model.device))
            self.assertEqual(copy.inputs[0].shape, (2, 3))
            numpy.testing.assert_array_equal(copy(x), oracle(x))

    def test_have_a_signature(self):
        names = list(inspect.signature(nnrt.load).parameters)
        self.assertEqual(names, list(inspect.signature(nnrt.Model).parameters))
        self.assertIn("cache", names)
        with self.assertRaisesRegex(TypeError, "devise"):
            nnrt.load(DIGITS, devise=DEVICE)


class Log(ModelTest):
    def test_says_nothing_of_errors_that_are_raised(self):
        code = """
            model = nnrt.load(DIGITS, DEVICE)
            for call in (lambda: model(numpy.zeros((1, 1, 8, 9), "f4")), lambda: nnrt.load("/nowhere.onnx"),
                         lambda: nnrt.load(b"\\x08\\x07", DEVICE), lambda: nnrt.Tensor.from_fd(-1, (2,))):
                try:
                    call()
                    sys.exit(1)
                except nnrt.Error:
                    pass
        """
        code = f"import sys, numpy, nnrt\nDEVICE, DIGITS = {DEVICE!r}, {DIGITS!r}\n" + textwrap.dedent(code)
        environment = {name: value for name, value in os.environ.items() if name != "NNRT_LOG"}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(b"NNRt E", done.stderr)
