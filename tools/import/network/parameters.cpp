#include "tools/import/network/parameters.h"

#include "core/base/bytes_of.h"
#include "core/base/element_types.h"
#include "core/base/text.h"
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
    const ParamRow* row = find_param(operation.type, attr, value.dtype);
    if (row != nullptr && value.given) parameters.push_back(parameter_of(*row, value));
  }
  return parameters;
}

Result<Attrs> attributes_of(Op type, std::span<const Parameter> parameters) {
  Attrs attributes;
  for (const auto& [role, element, shape, bytes] : parameters) {
    const auto dtype = static_cast<DType>(element);
    const ParamRow* row = schema(type).param(role);
    // A pad mode may be given as a pad list and vice versa (R17).
    if (row != nullptr && row->either_pad)
      row = find_param(type, dtype == DType::i8 ? Attr::pad_mode : Attr::pad, dtype);
    if (row == nullptr || dtype == DType::unknown)
      return invalid("A tensor of type (", int(role), ") is not a parameter of ", short_name(type), ".");
    AttrValue value{.dtype = dtype, .integers = {}, .floats = {}};
    if (is_float(dtype)) {
      value.floats = numbers_of<double>(dtype, bytes);
    } else {
      value.integers = numbers_of<int64_t>(dtype, bytes);
    }
    attributes.set(row->attr, std::move(value));
  }
  return attributes;
}

}  // namespace nnrt::import
