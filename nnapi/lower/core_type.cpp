#include "nnapi/lower/core_type.h"

#include <android/NeuralNetworks.h>

#include <algorithm>
#include <cstring>

namespace nnrt::nnapi {
namespace {

constexpr uint8_t kTopBit = 0x80;

void flip_top_bits(const std::byte* from, std::byte* to, size_t count) {
  for (size_t i = 0; i < count; ++i) to[i] = from[i] ^ std::byte{kTopBit};
}

template <typename From, typename To>
void convert(const std::byte* from, std::byte* to, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * sizeof(From), sizeof(From));
    const To converted = To(value);
    std::memcpy(to + i * sizeof(To), &converted, sizeof(To));
  }
}

}  // namespace

DType core_dtype(int32_t code) {
  switch (code) {
    case ANEURALNETWORKS_FLOAT32:
    case ANEURALNETWORKS_TENSOR_FLOAT32: return DType::f32;
    case ANEURALNETWORKS_FLOAT16:
    case ANEURALNETWORKS_TENSOR_FLOAT16: return DType::f16;
    case ANEURALNETWORKS_INT32:
    case ANEURALNETWORKS_TENSOR_INT32:
    case ANEURALNETWORKS_TENSOR_QUANT16_ASYMM: return DType::i32;
    case ANEURALNETWORKS_UINT32: return DType::u32;
    case ANEURALNETWORKS_BOOL:
    case ANEURALNETWORKS_TENSOR_BOOL8: return DType::boolean;
    case ANEURALNETWORKS_TENSOR_QUANT16_SYMM: return DType::i16;
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL:
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED: return DType::i8;
    default: return DType::unknown;
  }
}

Quant core_quant(const Operand& operand) {
  const DType dtype = core_dtype(operand.type.code);
  if (dtype != DType::i8 && dtype != DType::i16) return {};
  if (operand.channel_quant) {
    const std::vector<float>& scales = operand.channel_quant->scales;
    return {{scales.begin(), scales.end()}, std::vector<int32_t>(scales.size(), 0)};
  }
  const int32_t shift = operand.type.code == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ? 128 : 0;
  return {{double(operand.type.scale)}, {operand.type.zero_point - shift}};
}

bool is_stored_alike(int32_t code) {
  return code != ANEURALNETWORKS_TENSOR_QUANT8_ASYMM && code != ANEURALNETWORKS_TENSOR_QUANT16_ASYMM;
}

void to_core(int32_t code, const std::byte* from, std::byte* to, size_t count) {
  if (code == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM) return flip_top_bits(from, to, count);
  if (code == ANEURALNETWORKS_TENSOR_QUANT16_ASYMM) return convert<uint16_t, int32_t>(from, to, count);
  std::memcpy(to, from, count * element_bytes(code));
}

void from_core(int32_t code, const std::byte* from, std::byte* to, size_t count) {
  if (code == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM) return flip_top_bits(from, to, count);
  if (code == ANEURALNETWORKS_TENSOR_QUANT16_ASYMM) return convert<int32_t, uint16_t>(from, to, count);
  std::memcpy(to, from, count * element_bytes(code));
}

SharedBytes core_bytes(const Operand& operand) {
  const int32_t code = operand.type.code;
  if (is_stored_alike(code)) return operand.value;
  const size_t count = operand.value->size() / element_bytes(code);
  auto bytes = std::make_shared<Bytes>(count * size_of(core_dtype(code)));
  to_core(code, operand.value->data(), bytes->data(), count);
  return std::shared_ptr<const Bytes>(std::move(bytes));
}

Shape core_shape(const Dimensions& dimensions) {
  Shape shape;
  for (const uint32_t dimension : dimensions) shape.push_back(dimension == 0 ? kUnknown : int64_t(dimension));
  return shape;
}

bool admits(const Dimensions& dimensions, const Shape& shape) {
  if (dimensions.empty()) return true;
  return std::ranges::equal(dimensions, shape, [](uint32_t wanted, int64_t length) {
    return wanted == 0 || length == kUnknown || length == int64_t(wanted);
  });
}

}  // namespace nnrt::nnapi
