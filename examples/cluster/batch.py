#!/usr/bin/env python3
"""Runs a model over many files with Dask: one process for each device, on this machine or on others.

    batch.py digits.onnx images/*.npy --output digits.npy --devices gpu,cpu

The outputs are in the order of the files. A process that dies loses nothing: Dask gives its files to the others and
starts it anew.
"""

import argparse
import sys

import numpy
from distributed import Client, LocalCluster, WorkerPlugin, get_worker

import nnrt


class LoadedModel(WorkerPlugin):
    """The model in a worker's process, built once for the worker's device."""

    name = "nnrt-model"

    def __init__(self, path, devices):
        self.path, self.devices = path, devices
        self.model = None

    def setup(self, worker):
        device = self.devices[int(worker.name) % len(self.devices)]
        self.model = nnrt.load(self.path, device)

    def __reduce__(self):  # a model does not travel: each worker builds its own
        return LoadedModel, (self.path, self.devices)


def infer(path):
    """The first output for the array in a file. Runs in a worker."""
    model = get_worker().plugins[LoadedModel.name].model
    return next(iter(model.run([numpy.load(path)]).values()))


def start(model, devices):
    """A cluster of this machine with a process for each device, and its client."""
    # A device runs one request of a process at a time: more threads would only wait for each other.
    cluster = LocalCluster(n_workers=len(devices), threads_per_worker=1, processes=True, dashboard_address=None)
    client = Client(cluster)
    client.register_worker_plugin(LoadedModel(model, devices))
    return cluster, client


def run(client, paths, retries=3):
    """The outputs, in the order of the paths."""
    return client.gather(client.map(infer, paths, retries=retries, pure=False))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("inputs", nargs="+", help=".npy files, one run each")
    parser.add_argument("--output", required=True, help="a .npy file with the outputs, in order")
    parser.add_argument("--devices", default="gpu", help="as nnrt.load takes them, with commas between them")
    arguments = parser.parse_args()
    cluster, client = start(arguments.model, arguments.devices.split(","))
    with cluster, client:
        outputs = run(client, arguments.inputs)
    numpy.save(arguments.output, numpy.stack(outputs))
    print(f"{len(outputs)} outputs of shape {outputs[0].shape}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
