#include "tools/import/nnapi/nnapi_operation.h"

#include "core/schema/schema.h"
#include "tools/import/network/network_check.h"

#include <algorithm>
#include <cstring>

namespace nnrt::import {
namespace {

template <typename To, typename From>
std::vector<To> values_of(ByteView bytes) {
  std::vector<To> values;
  for (size_t i = 0; i + sizeof(From) <= bytes.size(); i += sizeof(From)) {
    From value{};
    std::memcpy(&value, bytes.data() + i, sizeof value);
    values.push_back(static_cast<To>(value));
  }
  return values;
}

std::vector<int64_t> integers_of(OH_NN_DataType type, ByteView bytes) {
  switch (type) {
    case OH_NN_BOOL:
    case OH_NN_INT8: return values_of<int64_t, int8_t>(bytes);
    case OH_NN_INT32: return values_of<int64_t, int32_t>(bytes);
    case OH_NN_INT64: return values_of<int64_t, int64_t>(bytes);
    default: return {};
  }
}

// Returns whether leaving out the parameter has the same meaning.
bool means_absence(const Parameter& parameter, const ParamRow& row) {
  if (row.required) return false;
  const auto equals = [&](const auto& values) { return std::ranges::equal(values, row.default_value); };
  if (parameter.type == OH_NN_FLOAT32) return equals(values_of<double, float>(parameter.value));
  return equals(integers_of(parameter.type, parameter.value));
}

}  // namespace

const Parameter* NnapiOperation::find(OH_NN_TensorType role) const {
  read_.insert(role);
  for (const Parameter& parameter : operation_.parameters)
    if (parameter.role == role) return &parameter;
  return nullptr;
}

const Tensor& NnapiOperation::tensor_at(const std::vector<TensorId>& ids, size_t i) const {
  static const Tensor missing;
  return i < ids.size() ? writer.tensor(ids[i]) : missing;
}

OperandId NnapiOperation::operand_at(const std::vector<TensorId>& ids, size_t i) {
  if (i < ids.size()) return writer.operand(ids[i]);
  writer.fail(refuse(cat("lacks operand ", i)));
  return 0;
}

std::vector<int64_t> NnapiOperation::numbers(OH_NN_TensorType role) const {
  const Parameter* const parameter = find(role);
  return parameter == nullptr ? std::vector<int64_t>{} : integers_of(parameter->type, parameter->value);
}

std::vector<float> NnapiOperation::floats(OH_NN_TensorType role) const {
  const Parameter* const parameter = find(role);
  if (parameter == nullptr || parameter->type != OH_NN_FLOAT32) return {};
  return values_of<float, float>(parameter->value);
}

int64_t NnapiOperation::number(OH_NN_TensorType role, int64_t missing) const {
  const std::vector<int64_t> values = numbers(role);
  return values.empty() ? missing : values[0];
}

float NnapiOperation::real(OH_NN_TensorType role, float missing) const {
  const std::vector<float> values = floats(role);
  return values.empty() ? missing : values[0];
}

Result<std::vector<int32_t>> NnapiOperation::constant(size_t i) const {
  if (!has(i) || !input_tensor(i).data) return refuse(cat("needs input ", i, " to be a constant"));
  std::vector<int32_t> values;
  for (const int64_t value : integers_of(input_tensor(i).type, *input_tensor(i).data)) {
    const auto small = static_cast<int32_t>(value);
    if (small != value) return refuse(cat("has an integer (", value, ") beyond 32 bits"));
    values.push_back(small);
  }
  return values;
}

Result<int32_t> NnapiOperation::axis(int64_t axis, size_t rank) const {
  const auto end = static_cast<int64_t>(rank);
  if (axis < -end || axis >= end)
    return refuse(cat("has an axis (", axis, ") outside [-", end, ", ", end, ")"));
  return static_cast<int32_t>(axis < 0 ? axis + end : axis);
}

OperandId NnapiOperation::fuse(OH_NN_TensorType role) {
  constexpr int32_t kFuse[] = {ANEURALNETWORKS_FUSED_NONE, ANEURALNETWORKS_FUSED_RELU,
                               ANEURALNETWORKS_FUSED_RELU6};
  const auto activation = static_cast<size_t>(number(role, 0));
  return writer.scalar(activation < std::size(kFuse) ? kFuse[activation] : -1);
}

Status NnapiOperation::emit(std::initializer_list<OperandId> inputs) {
  return emit(std::span(inputs.begin(), inputs.size()));
}

Status NnapiOperation::emit(std::span<const OperandId> inputs) {
  const OperandId result = output();
  writer.add(row.code, inputs, std::span(&result, 1));
  return {};
}

Status NnapiOperation::check_all_parameters_read() const {
  for (const Parameter& parameter : operation_.parameters) {
    const ParamRow* const known = schema(Op(operation_.type)).param(int(parameter.role));
    if (known == &ties_param()) continue;  // NNAPI leaves the rounding of ties to the driver
    if (known != nullptr && !read_.contains(parameter.role) && !means_absence(parameter, *known))
      return refuse(cat("has a parameter (", known->type_name, ") that NNAPI's operation lacks"));
  }
  return {};
}

Error NnapiOperation::refuse(std::string_view why) const {
  return unsupported("NNAPI cannot express ", operation_name(operation_.type), ", which ", why, ".");
}

const NnapiRow* find_nnapi_row(OH_NN_OperationType type) {
  for (const auto rows : {nnapi_elementwise_rows(), nnapi_gemm_conv_rows(), nnapi_data_movement_rows(),
                          nnapi_slice_rows(), nnapi_reduce_rows(), nnapi_special_rows()}) {
    for (const NnapiRow& row : rows)
      if (row.type == type) return &row;
  }
  return nullptr;
}

}  // namespace nnrt::import
