"""Images as inputs: PNG, JPEG, WebP and BMP files, as `nnrt run --input` reads them.

    image = nnrt.image.read("cat.jpg")                     # uint8, rows x columns x channels
    x = nnrt.image.prepare("cat.jpg", model.inputs[0])     # resized and normalized
"""

import os
from typing import Any, Sequence, Union

import numpy

from nnrt._error import Error, ReturnCode
from nnrt._source import path_bytes
from nnrt._tensor_info import TensorInfo, declaration_of

Numbers = Union[None, float, Sequence[float]]  # one number, or one for each channel

__all__ = ["prepare", "read", "resize"]


def _native() -> Any:
    """Imported when needed: it loads the image libraries."""
    from nnrt import _samples
    return _samples


def _pixels(image: Any) -> numpy.ndarray:
    array = numpy.asarray(image)
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3 or array.dtype != numpy.uint8 or array.shape[2] not in (1, 3, 4):
        raise Error(f"An image is an array of uint8 of rows, columns and 1, 3 or 4 channels, not {array.dtype} {list(array.shape)}.",
                    ReturnCode.INVALID_PARAMETER)
    return numpy.ascontiguousarray(array)


def _numbers(given: Numbers) -> list[float]:
    if given is None:
        return []
    return numpy.atleast_1d(numpy.asarray(given, numpy.float64)).tolist()


def read(source: Union[str, bytes, os.PathLike], channels: int = 3) -> numpy.ndarray:
    """The pixels of an image file, or of its bytes: uint8, rows x columns x channels, upright as Exif says.

    channels: 1 (grey), 3 (RGB) or 4 (RGBA).
    """
    if channels not in (1, 3, 4):
        raise Error(f"An image has 1, 3 or 4 channels, not {channels}.", ReturnCode.INVALID_PARAMETER)
    if isinstance(source, bytes):
        return _native().parse_image(source, channels)
    return _native().read_image(path_bytes(source), channels)


def resize(image: Any, height: int, width: int) -> numpy.ndarray:
    """The image with this size: bilinear, with half-pixel centers."""
    if not (0 < height <= 65535 and 0 < width <= 65535):
        raise Error(f"The size ({height} x {width}) is not from 1 to 65535.", ReturnCode.INVALID_PARAMETER)
    return _native().resize_image(_pixels(image), height, width)


def prepare(source: Any, info: TensorInfo, *, mean: Numbers = None, scale: Numbers = None) -> numpy.ndarray:
    """The array for an input of a model: resized, in the input's layout and type, (pixel - mean) * scale.

    source: a path, the bytes of a file, or the pixels (an array, a PIL image).
    mean, scale: one number, or one for each channel. Without both, floats are from -1 to 1, and quantized inputs use
        their full range.
    """
    tensor = declaration_of(info)
    channels = _native().image_channels(tensor)
    pixels = read(source, channels) if isinstance(source, (str, bytes, os.PathLike)) else _pixels(source)
    if pixels.shape[2] != channels:
        raise Error(f"The image has {pixels.shape[2]} channels, but input {info.name} takes {channels}.",
                    ReturnCode.INVALID_PARAMETER)
    return _native().image_tensor(pixels, tensor, _numbers(mean), _numbers(scale))
