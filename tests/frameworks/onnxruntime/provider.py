"""What the tests of the plugin in ONNX Runtime share."""

import contextlib
import json
import os
import sys
import tempfile

import numpy
import onnxruntime

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
from onnx_writer import OnnxModel  # noqa: E402,F401

LIBRARY = os.environ["PLUGIN_LIBRARY"]
NAME = "NNRtExecutionProvider"


def register(name="nnrt"):
    onnxruntime.register_execution_provider_library(name, LIBRARY)


def devices():
    """All of ours, by their names."""
    return {it.ep_metadata["nnrt_device"]: it for it in onnxruntime.get_ep_devices() if it.ep_name == NAME}


def device(kind):
    """The first one of a type: auto, cpu or gpu."""
    return next(it for it in devices().values() if it.ep_metadata["type"] == kind)


def options(kind="cpu", entries=(), **provider):
    made = onnxruntime.SessionOptions()
    made.log_severity_level = int(os.environ.get("PLUGIN_SEVERITY", "3"))
    made.add_provider_for_devices([device(kind)], provider)
    for key, value in dict(entries).items():
        made.add_session_config_entry(key, value)
    return made


def session(model, kind="cpu", entries=(), **provider):
    # Otherwise Python retries with the CPU's provider where creating ours fails.
    return onnxruntime.InferenceSession(model, options(kind, entries, **provider), enable_fallback=0)


def reference(model):
    made = onnxruntime.SessionOptions()
    made.log_severity_level = 3
    return onnxruntime.InferenceSession(model, made, providers=["CPUExecutionProvider"])


@contextlib.contextmanager
def profiled(model, kind="cpu", **provider):
    """(session, groups): after the block, the list has one entry per group of ours that ran."""
    groups = []
    with tempfile.TemporaryDirectory() as folder:
        made = options(kind, **provider)
        made.enable_profiling = True
        made.profile_file_prefix = os.path.join(folder, "profile")
        opened = onnxruntime.InferenceSession(model, made)
        yield opened, groups
        with open(opened.end_profiling(), encoding="utf-8") as file:
            for event in json.load(file):
                if event.get("args", {}).get("provider") == NAME:
                    groups.append(event["name"])


def differs(got, want, absolute=1e-5, relative=1e-3):
    """Why two lists of arrays differ; None if they do not."""
    for index, (ours, theirs) in enumerate(zip(got, want)):
        if isinstance(theirs, list) or theirs is None:
            continue
        ours, theirs = numpy.asarray(ours), numpy.asarray(theirs)
        if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
            return f"output {index} is {ours.dtype}{list(ours.shape)}, not {theirs.dtype}{list(theirs.shape)}"
        if theirs.dtype.kind not in "fiub":
            continue
        finite = theirs[numpy.isfinite(theirs)] if theirs.dtype.kind == "f" else theirs
        largest = numpy.abs(finite.astype("f8")).max(initial=0)  # rounding errors of what cancels
        step = 1 if theirs.dtype in (numpy.int8, numpy.uint8) else 0 if theirs.dtype.kind in "iub" else max(absolute, 1e-6 * largest)
        if not numpy.allclose(ours.astype("f8"), theirs.astype("f8"), rtol=relative, atol=step, equal_nan=True):
            return f"output {index} differs by {numpy.nanmax(numpy.abs(ours.astype('f8') - theirs.astype('f8'))):g}"
    return None
