"""Inputs and outputs: declarations of the model, and conversion of arrays for a run."""

import dataclasses
import os
from typing import Any, Optional, Sequence

import numpy

from nnrt import _native
from nnrt._error import Error, ReturnCode
from nnrt._tensor import Tensor


@dataclasses.dataclass(frozen=True)
class Quantization:
    """value = scale * (element - zero point), with one scale and zero point, or one per channel."""

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class TensorInfo:
    """An input or output as declared by the file."""

    name: str
    """As in the file; duplicates get a number: y, y#2. Invalid UTF-8 becomes surrogates."""
    dtype: numpy.dtype
    shape: tuple[Optional[int], ...]
    """None for a dynamic dimension."""
    quantization: Optional[Quantization] = None


def infos_of(declared: Sequence[_native.Declaration]) -> tuple[TensorInfo, ...]:
    """Makes names unique: the second tensor named y becomes y#2."""
    names = {it.name for it in declared}
    given: set[str] = set()
    infos = []
    for it in declared:
        name, number = it.name, 1
        while name in given or (number > 1 and name in names):
            number += 1
            name = f"{it.name}#{number}"
        given.add(name)
        infos.append(_info_of(it, name))
    return tuple(infos)


def _info_of(declared: _native.Declaration, name: str) -> TensorInfo:
    shape = tuple(None if dimension < 0 else dimension for dimension in declared.shape)
    quantization = Quantization(tuple(declared.scales), tuple(declared.zero_points)) if declared.scales else None
    return TensorInfo(name, numpy.dtype(declared.dtype), shape, quantization)


def declaration_of(info: TensorInfo) -> tuple[bytes, str, list[int], list[float], list[int]]:
    shape = [-1 if size is None else size for size in info.shape]
    quantization = info.quantization or Quantization((), ())
    return os.fsencode(info.name), info.dtype.name, shape, list(quantization.scales), list(quantization.zero_points)


def index_of(infos: Sequence[TensorInfo], name: str, what: str) -> int:
    for index, info in enumerate(infos):
        if info.name == name:
            return index
    names = ", ".join(info.name for info in infos)
    raise Error(f"The model has no {what} {name}, but {names}.", ReturnCode.INVALID_PARAMETER)


def is_array(given: Any) -> bool:
    """Whether this is one array, Tensor or number, not a sequence of inputs."""
    return any(hasattr(given, name) for name in ("__array__", "__dlpack__")) or not hasattr(given, "__iter__")


def feed(given: Any, info: TensorInfo) -> Any:
    if isinstance(given, Tensor):
        if given.dtype != info.dtype:
            raise Error(f"Input {info.name} has elements of {info.dtype}, not {given.dtype}.", ReturnCode.INVALID_PARAMETER)
        return given
    array = _from_dlpack(given, info) if _has_only_dlpack(given) else numpy.asarray(given)
    if array.size == 0 and not is_array(given):
        array = array.astype(info.dtype)  # numpy makes it float64
    # Integers in range and floats are converted; a float never becomes an integer.
    if array.dtype != info.dtype and not _may_become(array, info.dtype):
        raise Error(f"Input {info.name} has elements of {info.dtype}, not {array.dtype}.", ReturnCode.INVALID_PARAMETER)
    return numpy.require(array, dtype=info.dtype, requirements="C")


def _has_only_dlpack(given: Any) -> bool:
    if not hasattr(given, "__dlpack__") or any(hasattr(given, name) for name in ("__array__", "__array_interface__")):
        return False
    try:
        memoryview(given)
    except TypeError:
        return True
    return False


def _from_dlpack(given: Any, info: TensorInfo) -> numpy.ndarray:
    try:
        try:
            capsule = given.__dlpack__(max_version=(1, 0))
        except TypeError:
            capsule = given.__dlpack__()  # a producer before DLPack 1.0
        return _native.from_dlpack(capsule)
    except Exception as error:
        raise Error(f"Input {info.name} cannot be read through DLPack: {error}", ReturnCode.INVALID_PARAMETER) from error


def _may_become(array: numpy.ndarray, dtype: numpy.dtype) -> bool:
    if array.dtype.kind in "iu" and dtype.kind in "iu":
        limits = numpy.iinfo(dtype)  # numpy compares uint64 and int64 as floats; Python is exact
        return array.size == 0 or (limits.min <= int(array.min()) and int(array.max()) <= limits.max)
    return numpy.can_cast(array.dtype, dtype, "same_kind")
