"""Neural networks on Vulkan GPUs and CPUs.

    import nnrt
    model = nnrt.load("model.onnx", device="gpu")
    y = model(x)                                  # numpy arrays in and out
    outputs = model.run({"image": x})             # by name
"""

from nnrt import image
from nnrt._classes import ScoredClass, top_k
from nnrt._device import Device, devices
from nnrt._error import Error, ReturnCode
from nnrt._model import Model, load
from nnrt._native import version
from nnrt._profile import OperationTime, Profile
from nnrt._tensor import Tensor
from nnrt._tensor_info import Quantization, TensorInfo
from nnrt._text import generate

__version__ = version

__all__ = [
    "Device", "Error", "Model", "OperationTime", "Profile", "Quantization", "ReturnCode", "ScoredClass", "Tensor",
    "TensorInfo", "devices", "generate", "image", "load", "top_k",
]
