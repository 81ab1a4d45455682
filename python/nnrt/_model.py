"""Models of files, built for a device."""

import asyncio
import functools
import json
import os
import tempfile
from typing import Any, Mapping, Optional, Sequence, Union

from nnrt import _native
from nnrt._device import Device, find_device
from nnrt._error import Error, ReturnCode
from nnrt._profile import Profile, read_trace
from nnrt._tensor import Tensor
from nnrt._tensor_info import TensorInfo, feed, index_of, infos_of, is_array

Array = Any  # anything that numpy.asarray accepts, or a Tensor
Source = Union[str, os.PathLike, bytes, bytearray, memoryview]  # a path, or what a file has
Inputs = Union[Mapping[str, Array], Sequence[Array], Array]  # an array by itself is the only input

_PERFORMANCE = {None: 0, "low": 1, "medium": 2, "high": 3, "extreme": 4}
_PRIORITY = {None: 0, "low": 1, "medium": 2, "high": 3}


def _choice(table: Mapping[Optional[str], int], what: str, wanted: Optional[str]) -> int:
    if wanted in table:
        return table[wanted]
    raise Error(f"The {what} ({wanted}) is none of: {', '.join(filter(None, table))}.", ReturnCode.INVALID_PARAMETER)


def _shapes(shapes: Union[None, Sequence[Optional[int]], Mapping[str, Sequence[Optional[int]]]]) -> list:
    if shapes is None:
        return []
    named = shapes if isinstance(shapes, Mapping) else {"": shapes}
    return [(name, [-1 if size is None else size for size in shape]) for name, shape in named.items()]


class Model:
    """A model that is built for a device. Any number of threads may run it at once.

    Made by nnrt.load.
    """

    def __init__(
        self,
        source: Source,
        device: Union[Device, str, int, None] = None,
        *,
        shapes: Union[None, Sequence[Optional[int]], Mapping[str, Sequence[Optional[int]]]] = None,
        float16: bool = False,
        fallback: bool = True,
        cache: Union[None, str, os.PathLike] = None,
        performance: Optional[str] = None,
        priority: Optional[str] = None,
        configs: Optional[Mapping[str, str]] = None,
    ) -> None:
        self._source: Union[str, bytes]
        if isinstance(source, (bytes, bytearray, memoryview)):
            self._source = bytes(source)  # nobody changes these
        else:
            self._source = os.fspath(source)
        self._device = find_device(device)
        options = _native.BuildOptions()
        options.device = self._device.id
        options.float16 = float16
        options.performance = _choice(_PERFORMANCE, "performance", performance)
        options.priority = _choice(_PRIORITY, "priority", priority)
        options.input_shapes = _shapes(shapes)
        options.configs = list((configs or {}).items()) + ([] if fallback else [("nnrt.fallback", "off")])
        self._options = options
        options.cache = "" if cache is None else os.fspath(cache)
        self._native = _native.CompiledModel(self._source, options)
        self._inputs = infos_of(self._native.inputs)
        self._outputs = infos_of(self._native.outputs)

    @property
    def device(self) -> Device:
        """The device that was chosen."""
        return self._device

    @property
    def inputs(self) -> tuple[TensorInfo, ...]:
        """The inputs of the model, in order."""
        return self._inputs

    @property
    def outputs(self) -> tuple[TensorInfo, ...]:
        """The outputs of the model, in order."""
        return self._outputs

    @property
    def operations(self) -> tuple[str, ...]:
        """For each operation of the runtime, the operator of the file that it is a part of; empty for an offline model."""
        return tuple(self._native.operations)

    @property
    def files(self) -> dict[str, bytes]:
        """The files that are attached to a TensorFlow Lite model, such as labelmap.txt, by name."""
        return {name.decode(errors="replace"): data for name, data in self._native.files}

    def __call__(self, /, *inputs: Array, **named: Array) -> Any:
        """Runs with arrays or Tensors in the order of the inputs, or by name.

        Returns the array of the only output, or a tuple of all.
        """
        if inputs and named:
            raise TypeError("Inputs are given in order or by name, not both ways.")
        results = self._run(named if named else inputs, None)
        return results[0] if len(results) == 1 else tuple(results)

    def run(self, inputs: Inputs, outputs: Optional[Mapping[str, Tensor]] = None) -> dict[str, Any]:
        """Runs with inputs by name, in order, or with the array of the only one, and gives the outputs by name.

        Arrays are copied, a Tensor is used in place. `outputs` names Tensors into which outputs are written; they
        are what the result has for these.
        """
        results = self._run(inputs, outputs)
        return dict(zip((info.name for info in self._outputs), results))

    async def run_async(self, inputs: Inputs, outputs: Optional[Mapping[str, Tensor]] = None) -> dict[str, Any]:
        """As run, without blocking the event loop. Runs that overlap run at once as far as the device allows.

        A cancelled run goes on, and its result is dropped.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(None, functools.partial(self.run, inputs, outputs))

    def may_share_memory(self, input_name: str, output_name: str) -> bool:
        """Returns whether one Tensor may be this input and this output of a run, for state that stays in place."""
        return self._native.may_share(
            index_of(self._inputs, input_name, "input"), index_of(self._outputs, output_name, "output"))

    @functools.cached_property
    def placement(self) -> dict[str, Any]:
        """Reports where each operation runs and why (docs/trace.md describes it). "layer" is the operator of the file.

        Builds the model once more.
        """
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "placement.json")
            names = self._rebuilt(("nnrt.placement", path)).operations
            with open(path, encoding="utf-8") as file:
                placement = json.loads(file.readline())
        for node in placement["nodes"]:
            if node["operation"] < len(names):
                node["layer"] = names[node["operation"]]
        return placement

    def profile(self, inputs: Inputs, *, runs: int = 10, warmup: int = 2) -> Profile:
        """Builds the model once more, runs it and says how long each operation takes on an average run."""
        if runs < 1 or warmup < 0:
            raise Error("A profile has at least one run, and no negative warm-up.", ReturnCode.INVALID_PARAMETER)
        arrays = self._feeds(inputs)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            native = self._rebuilt(("nnrt.trace", path))
            for _ in range(warmup + runs):
                native.run(arrays, [None] * len(self._outputs))
            names = native.operations
            del native  # the trace is complete when the model is gone
            with open(path, encoding="utf-8") as file:
                return read_trace(json.load(file), warmup, names)

    def _rebuilt(self, config: tuple[str, str]) -> _native.CompiledModel:
        options = _native.BuildOptions()
        for name in ("device", "float16", "performance", "priority", "input_shapes"):
            setattr(options, name, getattr(self._options, name))
        options.configs = self._options.configs + [config]  # no cache: what comes from there knows no operations
        return _native.CompiledModel(self._source, options)

    def _run(self, inputs: Inputs, outputs: Optional[Mapping[str, Tensor]]) -> list:
        tensors: list[Optional[Tensor]] = [None] * len(self._outputs)
        for name, tensor in (outputs or {}).items():
            index = index_of(self._outputs, name, "output")
            if not isinstance(tensor, Tensor) or tensor.dtype != self._outputs[index].dtype:
                raise Error(f"Output {name} is no Tensor of {self._outputs[index].dtype}.", ReturnCode.INVALID_PARAMETER)
            tensors[index] = tensor
        return self._native.run(self._feeds(inputs), tensors)

    def _feeds(self, inputs: Inputs) -> list:
        given = self._in_order(inputs)
        return [feed(array, info) for array, info in zip(given, self._inputs)]

    def _in_order(self, inputs: Inputs) -> list:
        if not isinstance(inputs, Mapping):
            given = [inputs] if is_array(inputs) else list(inputs)
            if len(given) != len(self._inputs):
                raise Error(f"The model has {len(self._inputs)} inputs, not {len(given)}.", ReturnCode.INVALID_PARAMETER)
            return given
        for name in inputs:
            index_of(self._inputs, name, "input")
        for info in self._inputs:
            if info.name not in inputs:
                raise Error(f"Input {info.name} is not given.", ReturnCode.INVALID_PARAMETER)
        return [inputs[info.name] for info in self._inputs]

    def __repr__(self) -> str:
        name = f"{len(self._source)} bytes" if isinstance(self._source, bytes) else repr(self._source)
        return f"nnrt.Model({name}, device={self._device.name!r})"


def load(source: Source, device: Union[Device, str, int, None] = None, **options: Any) -> Model:
    """Reads a TensorFlow Lite, ONNX or offline (.nnrt) model and builds it for a device.

    source: a path, or the bytes of a TensorFlow Lite or ONNX file that has everything in it.
    device: a Device, a position in nnrt.devices(), a type (gpu, cpu, accelerator), an id, or a part of a name,
        such as auto; the first device by default. What it declines runs on the CPU.
    shapes: by input, or for the only one, instead of those in the file. None leaves a dimension open.
    float16: lets the device store what is between operations as fp16.
    fallback: False makes the build fail where the device declines something.
    cache: a folder in which the next build finds what this one compiled.
    performance: low, medium, high or extreme.  priority: low, medium or high.
    configs: extension configs of docs/settings.md.
    """
    return Model(source, device, **options)
