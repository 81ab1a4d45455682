"""Model files given as a path, bytes or an open file."""

import contextlib
import hashlib
import json
import os
import re
from typing import Any, BinaryIO, Iterator, Optional, Union

from nnrt import _native
from nnrt._error import Error, ReturnCode

Source = Union[str, os.PathLike, bytes, bytearray, memoryview, BinaryIO]  # a path, the contents, or an open file


def path_bytes(path: Union[str, bytes, os.PathLike]) -> bytes:
    """The path as bytes, because names need not be UTF-8."""
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise Error(f"Path ({os.fsdecode(encoded)!r}) contains a NUL byte.", ReturnCode.INVALID_PATH)
    return encoded


class ModelSource:
    """A model file as a path or as bytes. Pickles as such."""

    def __init__(self, given: Source) -> None:
        self.path: Optional[bytes] = None
        self.data: Optional[bytes] = None
        if not isinstance(given, (str, os.PathLike)) and hasattr(given, "read"):
            given = given.read()
            if not isinstance(given, bytes):
                raise Error("The file is not open in binary mode.", ReturnCode.INVALID_PARAMETER)
        if isinstance(given, (bytes, bytearray, memoryview)):
            self.data = bytes(given)
        elif isinstance(given, (str, os.PathLike)):
            self.path = path_bytes(given)
        else:
            raise Error(f"A model is a path, bytes or a binary file, not {type(given).__name__}.",
                        ReturnCode.INVALID_PARAMETER)

    @property
    def is_offline(self) -> bool:
        """Whether it was compiled ahead of time (.nnrt)."""
        if self.path is not None:
            return self.path.endswith(b".nnrt")
        return self.data is not None and self.data.startswith(_native.OFFLINE_MAGIC)

    def build(self, options: _native.BuildOptions) -> _native.CompiledModel:
        if not self.is_offline and self.data is not None:
            return _native.CompiledModel(self.data, options)
        with self._file() as path:
            return _native.CompiledModel(path, self.is_offline, options)

    def maker(self) -> dict[str, Any]:
        """Describes the device of an offline model; empty if only a plugin knows the format."""
        with self._file() as path:
            return json.loads(_native.describe_offline(path))

    @contextlib.contextmanager
    def _file(self) -> Iterator[bytes]:
        if self.path is not None:
            yield self.path
            return
        assert self.data is not None
        fd = os.memfd_create("model.nnrt")
        try:
            with open(fd, "wb", closefd=False) as file:
                file.write(self.data)
            yield b"/proc/self/fd/%d" % fd
        finally:
            os.close(fd)

    def cache_name(self, *variant: Any) -> str:
        """The prefix of the model's files in a shared cache folder."""
        key = self.data if self.path is None else os.path.realpath(self.path)
        digest = hashlib.blake2b(key or b"", digest_size=8, key=hashlib.blake2b(repr(variant).encode()).digest())
        stem = "model" if self.path is None else os.path.splitext(os.path.basename(os.fsdecode(self.path)))[0]
        return f"{re.sub('[^A-Za-z0-9._-]', '_', stem)[:80]}-{digest.hexdigest()}-"

    def __repr__(self) -> str:
        return f"{len(self.data or b'')} bytes" if self.path is None else repr(os.fsdecode(self.path))
