// Exports tensors to other array libraries through DLPack.
#pragma once

#include <pybind11/pybind11.h>

namespace nnrt::python {

// A "dltensor" capsule sharing the memory of a Tensor, which it keeps alive.
pybind11::capsule to_dlpack(const pybind11::object& tensor);

}  // namespace nnrt::python
