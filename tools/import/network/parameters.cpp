#include "tools/import/network/parameters.h"

#include "core/base/bytes_of.h"
#include "core/base/check.h"
#include "core/base/element_types.h"
#include "core/base/text.h"
#include "core/schema/validate.h"
#include "core/writer/settings.h"

namespace nnrt::import {
namespace {

Bytes bytes_of(const AttrValue& value) {
  return dispatch_dtype(value.dtype, [&]<typename T>(std::type_identity<T>) {
    std::vector<T> elements;
    if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, Half>) {
      for (const double number : value.floats) elements.push_back(narrow<T>(number));
    } else {
      for (const int64_t number : value.integers) elements.push_back(narrow<T>(number));
    }
    return nnrt::bytes_of(elements);
  });
}

Parameter parameter_of(const ParamRow& row, const AttrValue& value) {
  constexpr int kPairs = 2;  // rank of lists of [begin, end]
  Parameter parameter{.role = static_cast<OH_NN_TensorType>(row.type()),
                      .type = static_cast<OH_NN_DataType>(value.dtype),
                      .shape = {},
                      .value = bytes_of(value)};
  const auto count = static_cast<int32_t>(value.count());
  if (row.rank == kPairs) {
    parameter.shape = {count / 2, 2};
  } else if (row.count.max > 1) {
    parameter.shape = {count};
  }
  return parameter;
}

}  // namespace

std::vector<Parameter> parameters_of(const Operation& operation) {
  std::vector<Parameter> parameters;
  for (const auto& [attr, value] : operation.attributes.all()) {
    if (!value.given) continue;
    const ParamRow* const row = find_param(operation.type, attr, value.dtype);
    NNRT_CHECK(row != nullptr, "An attribute is not a parameter of its operator.");
    parameters.push_back(parameter_of(*row, value));
  }
  return parameters;
}

Result<Attrs> attributes_of(Op type, std::span<const Parameter> parameters) {
  const OpSchema& operation = schema(type);
  Attrs attributes;
  for (const auto& [role, element, shape, bytes] : parameters) {
    if (operation.param(role) == nullptr)
      return invalid("A tensor of type (", int(role), ") is not a parameter of ", short_name(type), ".");
    nnrt::Tensor tensor;
    tensor.role = role;
    tensor.dtype = static_cast<DType>(element);
    tensor.shape.assign(shape.begin(), shape.end());
    tensor.data = std::make_shared<const Bytes>(bytes);
    NNRT_TRY(read_param(operation, tensor, attributes));
  }
  return attributes;
}

}  // namespace nnrt::import
