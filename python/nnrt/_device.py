"""The devices of this machine."""

import dataclasses
import functools
import json
import warnings
from typing import Any, Callable, Mapping, Optional, Union

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
        is_auto = wanted == "auto" and self.name.endswith("NNRt auto")  # which a plugin's name may contain too
        return is_auto or wanted in (self.name.lower(), str(self.id), self.type)

    @property
    def _is_software(self) -> bool:
        return self.properties.get("kind") == "software"


def devices() -> tuple[Device, ...]:
    """All devices. The default of load() is "auto", or else the first."""
    return tuple(map(_read, _native.devices()))


def _read(text: str) -> Device:
    known = json.loads(text)
    number, name, kind, vendor = (known.pop(key) for key in ("id", "name", "type", "vendor"))
    return Device(int(number), name, kind, vendor, known)


def _cpu(is_wanted: Callable[[Device], bool]) -> Optional[Device]:
    """The CPU if it is wanted, without listing devices, which loads their drivers."""
    text = _native.cpu_device()
    device = _read(text) if text else None
    return device if device and is_wanted(device) else None


def maker_of(source: ModelSource) -> Optional[Device]:
    """The device that an offline model was compiled for; None if only a plugin knows the format."""
    described = source.maker()
    if not described:
        return None
    def is_maker(device: Device) -> bool:
        return str(device.id) == described["device_id"]

    cpu = _cpu(is_maker)
    if cpu:
        return cpu
    for device in devices():
        if is_maker(device):
            return device
    raise Error(f"The model was compiled for device {described['device']}, which is not there.",
                ReturnCode.UNAVAILABLE_DEVICE)


def _hardware(offered: tuple[Device, ...], found: Device) -> Device:
    """Of a type: a software GPU only if there is no other one."""
    if not found._is_software:
        return found
    for device in offered:
        if device.type == found.type and not device._is_software:
            return device
    _tell_once(f"{found.name} is a software GPU; the CPU device is faster (device='auto').")
    return found


@functools.lru_cache(maxsize=None)
def _tell_once(sentence: str) -> None:
    warnings.warn(sentence, RuntimeWarning, stacklevel=6)  # where nnrt.load is called


def find_device(wanted: Union[Device, str, int, None]) -> Device:
    """A device by its position in devices(), by its name or id, the first of a type (gpu, cpu, accelerator), or the
    only one whose name contains the word. None: "auto", or else the first."""
    if isinstance(wanted, Device):
        return wanted
    word = "auto" if wanted is None else str(wanted).lower()
    cpu = _cpu(lambda device: device._is_named(word))
    if cpu:
        return cpu
    offered = devices()
    if not offered:
        raise Error("No device is available. (NNRT_DEVICES and VK_DRIVER_FILES choose which are offered.)", ReturnCode.FAILED)
    if word.isdigit() and int(word) < len(offered):
        return offered[int(word)]
    if not word:
        raise Error("The name of the device is empty.", ReturnCode.INVALID_PARAMETER)
    for device in offered:
        if device._is_named(word):
            return _hardware(offered, device) if word == device.type else device
    if wanted is None:
        return offered[0]
    meant = [device for device in offered if word in device.name.lower()]
    if len(meant) == 1:
        return meant[0]
    names = ", ".join(f"{device.name} ({device.type})" for device in meant or offered)
    answer = "is ambiguous" if meant else "is not one of"
    raise Error(f"Device ({wanted}) {answer}: {names}.", ReturnCode.INVALID_PARAMETER)
