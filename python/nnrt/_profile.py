"""Times of operations, from the runtime's trace (docs/trace.md)."""

import dataclasses
from typing import Any, Mapping, Sequence


@dataclasses.dataclass(frozen=True)
class OperationTime:
    """The mean time of an operation in a run."""

    operation: int
    """Its index in the model."""
    layer: str
    """The operator of the file; empty for an offline model."""
    operators: tuple[str, ...]
    """The computed operators, such as CONV2D."""
    device: str
    ms: float
    flops: float


@dataclasses.dataclass(frozen=True)
class Profile:
    """The mean time of a run and of each operation in it, slowest first."""

    run_ms: float
    runs: int
    operations: tuple[OperationTime, ...]


def _own_runs(events: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The runs of the traced executor; the trace may contain those of other models."""
    return sorted((event for event in events if event.get("cat") == "run" and event["args"].get("own")),
                  key=lambda event: event["ts"])


def _unique(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def read_trace(trace: Mapping[str, Any], warmup: int, names: Sequence[str]) -> Profile:
    """The profile of the executor's own runs except the first `warmup`."""
    events = trace["traceEvents"]
    runs = _own_runs(events)[warmup:]
    numbers = {run["args"]["run"] for run in runs}
    kernels: dict[int, list] = {}
    for event in events:
        args = event.get("args", {})
        if event.get("ph") == "X" and "operation" in args and args.get("run") in numbers:
            kernels.setdefault(args["operation"], []).append(event)
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
