"""Models built for a device."""

import asyncio
import functools
import json
import os
import tempfile
from typing import Any, Mapping, Optional, Sequence, Union

from nnrt import _native
from nnrt._device import Device, find_device, maker_of
from nnrt._error import Error, ReturnCode
from nnrt._html import html_of_model
from nnrt._profile import Profile, read_trace
from nnrt._source import ModelSource, Source, path_bytes
from nnrt._tensor import Tensor
from nnrt._tensor_info import TensorInfo, feed, index_of, infos_of, is_array

Array = Any  # anything that numpy.asarray accepts, a Tensor, or an object with __dlpack__
Inputs = Union[Mapping[str, Array], Sequence[Array], Array]  # a bare array is the only input
Shape = Sequence[Optional[int]]
Shapes = Union[None, Shape, Mapping[str, Shape]]
DeviceName = Union[Device, str, int, None]

_PERFORMANCE = {None: 0, "low": 1, "medium": 2, "high": 3, "extreme": 4}
_PRIORITY = {None: 0, "low": 1, "medium": 2, "high": 3}


def _choice(table: Mapping[Optional[str], int], what: str, wanted: Optional[str]) -> int:
    if wanted in table:
        return table[wanted]
    raise Error(f"The {what} ({wanted}) is not one of: {', '.join(filter(None, table))}.", ReturnCode.INVALID_PARAMETER)


def _bytes(text: Union[str, bytes]) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def _shapes(shapes: Shapes) -> list[tuple[bytes, list[int]]]:
    if shapes is None:
        return []
    named: Mapping[str, Shape] = shapes if isinstance(shapes, Mapping) else {"": shapes}
    return [(_bytes(name), [-1 if size is None else size for size in shape]) for name, shape in named.items()]


def _make_folder(path: Union[str, bytes, os.PathLike]) -> bytes:
    """The library warns if the folder is missing or cannot be written."""
    folder = path_bytes(path)
    try:
        os.makedirs(folder, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise Error(f"Folder ({os.fsdecode(folder)}) cannot be created: {error.strerror}.", ReturnCode.INVALID_PATH) from error
    except OSError:
        pass
    return folder


class Model:
    """A model built for a device. Any number of threads may run it at once.

    nnrt.load makes one. close(), or the end of a `with` block, frees it; pickling stores its source and options, and
    unpickling builds it again.
    """

    def __init__(
        self,
        source: Source,
        device: DeviceName = None,
        *,
        shapes: Shapes = None,
        float16: bool = False,
        fallback: bool = True,
        cache: Union[None, str, bytes, os.PathLike] = None,
        cache_by_content: bool = False,
        performance: Optional[str] = None,
        priority: Optional[str] = None,
        configs: Optional[Mapping[str, str]] = None,
    ) -> None:
        self._source = ModelSource(source)
        self._arguments = (device, dict(shapes=shapes, float16=float16, fallback=fallback, cache=cache,
                                        cache_by_content=cache_by_content,
                                        performance=performance, priority=priority, configs=configs))
        maker = maker_of(self._source) if device is None and self._source.is_offline else None
        self._device = maker or find_device(device)
        # Without exports, weights are not kept beside their packed form.
        given = {"nnrt.export": "off", **(configs or {}), **({} if fallback else {"nnrt.fallback": "off"})}
        self._exports = given["nnrt.export"] != "off"
        self._options: dict[str, Any] = {
            "device": self._device.id,
            "float16": float16,
            "performance": _choice(_PERFORMANCE, "performance", performance),
            "priority": _choice(_PRIORITY, "priority", priority),
            "input_shapes": _shapes(shapes),
            "configs": {_bytes(name): _bytes(value) for name, value in given.items()},
        }
        options = dict(self._options)
        self._container: Optional[bytes] = None
        if cache is not None:
            options["cache"] = _make_folder(cache)
            options["cache_by_content"] = cache_by_content
            name = self._source.cache_name(self._device.name, shapes, float16, configs)
            options["configs"] = {b"ModelName": _bytes(name), b"nnrt.cache": b"optional", **options["configs"]}
            self._container = os.path.join(options["cache"], _bytes(name) + b"0.nncache")
        self._native: Optional[_native.CompiledModel] = self._build(options)
        self._inputs = infos_of(self._native.inputs)
        self._outputs = infos_of(self._native.outputs)

    @property
    def _built(self) -> _native.CompiledModel:
        native = self._native
        if native is None:
            raise Error("The model is closed.", ReturnCode.OPERATION_FORBIDDEN)
        return native

    @property
    def _is_cached(self) -> bool:
        return self._container is not None and os.path.exists(self._container)

    def close(self) -> None:
        """Frees the model once its runs have ended. Calls after that raise nnrt.Error."""
        self._native = None

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __reduce__(self) -> tuple:
        device, options = self._arguments
        data = self._source.data
        return _load_again, (os.fsdecode(self._source.path) if self._source.path is not None else data, device, options)

    def save(self, path: Union[str, bytes, os.PathLike]) -> None:
        """Writes an offline model (.nnrt), which loads faster and runs on this device only.

        Builds the model once more from its source, unless it was loaded with configs={"nnrt.export": "on"}, which keeps
        the original weights in memory. Replaces an existing file, which stays as it is if this fails.
        """
        built = self._built if self._exports or self._source.is_offline else self._rebuilt("nnrt.export", "on")
        data = built.export()
        target = path_bytes(path)
        beside = target + b".%d.part" % os.getpid()
        try:
            with open(beside, "wb") as file:
                file.write(data)
            os.replace(beside, target)
        except BaseException as error:
            if os.path.exists(beside):
                os.remove(beside)
            if isinstance(error, OSError):
                raise OSError(error.errno, error.strerror, os.fspath(path)) from None
            raise

    @property
    def device(self) -> Device:
        """The device that the model was built for."""
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
        """The operator of the file for each operation of the runtime; empty for an offline model."""
        return tuple(self._built.operations)

    @property
    def files(self) -> dict[str, bytes]:
        """Files attached to a TensorFlow Lite model, such as labelmap.txt, by name."""
        return dict(self._built.files)

    def __call__(self, /, *inputs: Array, **named: Array) -> Any:
        """Runs with arrays or Tensors in order, or by name.

        Returns the output, or a tuple if there are several.
        """
        if inputs and named:
            raise TypeError("Inputs are given in order or by name, not both ways.")
        results = self._run(named if named else inputs, None)
        return results[0] if len(results) == 1 else tuple(results)

    def run(self, inputs: Inputs, outputs: Optional[Mapping[str, Tensor]] = None) -> dict[str, Any]:
        """Runs with inputs given by name or in order, or with a single input, and returns the outputs by name.

        Arrays are copied; a Tensor is used in place. `outputs` maps names to Tensors that receive these outputs and
        are returned in their place.
        """
        results = self._run(inputs, outputs)
        return dict(zip((info.name for info in self._outputs), results))

    async def run_async(self, inputs: Inputs, outputs: Optional[Mapping[str, Tensor]] = None) -> dict[str, Any]:
        """Like run, without blocking the event loop. Runs may overlap as far as the device allows.

        A cancelled run continues, and its result is dropped.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(None, functools.partial(self.run, inputs, outputs))

    def may_share_memory(self, input_name: str, output_name: str) -> bool:
        """Whether one Tensor may be both this input and this output of a run, for state that stays in place."""
        return self._built.may_share(
            index_of(self._inputs, input_name, "input"), index_of(self._outputs, output_name, "output"))

    @functools.cached_property
    def placement(self) -> dict[str, Any]:
        """Where each operation runs and why (docs/trace.md); "layer" is the operator of the file.

        Builds the model once more.
        """
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "placement.json")
            names = self._rebuilt("nnrt.placement", path).operations
            with open(path, encoding="utf-8") as file:
                placement = json.loads(file.readline())
        for node in placement["nodes"]:
            if node["operation"] < len(names):
                node["layer"] = names[node["operation"]]
        return placement

    def profile(self, inputs: Inputs, *, runs: int = 10, warmup: int = 2) -> Profile:
        """Builds the model once more, runs it, and returns the mean time of each operation.

        Profiles may run concurrently, and while other models run or NNRT_TRACE is set.
        """
        if runs < 1 or warmup < 0:
            raise Error("A profile has at least one run, and no negative warm-up.", ReturnCode.INVALID_PARAMETER)
        arrays = self._feeds(inputs)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            native = self._rebuilt("nnrt.trace", path)
            for _ in range(warmup + runs):
                native.run(arrays, [None] * len(self._outputs))
            names = native.operations
            del native  # completes the trace
            try:
                with open(path, encoding="utf-8") as file:
                    return read_trace(json.load(file), warmup, names)
            except (OSError, ValueError) as error:
                raise Error(f"The trace of the profile cannot be written: {error}", ReturnCode.FAILED) from error

    def _rebuilt(self, config: str, value: str) -> _native.CompiledModel:
        self._built  # raises if the model is closed
        # No cache: a model restored from one does not know its operations.
        return self._build({**self._options, "configs": {**self._options["configs"], _bytes(config): os.fsencode(value)}})

    def _build(self, given: Mapping[str, Any]) -> _native.CompiledModel:
        options = _native.BuildOptions()
        for name, value in given.items():
            setattr(options, name, list(value.items()) if name == "configs" else value)
        return self._source.build(options)

    def _run(self, inputs: Inputs, outputs: Optional[Mapping[str, Tensor]]) -> list:
        tensors: list[Optional[Tensor]] = [None] * len(self._outputs)
        for name, tensor in (outputs or {}).items():
            index = index_of(self._outputs, name, "output")
            if not isinstance(tensor, Tensor) or tensor.dtype != self._outputs[index].dtype:
                raise Error(f"Output {name} is not a Tensor of {self._outputs[index].dtype}.", ReturnCode.INVALID_PARAMETER)
            tensors[index] = tensor
        return self._built.run(self._feeds(inputs), tensors)

    def _feeds(self, inputs: Inputs) -> list:
        given = self._in_order(inputs)
        return [feed(array, info) for array, info in zip(given, self._inputs)]

    def _in_order(self, inputs: Inputs) -> list:
        if not isinstance(inputs, Mapping):
            given = [inputs] if is_array(inputs) else list(inputs)
            if (count := len(self._inputs)) != len(given):
                inputs = "1 input" if count == 1 else f"{count} inputs"
                raise Error(f"The model has {inputs}, not {len(given)}.", ReturnCode.INVALID_PARAMETER)
            return given
        for name in inputs:
            index_of(self._inputs, name, "input")
        for info in self._inputs:
            if info.name not in inputs:
                raise Error(f"Input {info.name} is not given.", ReturnCode.INVALID_PARAMETER)
        return [inputs[info.name] for info in self._inputs]

    def __repr__(self) -> str:
        return f"nnrt.Model({self._source!r}, device={self._device.name!r})"

    def _repr_html_(self) -> str:
        """The plan, for notebooks: inputs, outputs, and where each operation runs and why."""
        return html_of_model(self)


def _load_again(source: Source, device: DeviceName, options: dict[str, Any]) -> Model:
    return Model(source, device, **options)


def load(
    source: Source,
    device: DeviceName = None,
    *,
    shapes: Shapes = None,
    float16: bool = False,
    fallback: bool = True,
    cache: Union[None, str, bytes, os.PathLike] = None,
    cache_by_content: bool = False,
    performance: Optional[str] = None,
    priority: Optional[str] = None,
    configs: Optional[Mapping[str, str]] = None,
) -> Model:
    """Reads an ONNX, TensorFlow Lite, MindSpore Lite or offline (.nnrt) model and builds it for a device.

    source: a path, the bytes of a self-contained file, or a binary file such as io.BytesIO.
    device: a Device, a position in nnrt.devices(), a type (gpu, cpu, accelerator), an id, or a part of a name, such
        as auto. Default: auto; for an offline model the one it was compiled for. Operations that it does not support
        run on the CPU.
    shapes: by input, or of the only input, instead of those in the file. None leaves a dimension open.
    float16: lets the device store intermediates as fp16.
    fallback: False makes the build fail if the device does not support an operation.
    cache: a folder for compiled models, which is created if needed and may hold any number of them. A model file
        whose compiled form is there is not read.
    cache_by_content: recognize the file in the cache by a checksum instead of its path and time stamps.
    performance: low, medium, high or extreme.  priority: low, medium or high.
    configs: extension configs (docs/settings.md).
    """
    return Model(source, device, shapes=shapes, float16=float16, fallback=fallback, cache=cache,
                 cache_by_content=cache_by_content, performance=performance, priority=priority, configs=configs)
