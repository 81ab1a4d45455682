// Attributes of operations as parameters of the C API.
#pragma once

#include "tools/import/network/network.h"

#include <span>
#include <vector>

namespace nnrt::import {

struct Parameter {
  OH_NN_TensorType role = OH_NN_TENSOR;
  OH_NN_DataType type = OH_NN_UNKNOWN;
  Shape shape;
  Bytes value;
};

std::vector<Parameter> parameters_of(const Operation& operation);

// Fails if one is not a parameter of the operator.
Result<Attrs> attributes_of(Op type, std::span<const Parameter> parameters);

}  // namespace nnrt::import
