"""Models over many files, processes and machines.

    python3 -m nnrt.batch model.onnx images -o outputs      # one output file for each input file
    y = nnrt.batch.map("model.onnx", x)                     # a dask.array or dask.bag
"""

from nnrt.batch._map import map

__all__ = ["map"]
