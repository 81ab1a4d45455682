"""Models over the collections of Dask."""

import os
from typing import Any, Iterable, Iterator, Optional

import numpy

from nnrt._error import Error, ReturnCode
from nnrt.batch._recipe import Recipe, built
from nnrt.batch._rows import check_stackable, run_all


def map(model: Any, collection: Any, *, device: Optional[str] = None, batch: Optional[int] = None, mean: str = "", scale: str = "",
        **options: Any) -> Any:
    """Applies a model to a dask.array or dask.bag, lazily. Workers build it once and keep it.

    model: the path of a model file that the workers can read.
    collection: a dask.array whose first dimension counts rows, or a mapping of input names to such arrays: returns
        an array of rows, or a tuple of them for several outputs. Or a dask.bag of arrays, of inputs as Model.run takes
        them, or of paths: returns a bag of what Model() returns for each.
    batch: rows at once, if the model's first dimension is open. Default: a block of an array, one item of a bag.
    mean, scale: of images, as in `nnrt run`: "127.5", "1/127.5".
    options: of nnrt.load.
    """
    devices = () if device is None else (str(device),)
    recipe = Recipe.of(model, devices, mean=mean, scale=scale, **options)
    if hasattr(collection, "map_partitions") and not hasattr(collection, "chunks"):
        return collection.map_partitions(_run_items, recipe, batch)
    return _map_arrays(recipe, collection, batch)


def _run_items(items: Iterable[Any], recipe: Recipe, batch: Optional[int]) -> Iterator[Any]:
    it = built(recipe)
    if batch and batch > 1:
        check_stackable(it.model)

    def samples() -> Iterator[tuple[None, list]]:
        for item in items:
            if isinstance(item, (str, os.PathLike)):
                yield None, it.read(os.fsencode(os.path.abspath(item)))
            else:
                yield None, it.model._feeds(item)

    for _, result in run_all(it.model, samples(), batch or 1):
        if isinstance(result, Exception):
            raise result
        yield result[0] if len(result) == 1 else tuple(result)


def _map_arrays(recipe: Recipe, collection: Any, batch: Optional[int]) -> Any:
    import dask
    import dask.array

    model = built(recipe).model
    arrays = model._in_order(collection)
    rows = arrays[0].chunks[0]
    blocks = [array.rechunk({0: rows, **{axis: -1 for axis in range(1, array.ndim)}}).to_delayed().ravel() for array in arrays]
    run = dask.delayed(_run_block, pure=False, nout=len(model.outputs))
    results = [list(run(recipe, batch, *columns)) for columns in zip(*blocks)]
    made = []
    for index, info in enumerate(model.outputs):
        rest = [numpy.nan if size is None else size for size in info.shape[1:]]
        pieces = [dask.array.from_delayed(result[index], (count, *rest), info.dtype) for result, count in zip(results, rows)]
        made.append(dask.array.concatenate(pieces, allow_unknown_chunksizes=True))
    return made[0] if len(made) == 1 else tuple(made)


def _run_block(recipe: Recipe, batch: Optional[int], *arrays: numpy.ndarray) -> list[numpy.ndarray]:
    """The outputs for the rows of a block; a model without an open first dimension determines the rows of a run."""
    model, rows = built(recipe).model, arrays[0].shape[0]
    step = model.inputs[0].shape[0] or batch or max(rows, 1)
    results = []
    for begin in range(0, max(rows, 1), step):
        part = [array[begin:begin + step] for array in arrays]
        outputs = model._run(part, None)
        for info, output in zip(model.outputs, outputs):
            if output.shape[:1] != part[0].shape[:1]:
                raise Error(f"Output {info.name} has shape {list(output.shape)} for {part[0].shape[0]} rows of the input.",
                            ReturnCode.INVALID_PARAMETER)
        results.append(outputs)
    return [numpy.concatenate(column) for column in zip(*results)]
