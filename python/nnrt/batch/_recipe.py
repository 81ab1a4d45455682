"""Models of worker processes. A process builds a model once and keeps it for later tasks."""

import collections
import dataclasses
import errno
import functools
import itertools
import os
import socket
import threading
from typing import Any, Mapping, Optional

from nnrt import _samples
from nnrt._model import Model
from nnrt._tensor_info import declaration_of

_KEPT = 4  # models per process


@dataclasses.dataclass(frozen=True)
class Recipe:
    """A model file and how to build it: small and hashable, because it travels with every task."""

    path: str
    devices: tuple[str, ...] = ()
    """The processes of a machine take them in turn. Empty: the default of nnrt.load."""
    options: tuple[tuple[str, Any], ...] = ()
    """Of nnrt.load."""
    mean: str = ""
    scale: str = ""

    @classmethod
    def of(cls, path: Any, devices: tuple[str, ...] = (), *, mean: str = "", scale: str = "", **options: Any) -> "Recipe":
        if options.get("cache") is not None:
            options["cache"] = os.path.abspath(os.fsdecode(options["cache"]))
        given = tuple((name, _frozen(value)) for name, value in sorted(options.items()))
        return cls(os.path.abspath(os.fsdecode(path)), devices, given, mean, scale)

    def without(self, option: str) -> "Recipe":
        return dataclasses.replace(self, options=tuple(it for it in self.options if it[0] != option))

    @property
    def load_options(self) -> dict[str, Any]:
        return {name: dict(value) if isinstance(value, frozenset) else value for name, value in self.options}


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return frozenset((key, _frozen(it)) for key, it in value.items())
    return tuple(value) if isinstance(value, list) else value


class Built:
    """A model of this process, and the reader of its inputs."""

    def __init__(self, recipe: Recipe) -> None:
        device = recipe.devices[_slot() % len(recipe.devices)] if recipe.devices else None
        self.model = Model(recipe.path, device, **recipe.load_options)
        self.read = _samples.SampleReader([declaration_of(it) for it in self.model.inputs], recipe.mean, recipe.scale).read
        self.output_names = [os.fsencode(it.name) for it in self.model.outputs]


_models: "collections.OrderedDict[tuple, Built]" = collections.OrderedDict()
_lock = threading.Lock()


def built(recipe: Recipe) -> Built:
    """Builds the model unless this process has it already, from the file as it is now."""
    try:
        status: Optional[os.stat_result] = os.stat(recipe.path)
    except OSError:
        status = None  # Model() says why
    key = recipe, status and (status.st_mtime_ns, status.st_size, status.st_ino)
    with _lock:
        if key not in _models:
            _models[key] = Built(recipe)
            if len(_models) > _KEPT:
                _models.popitem(last=False)
        _models.move_to_end(key)
        return _models[key]


@functools.lru_cache(maxsize=None)
def _slot() -> int:
    """The lowest number that no other worker process of this user holds on this machine."""
    for number in itertools.count():
        holder = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            holder.bind(f"\0nnrt.batch.{os.getuid()}.{number}")  # freed when the process ends
        except OSError as error:
            holder.close()
            if error.errno != errno.EADDRINUSE:
                return 0
            continue
        _held.append(holder)
        return number
    raise AssertionError


_held: list[socket.socket] = []
