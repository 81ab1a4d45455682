"""The times of operations, from a trace of the runtime (docs/trace.md)."""

import dataclasses
from typing import Any, Mapping, Sequence


@dataclasses.dataclass(frozen=True)
class OperationTime:
    """An operation in an average run."""

    operation: int
    """Its number in the model."""
    layer: str
    """The operator of the file that it is a part of; empty for an offline model."""
    operators: tuple[str, ...]
    """The operators that were computed, such as CONV2D."""
    device: str
    ms: float
    flops: float


@dataclasses.dataclass(frozen=True)
class Profile:
    """The time of an average run, and of each operation in it, the longest first."""

    run_ms: float
    runs: int
    operations: tuple[OperationTime, ...]


def _is_run(event: Mapping[str, Any]) -> bool:
    return event.get("cat") == "api" and event.get("name") == "OH_NNExecutor_RunSync"


def _unique(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def read_trace(trace: Mapping[str, Any], warmup: int, names: Sequence[str]) -> Profile:
    """Adds what happened in the runs behind the first `warmup` ones."""
    events = trace["traceEvents"]
    runs = sorted(filter(_is_run, events), key=lambda event: event["ts"])[warmup:]
    kernels: dict[int, list] = {}
    for event in events:
        if "operation" in event.get("args", {}) and event.get("ph") == "X" and event["ts"] >= runs[0]["ts"]:
            kernels.setdefault(event["args"]["operation"], []).append(event)
    operations = []
    for number, of_one in kernels.items():
        args = [event["args"] for event in of_one]
        operations.append(OperationTime(
            operation=number,
            layer=names[number] if number < len(names) else "",
            operators=_unique([arg["operator"].removeprefix("OH_NN_OPS_") for arg in args]),
            device=args[0]["device"],
            ms=sum(event["dur"] for event in of_one) / 1000 / len(runs),
            flops=sum(arg.get("flops", 0) for arg in args) / len(runs)))
    operations.sort(key=lambda it: -it.ms)
    return Profile(sum(run["dur"] for run in runs) / 1000 / len(runs), len(runs), tuple(operations))
