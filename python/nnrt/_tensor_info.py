"""Inputs and outputs: what a model declares, and what a run is given."""

import dataclasses
from typing import Any, Optional, Sequence

import numpy

from nnrt import _native
from nnrt._error import Error, ReturnCode
from nnrt._tensor import Tensor


@dataclasses.dataclass(frozen=True)
class Quantization:
    """The number is scale * (element - zero point); one of each, or one for each channel."""

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class TensorInfo:
    """An input or an output as the file declares it."""

    name: str
    """That of the file, with a number behind it where an earlier one has the same."""
    dtype: numpy.dtype
    shape: tuple[Optional[int], ...]
    """None for a dimension that each run decides."""
    quantization: Optional[Quantization] = None


def infos_of(declared: Sequence[_native.Declaration]) -> tuple[TensorInfo, ...]:
    """Their names are made different: the second tensor of the name y is y#2."""
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


def index_of(infos: Sequence[TensorInfo], name: str, what: str) -> int:
    for index, info in enumerate(infos):
        if info.name == name:
            return index
    names = ", ".join(info.name for info in infos)
    raise Error(f"The model has no {what} {name}, but {names}.", ReturnCode.INVALID_PARAMETER)


def is_array(given: Any) -> bool:
    """Returns whether it is one array, a Tensor or a number, whose rows are no inputs."""
    return any(hasattr(given, name) for name in ("__array__", "__dlpack__")) or not hasattr(given, "__iter__")


def feed(given: Any, info: TensorInfo) -> Any:
    if isinstance(given, Tensor):
        if given.dtype != info.dtype:
            raise Error(f"Input {info.name} has elements of {info.dtype}, not {given.dtype}.", ReturnCode.INVALID_PARAMETER)
        return given
    array = numpy.asarray(given)
    if array.size == 0 and not is_array(given):
        array = array.astype(info.dtype)  # an empty list has no type of its own
    # Integers in range are converted, and what is of a kind or becomes so; what would lose its kind is an error.
    if array.dtype != info.dtype and not _may_become(array, info.dtype):
        raise Error(f"Input {info.name} has elements of {info.dtype}, not {array.dtype}.", ReturnCode.INVALID_PARAMETER)
    return numpy.require(array, dtype=info.dtype, requirements="C")


def _may_become(array: numpy.ndarray, dtype: numpy.dtype) -> bool:
    if array.dtype.kind in "iu" and dtype.kind in "iu":
        limits = numpy.iinfo(dtype)  # numpy compares UINT64 and INT64 as floats, Python as what they are
        return array.size == 0 or (limits.min <= int(array.min()) and int(array.max()) <= limits.max)
    return numpy.can_cast(array.dtype, dtype, "same_kind")
