"""Several samples in one run: their rows, one after another, along the first dimension."""

import itertools
from typing import Any, Iterable, Iterator, Sequence, Union

import numpy

from nnrt._error import Error, ReturnCode
from nnrt._model import Model

Arrays = list[numpy.ndarray]  # of the inputs or outputs, in order


def check_stackable(model: Model) -> None:
    """Raises an error unless the first dimension of every input and output is open."""
    for what, infos in (("input", model.inputs), ("output", model.outputs)):
        for info in infos:
            if not info.shape or info.shape[0] is not None:
                raise Error(f"More than one row at once needs an open first dimension, but {what} {info.name} has shape "
                            f"{list(info.shape)}.", ReturnCode.INVALID_PARAMETER)


def run_all(model: Model, samples: Iterable[tuple[Any, Arrays]], rows: int) -> Iterator[tuple[Any, Union[Arrays, Exception]]]:
    """Runs samples, up to `rows` rows at once, and yields the outputs or the error of each, in order."""
    group: list[tuple[Any, Arrays]] = []
    count, layout = 0, None
    for key, arrays in samples:
        if rows == 1:
            yield key, _run(model, arrays)
            continue
        size = len(arrays[0])
        this = [array.shape[1:] for array in arrays] if all(len(array) == size for array in arrays) else None  # None: alone
        if group and (this is None or this != layout or count + size > rows):
            yield from _run_group(model, group)
            group, count = [], 0
        group.append((key, arrays))
        count, layout = count + size, this
    if group:
        yield from _run_group(model, group)


def _run(model: Model, arrays: Sequence[numpy.ndarray]) -> Union[Arrays, Exception]:
    try:
        return model._run(arrays, None)
    except Exception as error:
        return error


def _run_group(model: Model, group: list[tuple[Any, Arrays]]) -> Iterator[tuple[Any, Union[Arrays, Exception]]]:
    pieces = _run_stacked(model, [arrays for _, arrays in group]) if len(group) > 1 else None
    for index, (key, arrays) in enumerate(group):
        yield key, pieces[index] if pieces else _run(model, arrays)


def _run_stacked(model: Model, group: list[Arrays]) -> Union[list[Arrays], None]:
    """The outputs of each; None if one of them fails, or if outputs do not have a row for each row of the inputs."""
    try:
        outputs = model._run([numpy.concatenate(column) for column in zip(*group)], None)
    except Exception:
        return None
    begins = [0, *itertools.accumulate(len(arrays[0]) for arrays in group)]
    if any(len(output) != begins[-1] for output in outputs):
        return None
    return [[output[begin:end] for output in outputs] for begin, end in zip(begins, begins[1:])]
