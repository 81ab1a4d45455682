// Enumerations of the schema "MSL2", as numbers in tables.
#pragma once

#include "core/base/dtype.h"

#include <cstdint>
#include <optional>

namespace nnrt::mindspore {

enum class ActivationType : uint8_t {
  none,
  relu,
  sigmoid,
  relu6,
  elu,
  leaky_relu,
  abs,
  relu1,
  softsign,
  softplus,
  tanh,
  selu,
  hswish,
  hsigmoid,
  threshold_relu,
  linear,
  hard_tanh,
  sign,
  swish,
  gelu,
  fast_gelu,
};
enum class ReduceMode : uint8_t { mean, max, min, prod, sum, sum_of_squares, sum_of_absolutes, all, l2 };
enum class PadMode : uint8_t { pad, same, valid };
enum class ResizeMethod : int8_t { unknown = -1, linear, nearest, cubic };
enum class CoordinateMode : uint8_t { asymmetric, align_corners, half_pixel };

// Tensor formats; others only describe weights.
inline constexpr int kNchw = 0, kNhwc = 1;

// QuantType of a node.
inline constexpr int kQuantNone = 0, kQuantAware = 1, kQuantWeightOld = 2, kQuantPost = 3, kQuantWeight = 4,
                     kQuantAll = 5, kQuantDynamic = 6;

// TypeId. The generic int, uint and float occur in attributes.
inline constexpr int64_t kTypeBool = 30, kTypeInt = 31, kTypeInt8 = 32, kTypeInt64 = 35, kTypeUInt = 36,
                         kTypeUInt8 = 37, kTypeUInt64 = 40, kTypeFloat = 41, kTypeFloat16 = 42,
                         kTypeFloat32 = 43, kTypeFloat64 = 44;

// DType::unknown for types without an equivalent, such as strings.
constexpr DType dtype_of(int64_t type_id) {
  if (type_id == kTypeBool) return DType::boolean;
  if (type_id == kTypeInt) return DType::i32;
  if (type_id == kTypeUInt) return DType::u32;
  if (type_id == kTypeFloat) return DType::f32;
  if (type_id >= kTypeInt8 && type_id <= kTypeInt64) return DType(int64_t(DType::i8) + type_id - kTypeInt8);
  if (type_id >= kTypeUInt8 && type_id <= kTypeUInt64)
    return DType(int64_t(DType::u8) + type_id - kTypeUInt8);
  if (type_id >= kTypeFloat16 && type_id <= kTypeFloat64)
    return DType(int64_t(DType::f16) + type_id - kTypeFloat16);
  return DType::unknown;
}

// 0 for DType::unknown.
constexpr int64_t type_id_of(DType dtype) {
  for (int64_t id = kTypeBool; id <= kTypeFloat64; ++id)
    if (id != kTypeInt && id != kTypeUInt && id != kTypeFloat && dtype_of(id) == dtype) return id;
  return 0;
}
static_assert(dtype_of(kTypeInt64) == DType::i64 && dtype_of(kTypeUInt64) == DType::u64 &&
              dtype_of(kTypeFloat64) == DType::f64 && type_id_of(DType::f32) == kTypeFloat32);

}  // namespace nnrt::mindspore
