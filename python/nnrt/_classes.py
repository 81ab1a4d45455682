"""The best classes of a classifier's scores."""

from typing import Any, NamedTuple, Optional, Sequence

import numpy

from nnrt._error import Error, ReturnCode


class ScoredClass(NamedTuple):
    """A class of a classifier, with its score."""

    score: float
    class_index: int
    label: Optional[str]
    """None without labels, and for classes that have none."""


def top_k(scores: Any, k: int = 5, labels: Optional[Sequence[str]] = None) -> list[ScoredClass]:
    """The k classes with the best scores, best first; of equal ones, the first. NaN comes last.

    scores: an array with one dimension larger than 1, such as (1, 1000).
    labels: the names of the classes, in order.
    """
    array = numpy.asarray(scores)
    if sum(size != 1 for size in array.shape) > 1:
        raise Error(f"Scores of shape {list(array.shape)} are not those of one sample.", ReturnCode.INVALID_PARAMETER)
    if k < 0:
        raise Error(f"The number of classes ({k}) is negative.", ReturnCode.INVALID_PARAMETER)
    values = array.reshape(-1)
    order = numpy.argsort(-values.astype(numpy.float64), kind="stable")[:k]
    return [ScoredClass(values[i].item(), int(i), labels[i] if labels is not None and i < len(labels) else None)
            for i in order]
