"""The input files of a batch."""

import os
from typing import Callable, Iterator, Sequence

# As nnrt's folders of samples, and archives.
_READABLE = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".npy", ".npz", ".bin", ".raw", ".jsonl")


def common_folder(inputs: Sequence[str]) -> str:
    """The deepest folder that holds all inputs. Outputs repeat the tree below it."""
    paths = [os.path.abspath(path) for path in inputs]
    return os.path.commonpath([path if os.path.isdir(path) else os.path.dirname(path) for path in paths])


class InputFiles:
    """Names below a root folder, listed anew on each iteration and never all in memory.

    A folder stands for the files below it, or for the samples in it if the model has several inputs.
    """

    def __init__(self, inputs: Sequence[str], root: str, out: str, input_count: int,
                 unreadable: Callable[[str, OSError], None] = lambda path, error: None) -> None:
        self._inputs = [os.path.abspath(path) for path in inputs]
        self._root, self._out, self._count, self._unreadable = root, out, input_count, unreadable

    def __iter__(self) -> Iterator[str]:
        for path in self._inputs:
            for found in self._below(path) if os.path.isdir(path) else [path]:
                yield os.path.relpath(found, self._root)

    def _below(self, folder: str) -> Iterator[str]:
        try:
            with os.scandir(folder) as entries:
                found = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
        except OSError as error:
            return self._unreadable(folder, error)
        for name, is_folder in found:
            path = os.path.join(folder, name)
            if name.startswith(".") or path == self._out:
                continue
            if is_folder and self._count == 1:
                yield from self._below(path)
            elif is_folder or os.path.splitext(name)[1].lower() in _READABLE:
                yield path
