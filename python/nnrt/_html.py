"""Models as HTML, which notebooks show."""

import html
from typing import TYPE_CHECKING, Any, Iterable, Sequence

from nnrt._error import Error
from nnrt._tensor_info import TensorInfo

if TYPE_CHECKING:
    from nnrt._model import Model


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f'<{tag} style="text-align:left">{html.escape(cell)}</{tag}>' for cell in cells) + "</tr>"
    return f"<table>{row(titles, 'th')}{''.join(row(cells, 'td') for cells in rows)}</table>"


def _tensor(kind: str, info: TensorInfo) -> tuple[str, str, str, str]:
    shape = ", ".join("?" if size is None else str(size) for size in info.shape)
    return kind, info.name.encode("utf-8", "backslashreplace").decode(), str(info.dtype), f"[{shape}]"


def _operations(placement: dict[str, Any]) -> str:
    nodes = placement["nodes"]
    devices = [node["device"] for node in nodes]
    counts = ", ".join(f"{devices.count(name)} of {len(nodes)} operations on {name}" for name in dict.fromkeys(devices))
    rows = [(str(node["operation"]), node.get("layer", ""), node["operator"].removeprefix("OH_NN_OPS_"), node["device"],
             node["reason"]) for node in nodes]
    table = _table(("#", "layer", "operator", "device", "why there"), rows)
    choice = f"<p>{html.escape(placement['choice'])}</p>" if placement.get("choice") else ""
    return (f"{choice}<details><summary>{html.escape(counts)}</summary>"
            f'<div style="max-height:30em;overflow:auto">{table}</div></details>')


def html_of_model(model: "Model") -> str:
    tensors = _table(("", "name", "dtype", "shape"), [_tensor("input", info) for info in model.inputs]
                     + [_tensor("output", info) for info in model.outputs])
    try:
        operations = _operations(model.placement)
    except Error as error:  # such as that of a closed model
        operations = f"<p>{html.escape(str(error))}</p>"
    return f"<p><code>{html.escape(repr(model))}</code></p>{tensors}{operations}"
