// The buffer protocol of tensors.
#pragma once

#include "python/native/interpreter_lock.h"
#include "python/native/tensor.h"

#include <pybind11/pybind11.h>

namespace nnrt::python {

using TensorClass = pybind11::class_<Tensor, UnlockedPtr<Tensor>>;

// Failures raise BufferError.
void add_buffer_protocol(TensorClass& type);

}  // namespace nnrt::python

namespace pybind11::detail {

// Python can create a Tensor without calling its constructor; it then has no C++ object.
template <>
class type_caster<nnrt::python::Tensor> : public type_caster_base<nnrt::python::Tensor> {
 public:
  bool load(handle source, bool convert) {
    if (!type_caster_base::load(source, convert)) return false;
    return reinterpret_cast<instance*>(source.ptr())->get_value_and_holder(typeinfo).holder_constructed();
  }
};

}  // namespace pybind11::detail
