"""example_test.py RUN.PY LIBRARY DELEGATE DEVICE MODEL: runs examples/tflite/run.py with a stand-in for the module tflite_runtime.

Debian packages TensorFlow Lite's library but no Python module, so this implements what the script calls of the module on the C API."""

import contextlib
import ctypes
import io
import re
import runpy
import sys
import types

import numpy


class _Pointer(ctypes.c_void_p):
    """An object of the C API. (ctypes turns a plain c_void_p result into a number.)"""


_lite = ctypes.CDLL(sys.argv[2])
_POINTERS = """TfLiteModelCreateFromFile TfLiteInterpreterOptionsCreate TfLiteInterpreterCreate
    TfLiteInterpreterGetInputTensor TfLiteInterpreterGetOutputTensor TfLiteTensorData""".split()
for _name in _POINTERS:
    getattr(_lite, _name).restype = _Pointer
_lite.TfLiteTensorByteSize.restype = ctypes.c_size_t
_DTYPES = {1: "float32", 2: "int32", 3: "uint8", 4: "int64", 6: "bool", 7: "int16", 9: "int8", 10: "float16"}


def _call(name, *arguments):
    return getattr(_lite, name)(*arguments)


class Delegate:
    def __init__(self, library, options):
        self._library = ctypes.CDLL(library)
        pairs = {str(key): str(value) for key, value in options.items()}
        texts = ctypes.c_char_p * len(pairs)
        messages = []
        report = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(lambda message: messages.append(message.decode()))
        self._library.tflite_plugin_create_delegate.restype = _Pointer
        self.handle = self._library.tflite_plugin_create_delegate(
            texts(*(key.encode() for key in pairs)), texts(*(value.encode() for value in pairs.values())),
            ctypes.c_size_t(len(pairs)), report)
        if not self.handle:
            raise ValueError("Failed to load delegate from " + library + "\n" + "".join(messages))

    def __del__(self):
        if getattr(self, "handle", None):
            self._library.tflite_plugin_destroy_delegate(self.handle)


def load_delegate(library, options=None):
    return Delegate(library, options or {})


class Interpreter:
    def __init__(self, model_path, experimental_delegates=()):
        self._delegates = list(experimental_delegates)  # they outlive the interpreter
        self._model = _call("TfLiteModelCreateFromFile", model_path.encode())
        if not self._model:
            raise ValueError("Could not open '" + model_path + "'.")
        options = _call("TfLiteInterpreterOptionsCreate")
        for delegate in self._delegates:
            _call("TfLiteInterpreterOptionsAddDelegate", options, delegate.handle)
        self._interpreter = _call("TfLiteInterpreterCreate", self._model, options)
        _call("TfLiteInterpreterOptionsDelete", options)
        if not self._interpreter:
            raise RuntimeError("no interpreter")

    def __del__(self):
        if getattr(self, "_interpreter", None):
            _call("TfLiteInterpreterDelete", self._interpreter)
        if getattr(self, "_model", None):
            _call("TfLiteModelDelete", self._model)

    def _check(self, function):
        if _call(function, self._interpreter) != 0:
            raise RuntimeError(function + " failed")

    def allocate_tensors(self):
        self._check("TfLiteInterpreterAllocateTensors")

    def invoke(self):
        self._check("TfLiteInterpreterInvoke")

    def _details(self, kind):
        """Of inputs or outputs. The index is the tensor's address: the C API has no numbers."""
        details = []
        for i in range(_call("TfLiteInterpreterGet" + kind + "TensorCount", self._interpreter)):
            tensor = _call("TfLiteInterpreterGet" + kind + "Tensor", self._interpreter, i)
            shape = [_call("TfLiteTensorDim", tensor, d) for d in range(_call("TfLiteTensorNumDims", tensor))]
            details.append({"index": tensor.value, "shape": numpy.array(shape, dtype="int32"),
                            "dtype": numpy.dtype(_DTYPES[_call("TfLiteTensorType", tensor)]).type})
        return details

    def get_input_details(self):
        return self._details("Input")

    def get_output_details(self):
        return self._details("Output")

    def _view(self, index):
        detail = next(d for d in self.get_input_details() + self.get_output_details() if d["index"] == index)
        tensor = _Pointer(index)
        size = _call("TfLiteTensorByteSize", tensor)
        memory = (ctypes.c_byte * size).from_address(_call("TfLiteTensorData", tensor).value) if size else b""
        return numpy.frombuffer(memory, dtype=detail["dtype"]).reshape(detail["shape"])

    def set_tensor(self, index, value):
        view = self._view(index)
        if value.shape != view.shape or value.dtype != view.dtype:
            raise ValueError("Cannot set tensor: Dimension or type mismatch.")
        view[...] = value

    def get_tensor(self, index):
        return self._view(index).copy()


def run_example(script, *arguments):
    module = types.ModuleType("tflite_runtime.interpreter")
    module.Interpreter, module.load_delegate = Interpreter, load_delegate
    sys.modules.update({"tflite_runtime": types.ModuleType("tflite_runtime"), module.__name__: module})
    sys.argv = [script, *arguments]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(script, run_name="__main__")
    return printed.getvalue()


def main(script, _, delegate, device, model):
    text = run_example(script, delegate, model, "device=" + device, "min_nodes=1")
    print(text, end="")
    differences = [float(it) for it in re.findall(r"^output \d+: \w+ \(.*\), largest difference (.*)$", text, re.MULTILINE)]
    assert differences and max(differences) < 0.01, differences
    assert re.search(r"^\d+\.\d\d ms a run, \d+\.\d\d ms without the delegate$", text, re.MULTILINE), text
    try:
        run_example(script, delegate, model, "devise=cpu")
    except ValueError as error:
        assert "Option devise is not one of: device, " in str(error), error
    else:
        raise AssertionError("a bad option is accepted")


if __name__ == "__main__":
    main(*sys.argv[1:])
