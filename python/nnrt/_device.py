"""The devices of this machine."""

import dataclasses
import json
from typing import Any, Mapping, Union

from nnrt import _native
from nnrt._error import Error, ReturnCode


@dataclasses.dataclass(frozen=True)
class Device:
    """A device, and what is known about it."""

    id: int
    name: str
    type: str
    """cpu, gpu, accelerator or other."""
    vendor: str
    properties: Mapping[str, Any] = dataclasses.field(default_factory=dict, compare=False)
    """What else is known, such as driver, memory_bytes or float16."""

    def _fits(self, wanted: str) -> bool:
        return wanted in (self.type, str(self.id)) or wanted in self.name.lower()


def devices() -> tuple[Device, ...]:
    """All devices; the first is the default."""
    found = []
    for text in _native.devices():
        known = json.loads(text)
        number, name, kind, vendor = (known.pop(key) for key in ("id", "name", "type", "vendor"))
        found.append(Device(int(number), name, kind, vendor, known))
    return tuple(found)


def find_device(wanted: Union[Device, str, int, None]) -> Device:
    """A device by its position in devices(), or the first of a type (gpu, cpu, accelerator), with an id, or with a
    name that contains the word."""
    if isinstance(wanted, Device):
        return wanted
    offered = devices()
    if not offered:
        raise Error("There is no device. (NNRT_DEVICES and VK_DRIVER_FILES choose which are offered.)", ReturnCode.FAILED)
    if wanted is None:
        return offered[0]
    if str(wanted).isdigit() and int(wanted) < len(offered):
        return offered[int(wanted)]
    for device in offered:
        if device._fits(str(wanted).lower()):
            return device
    names = ", ".join(f"{device.name} ({device.type})" for device in offered)
    raise Error(f"Device ({wanted}) is none of: {names}.", ReturnCode.INVALID_PARAMETER)
