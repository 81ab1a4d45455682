"""Tensors in memory shared by host and devices."""

import operator
from typing import Any, Optional, Sequence, Union

import numpy as np

from nnrt import _native
from nnrt._device import Device, find_device
from nnrt._error import Error, ExportError, ReturnCode

_KDL_CPU = 1  # DLPack's code for the host's memory


def _dimensions(shape: Sequence[int]) -> list[int]:
    try:
        dimensions = [operator.index(dimension) for dimension in shape]
    except TypeError:
        dimensions = [-1]
    if any(not 0 <= dimension < 2**31 for dimension in dimensions):
        raise Error(f"Shape ({shape}) is not a sequence of integers in [0, 2^31).", ReturnCode.INVALID_PARAMETER)
    return dimensions


def _type_name(dtype: Any) -> str:
    try:
        return np.dtype(dtype).name
    except TypeError:
        raise Error(f"Type ({dtype}) is none that numpy knows.", ReturnCode.INVALID_PARAMETER) from None


class Tensor(_native.Tensor):
    """An array in memory that devices use in place, so runs do not copy it.

    Supports the buffer protocol, DLPack, and `numpy()`, which returns a view. Do not access it while a run uses it.

    shape, nbytes: of the elements; a run sets them for its outputs.
    address: of the first byte, in this process.
    fd, offset: the descriptor of the memory, for other processes, and the offset of the tensor in it. The tensor
        owns the descriptor.
    read_only: whether the memory is read-only.
    keep_on_device(): lets the contents stay on the device between runs; to_host() fetches what the last run wrote,
        from_host() makes host writes visible to the next run.
    """

    def __init__(self, shape: Sequence[int], dtype: Any = np.float32, *, device: Union[Device, str, int, None] = None) -> None:
        """Allocates memory, filled with zeros."""
        number = 0 if device is None else find_device(device).id
        super().__init__(shape=_dimensions(shape), dtype=_type_name(dtype), device=number)

    @classmethod
    def from_fd(cls, fd: int, shape: Sequence[int], dtype: Any = np.float32, *, offset: int = 0) -> "Tensor":
        """A tensor in the memory of a descriptor: a memfd, shared memory, a file, or the `fd` of another tensor.

        The descriptor is duplicated; the caller may close it afterwards."""
        made = cls.__new__(cls)
        _native.Tensor.__init__(made, fd=fd, offset=offset, shape=_dimensions(shape), dtype=_type_name(dtype), device=0)
        return made

    @classmethod
    def from_numpy(cls, array: Any) -> "Tensor":
        """A tensor with a copy of an array."""
        array = np.asarray(array)
        made = cls(array.shape, array.dtype)
        made.numpy()[...] = array
        return made

    @property
    def dtype(self) -> np.dtype:
        """The dtype of its elements."""
        return np.dtype(self.dtype_name)

    def numpy(self) -> np.ndarray:
        """An array over the same memory, with the current shape."""
        exporter: Any = self
        return np.asarray(memoryview(exporter))

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        # Called if the buffer protocol fails, so that its error is raised.
        array = self.numpy()
        if dtype is not None and np.dtype(dtype) != array.dtype:
            if copy is False:
                raise ValueError(f"An array of {np.dtype(dtype)} takes a copy.")
            return array.astype(dtype)
        return array.copy() if copy else array

    def __dlpack__(self, *, stream: Any = None, max_version: Optional[tuple[int, int]] = None,
                   dl_device: Optional[tuple[int, int]] = None, copy: Optional[bool] = None) -> Any:
        """A capsule sharing the memory or holding a copy: of DLPack 1.0 if `max_version` allows it, otherwise of the ABI
        before it, which has no read-only tensors."""
        if stream not in (None, -1):
            raise BufferError("The memory is the host's; there is no stream.")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"The memory is the host's, not that of device {tuple(dl_device)}.")
        versioned = max_version is not None and max_version[0] >= 1
        if self.read_only and not copy and not versioned:
            raise ExportError("DLPack before version 1 has no read-only tensors: only copy=True or max_version=(1, 0) exports "
                              "this one.", ReturnCode.INVALID_PARAMETER)
        try:
            return (Tensor.from_numpy(self.numpy()) if copy else self).dlpack(versioned, bool(copy))
        except Error as error:
            raise ExportError(str(error), error.code) from None

    def __dlpack_device__(self) -> tuple[int, int]:
        return _KDL_CPU, 0

    def __repr__(self) -> str:
        return f"nnrt.Tensor(shape={self.shape}, dtype={self.dtype_name})"
