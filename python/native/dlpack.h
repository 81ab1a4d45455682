// Tensors to and from other array libraries through DLPack.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace nnrt::python {

// A capsule sharing the memory of a Tensor, which it keeps alive. `versioned`: of version 1, which has
// read-only tensors. `is_copy` tells consumers that nobody else uses the memory.
pybind11::capsule to_dlpack(const pybind11::object& tensor, bool versioned, bool is_copy);

// An array over the memory of a capsule of either kind, which it takes over. Not to be written: the memory
// may be read-only.
pybind11::array from_dlpack(const pybind11::object& capsule);

}  // namespace nnrt::python
