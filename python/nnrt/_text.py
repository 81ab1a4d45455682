"""Text of language models."""

import codecs
import os
from typing import TYPE_CHECKING, Iterator, Optional, Sequence, Union

from nnrt._device import find_device
from nnrt._model import DeviceName
from nnrt._source import path_bytes

if TYPE_CHECKING:
    from nnrt import _samples


def generate(
    model: Union[str, bytes, os.PathLike],
    prompt: str,
    device: DeviceName = None,
    *,
    tokens: int = 200,
    stop: Union[str, Sequence[str]] = (),
    temperature: Optional[float] = None,
    top_k: Optional[int] = None,
    top_p: Optional[float] = None,
    seed: int = 0,
    tokenizer: Union[None, str, bytes, os.PathLike] = None,
) -> Iterator[str]:
    """Builds a language model, reads the prompt, and yields what follows, piece by piece.

    model: a decoder, or the folder with its files (docs/text.md).
    tokens: at most this many.  stop: the text ends before one of these.
    temperature: 0 is always the likeliest token.  top_k, top_p: sample from the likeliest. Default: as the model's
        files say. The same seed gives the same text.
    tokenizer: "bytes", or a tokenizer.json. Default: the one beside the model, else bytes.
    """
    from nnrt import _samples  # loads the image libraries

    stops = [stop] if isinstance(stop, str) else stop
    return _pieces(_samples.TextGenerator(
        path_bytes(model), prompt.encode("utf-8", "surrogateescape"), str(find_device(device).id).encode(),
        b"" if tokenizer is None else path_bytes(tokenizer), tokens, [text.encode() for text in stops], temperature, top_k,
        top_p, seed))


def _pieces(generator: "_samples.TextGenerator") -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")  # a token may be a part of a character
    while (piece := generator.next()) is not None:
        text = decoder.decode(piece)
        if text:
            yield text
    rest = decoder.decode(b"", final=True)
    if rest:
        yield rest
