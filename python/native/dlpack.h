// A tensor for other array libraries, by DLPack.
#pragma once

#include <pybind11/pybind11.h>

namespace nnrt::python {

// A capsule "dltensor" over the memory of a Tensor, which lives until the capsule's user is done with it.
pybind11::capsule to_dlpack(const pybind11::object& tensor);

}  // namespace nnrt::python
