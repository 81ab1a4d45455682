#!/usr/bin/env python3
"""Runs a model over many files with Dask, one process per device, on this machine or others.

    batch.py digits.onnx images/*.npy --output digits.npy --devices gpu,cpu

The outputs are in the order of the files. If a process dies, Dask gives its files to the others and restarts it.
"""

import argparse
import sys

import numpy
from distributed import Client, LocalCluster, WorkerPlugin, get_worker

import nnrt


class LoadedModel(WorkerPlugin):
    """The model of a worker process, built once for the worker's device."""

    name = "nnrt-model"

    def __init__(self, path, devices):
        self.path, self.devices = path, devices
        self.model = None

    def setup(self, worker):
        device = self.devices[int(worker.name) % len(self.devices)]
        self.model = nnrt.load(self.path, device)

    def __reduce__(self):  # not pickled: each worker builds its own model
        return LoadedModel, (self.path, self.devices)


def infer(path):
    """Runs in a worker: the first output for the array in a file."""
    model = get_worker().plugins[LoadedModel.name].model
    return next(iter(model.run([numpy.load(path)]).values()))


def start(model, devices):
    """A local cluster with one process per device, and its client."""
    # One thread per process: a device runs one request of a process at a time.
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
