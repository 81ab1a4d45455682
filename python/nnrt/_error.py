"""Errors of the runtime."""

import enum


class ReturnCode(enum.IntEnum):
    """The codes of the C API (OH_NN_ReturnCode)."""

    FAILED = 1
    INVALID_PARAMETER = 2
    MEMORY_ERROR = 3
    OPERATION_FORBIDDEN = 4
    NULL_PTR = 5
    INVALID_FILE = 6
    UNAVALIDABLE_DEVICE = 7
    INVALID_PATH = 8
    TIMEOUT = 9
    UNSUPPORTED = 10
    CONNECTION_EXCEPTION = 11
    SAVE_CACHE_EXCEPTION = 12
    DYNAMIC_SHAPE = 13
    UNAVAILABLE_DEVICE = 14


class Error(RuntimeError):
    """A call of the runtime that failed: str() is its sentence, `code` its return code."""

    code: ReturnCode

    def __init__(self, message: str, code: int) -> None:
        # Names that are not UTF-8 contain surrogates, which cannot be printed.
        super().__init__(message.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
        self.code = ReturnCode(code)

    def __reduce__(self) -> tuple:
        return type(self), (str(self), int(self.code))  # to and from other processes


class ExportError(Error, BufferError):
    """A Tensor that cannot be exported by DLPack, whose consumers expect a BufferError."""
