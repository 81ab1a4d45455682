"""The devices of this machine."""

import dataclasses
import json
from typing import Any, Mapping, Optional, Union

from nnrt import _native
from nnrt._error import Error, ReturnCode
from nnrt._source import ModelSource


@dataclasses.dataclass(frozen=True)
class Device:
    """A device and its properties."""

    id: int
    name: str
    type: str
    """cpu, gpu, accelerator or other."""
    vendor: str
    properties: Mapping[str, Any] = dataclasses.field(default_factory=dict, compare=False)
    """Further properties, such as driver, memory_bytes or float16."""

    def _is_named(self, wanted: str) -> bool:
        return wanted in (self.name.lower(), str(self.id), self.type)


def devices() -> tuple[Device, ...]:
    """All devices; the first is the default."""
    found = []
    for text in _native.devices():
        known = json.loads(text)
        number, name, kind, vendor = (known.pop(key) for key in ("id", "name", "type", "vendor"))
        found.append(Device(int(number), name, kind, vendor, known))
    return tuple(found)


def maker_of(source: ModelSource) -> Optional[Device]:
    """The device that an offline model was compiled for; None if only a plugin knows the format."""
    described = source.maker()
    if not described:
        return None
    for device in devices():
        if str(device.id) == described["device_id"]:
            return device
    raise Error(f"The model was compiled for device {described['device']}, which is not there.",
                ReturnCode.UNAVAILABLE_DEVICE)


def find_device(wanted: Union[Device, str, int, None]) -> Device:
    """A device by its position in devices(), by its name or id, the first of a type (gpu, cpu, accelerator), or the
    only one whose name contains the word."""
    if isinstance(wanted, Device):
        return wanted
    offered = devices()
    if not offered:
        raise Error("No device is available. (NNRT_DEVICES and VK_DRIVER_FILES choose which are offered.)", ReturnCode.FAILED)
    if wanted is None:
        return offered[0]
    if str(wanted).isdigit() and int(wanted) < len(offered):
        return offered[int(wanted)]
    word = str(wanted).lower()
    if not word:
        raise Error("The name of the device is empty.", ReturnCode.INVALID_PARAMETER)
    for device in offered:
        if device._is_named(word):
            return device
    meant = [device for device in offered if word in device.name.lower()]
    if len(meant) == 1:
        return meant[0]
    names = ", ".join(f"{device.name} ({device.type})" for device in meant or offered)
    answer = "may be any of" if meant else "is none of"
    raise Error(f"Device ({wanted}) {answer}: {names}.", ReturnCode.INVALID_PARAMETER)
