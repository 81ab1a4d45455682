"""Tensors in memory that the host and the devices share."""

from typing import Any, Optional, Sequence, Union

import numpy as np

from nnrt import _native
from nnrt._device import Device, find_device

_KDL_CPU = 1  # where DLPack says that the memory is


class Tensor:
    """An array in memory that devices use in place: nothing is copied where it is an input or an output of a run.

    It has the buffer protocol's view of itself as `numpy()`, and DLPack. Do not touch it while a run uses it.
    """

    __slots__ = ("_native",)

    def __init__(self, shape: Sequence[int], dtype: Any = np.float32, *, device: Union[Device, str, int, None] = None) -> None:
        """Memory of its own, of zeros."""
        number = 0 if device is None else find_device(device).id
        self._native = _native.Tensor(shape=list(shape), dtype=np.dtype(dtype).name, device=number)

    @classmethod
    def from_fd(cls, fd: int, shape: Sequence[int], dtype: Any = np.float32, *, offset: int = 0) -> "Tensor":
        """A tensor in the memory of a descriptor (a memfd, shared memory, a file, the `fd` of another tensor),
        which may be the caller's to close afterwards."""
        made = cls.__new__(cls)
        made._native = _native.Tensor(
            fd=fd, offset=offset, shape=list(shape), dtype=np.dtype(dtype).name, device=0)
        return made

    @classmethod
    def from_numpy(cls, array: Any) -> "Tensor":
        """A tensor with a copy of an array."""
        array = np.asarray(array)
        made = cls(array.shape, array.dtype)
        made.numpy()[...] = array
        return made

    def numpy(self) -> np.ndarray:
        """An array over the same memory. Its shape is that of the moment."""
        return np.asarray(self._native)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        array = self.numpy()
        if dtype is not None and array.dtype != np.dtype(dtype):
            return array.astype(dtype)
        return array.copy() if copy else array

    def __dlpack__(self, *, stream: Any = None, **_: Any) -> Any:
        if stream not in (None, -1):
            raise BufferError("The memory is the host's; there is no stream.")
        return self._native.dlpack()

    def __dlpack_device__(self) -> tuple[int, int]:
        return _KDL_CPU, 0

    @property
    def shape(self) -> tuple[int, ...]:
        """Its dimensions; a run sets them where the tensor is an output."""
        return self._native.shape

    @property
    def dtype(self) -> np.dtype:
        """The type of its elements."""
        return np.dtype(self._native.dtype)

    @property
    def nbytes(self) -> int:
        """The bytes of its elements."""
        return self._native.nbytes

    @property
    def address(self) -> int:
        """Where its first byte is in this process."""
        return self._native.address

    @property
    def fd(self) -> int:
        """The descriptor of its memory, for other processes. It stays the tensor's."""
        return self._native.fd

    @property
    def offset(self) -> int:
        """Where in that memory it begins, in bytes."""
        return self._native.offset

    def keep_on_device(self) -> None:
        """Lets its contents stay on the device from run to run; to_host() and from_host() move them."""
        self._native.keep_on_device()

    def to_host(self) -> None:
        """Gets what the last run wrote, where the tensor stays on the device."""
        self._native.to_host()

    def from_host(self) -> None:
        """Says that the host wrote to the tensor, where it stays on the device."""
        self._native.from_host()

    def __repr__(self) -> str:
        return f"nnrt.Tensor(shape={self.shape}, dtype={self.dtype.name})"
