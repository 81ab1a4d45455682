// Operator parameter values.
#pragma once

#include "core/base/bytes_of.h"
#include "tools/import/network/network.h"

#include <neural_network_runtime/nnrt_operators.h>

#include <initializer_list>
#include <span>

namespace nnrt::import {

template <typename T>
inline constexpr OH_NN_DataType kDataType = OH_NN_UNKNOWN;
template <>
inline constexpr OH_NN_DataType kDataType<bool> = OH_NN_BOOL;
template <>
inline constexpr OH_NN_DataType kDataType<int8_t> = OH_NN_INT8;
template <>
inline constexpr OH_NN_DataType kDataType<uint8_t> = OH_NN_UINT8;
template <>
inline constexpr OH_NN_DataType kDataType<int16_t> = OH_NN_INT16;
template <>
inline constexpr OH_NN_DataType kDataType<int32_t> = OH_NN_INT32;
template <>
inline constexpr OH_NN_DataType kDataType<int64_t> = OH_NN_INT64;
template <>
inline constexpr OH_NN_DataType kDataType<float> = OH_NN_FLOAT32;
template <>
inline constexpr OH_NN_DataType kDataType<double> = OH_NN_FLOAT64;

template <typename T>
Parameter make_parameter(OH_NN_TensorType role, std::span<const T> values) {
  return {role, kDataType<T>, {static_cast<int32_t>(values.size())}, bytes_of(values)};
}
template <typename T>
Parameter make_parameter(OH_NN_TensorType role, T value) {
  return {role, kDataType<T>, {}, bytes_of(std::span<const T>(&value, 1))};
}

// The role of a parameter of an NNRt extension operator.
inline OH_NN_TensorType extension(OH_NNRt_TensorType role) { return static_cast<OH_NN_TensorType>(role); }

inline Parameter bool_parameter(OH_NN_TensorType role, bool value) { return make_parameter(role, value); }
inline Parameter int8_parameter(OH_NN_TensorType role, int8_t value) { return make_parameter(role, value); }
inline Parameter int32_parameter(OH_NN_TensorType role, int32_t value) { return make_parameter(role, value); }
inline Parameter int64_parameter(OH_NN_TensorType role, int64_t value) { return make_parameter(role, value); }
inline Parameter float_parameter(OH_NN_TensorType role, float value) { return make_parameter(role, value); }
inline Parameter int64s_parameter(OH_NN_TensorType role, std::span<const int64_t> values) {
  return make_parameter(role, values);
}
inline Parameter int64s_parameter(OH_NN_TensorType role, std::initializer_list<int64_t> values) {
  return make_parameter(role, std::span<const int64_t>(values));
}
inline Parameter floats_parameter(OH_NN_TensorType role, std::span<const float> values) {
  return make_parameter(role, values);
}
inline Parameter floats_parameter(OH_NN_TensorType role, std::initializer_list<float> values) {
  return make_parameter(role, std::span<const float>(values));
}

// An NNRt extension operator.
inline OH_NN_OperationType extension(OH_NNRt_OperationType type) {
  return static_cast<OH_NN_OperationType>(type);
}

}  // namespace nnrt::import
