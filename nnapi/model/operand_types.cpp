#include "nnapi/model/operand_types.h"

#include <android/NeuralNetworksOEM.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace nnrt::nnapi {
namespace {

// Whether a type has no scale, may have one, or needs one; OEM types may have anything.
enum class Scale : uint8_t { none, optional, positive, any };

struct Type {
  std::string_view name;
  uint8_t bytes;
  bool tensor;
  Scale scale;
  int32_t min_zero_point, max_zero_point;
};

constexpr std::array<Type, kOperandTypes> kTypes{{
    {"FLOAT32", 4, false, Scale::none, 0, 0},
    {"INT32", 4, false, Scale::none, 0, 0},
    {"UINT32", 4, false, Scale::none, 0, 0},
    {"TENSOR_FLOAT32", 4, true, Scale::none, 0, 0},
    {"TENSOR_INT32", 4, true, Scale::optional, 0, 0},
    {"TENSOR_QUANT8_ASYMM", 1, true, Scale::positive, 0, 255},
    {"BOOL", 1, false, Scale::none, 0, 0},
    {"TENSOR_QUANT16_SYMM", 2, true, Scale::positive, 0, 0},
    {"TENSOR_FLOAT16", 2, true, Scale::none, 0, 0},
    {"TENSOR_BOOL8", 1, true, Scale::none, 0, 0},
    {"FLOAT16", 2, false, Scale::none, 0, 0},
    {"TENSOR_QUANT8_SYMM_PER_CHANNEL", 1, true, Scale::none, 0, 0},
    {"TENSOR_QUANT16_ASYMM", 2, true, Scale::positive, 0, 65535},
    {"TENSOR_QUANT8_SYMM", 1, true, Scale::positive, 0, 0},
    {"TENSOR_QUANT8_ASYMM_SIGNED", 1, true, Scale::positive, -128, 127},
    {"MODEL", 0, false, Scale::none, 0, 0},
}};

constexpr uint64_t kMaxBytes = std::numeric_limits<uint32_t>::max();

constexpr Type kOemScalar{"OEM_SCALAR", 0, false, Scale::any, 0, 0};
constexpr Type kOemTensor{"TENSOR_OEM_BYTE", 1, true, Scale::any, 0, 0};

// Null if there is no such type.
const Type* find_row(int32_t code) {
  if (code == ANEURALNETWORKS_OEM_SCALAR) return &kOemScalar;
  if (code == ANEURALNETWORKS_TENSOR_OEM_BYTE) return &kOemTensor;
  return code >= 0 && code < kOperandTypes ? &kTypes[static_cast<size_t>(code)] : nullptr;
}
const Type& row(int32_t code) { return *find_row(code); }

// Size considering only known dimensions; empty if it exceeds the limit.
std::optional<uint64_t> known_bytes(int32_t code, const Dimensions& dimensions) {
  uint64_t bytes = element_bytes(code);
  for (const uint32_t dimension : dimensions) {
    if (dimension == 0) continue;
    if (bytes > kMaxBytes / dimension) return {};
    bytes *= dimension;
  }
  return bytes;
}

Outcome check_quantization(const OperandType& type) {
  const Type& expected = row(type.code);
  if (expected.scale == Scale::optional || expected.scale == Scale::any) return {};
  const bool needed = expected.scale == Scale::positive;
  if (needed ? !(type.scale > 0 && std::isfinite(type.scale)) : type.scale != 0)
    return bad_data("The scale of a ", expected.name, " (", type.scale, ") is not ",
                    needed ? "above 0." : "0.");
  if (type.zero_point >= expected.min_zero_point && type.zero_point <= expected.max_zero_point) return {};
  return bad_data("The zero point of a ", expected.name, " (", type.zero_point, ") is outside [",
                  expected.min_zero_point, ", ", expected.max_zero_point, "].");
}

}  // namespace

bool is_tensor(int32_t code) { return find_row(code) != nullptr && row(code).tensor; }
size_t element_bytes(int32_t code) { return find_row(code) != nullptr ? row(code).bytes : 0; }
std::string_view type_name(int32_t code) {
  return find_row(code) != nullptr ? row(code).name : "unknown type";
}

bool is_fully_known(const OperandType& type) {
  if (!is_tensor(type.code)) return true;
  return !type.dimensions.empty() && std::ranges::find(type.dimensions, 0u) == type.dimensions.end();
}

std::optional<size_t> bytes_of(int32_t code, const Dimensions& dimensions) {
  return known_bytes(code, dimensions);
}

std::string text_of(const Dimensions& dimensions) {
  std::string text = "[";
  for (const uint32_t dimension : dimensions) {
    if (text.size() > 1) text += ", ";
    text += dimension == 0 ? "?" : std::to_string(dimension);
  }
  return text + "]";
}

Outcome operand_type_from(const ANeuralNetworksOperandType& given, OperandType& type) {
  if (find_row(given.type) == nullptr)
    return bad_data("Operand type (", given.type, ") is outside [0, ", kOperandTypes, ").");
  if ((given.dimensions == nullptr) != (given.dimensionCount == 0)) {
    return bad_data("There are ", given.dimensionCount, " dimensions, but the pointer to them is ",
                    given.dimensions == nullptr ? "null." : "not null.");
  }
  const std::string_view name = type_name(given.type);
  if (!is_tensor(given.type) && given.dimensionCount != 0)
    return bad_data("A ", name, " has no dimensions, not ", given.dimensionCount, ".");
  OperandType made{
      given.type, {given.dimensions, given.dimensions + given.dimensionCount}, given.scale, given.zeroPoint};
  if (!known_bytes(made.code, made.dimensions))
    return bad_data("A ", name, " of ", text_of(made.dimensions), " has more than ", kMaxBytes, " bytes.");
  NNRT_TRY(check_quantization(made));
  type = std::move(made);
  return {};
}

Outcome check_finished_type(const OperandType& type) {
  if (row(type.code).scale != Scale::optional) return {};
  if (!(type.scale >= 0) || !std::isfinite(type.scale))
    return bad_data("The scale of a ", type_name(type.code), " (", type.scale, ") is below 0.");
  if (type.zero_point == 0) return {};
  return bad_data("The zero point of a ", type_name(type.code), " (", type.zero_point, ") is not 0.");
}

std::optional<Dimensions> combined(const Dimensions& a, const Dimensions& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  if (a.size() != b.size()) return {};
  Dimensions both = a;
  for (size_t i = 0; i < both.size(); ++i) {
    if (both[i] == 0) both[i] = b[i];
    if (b[i] != 0 && both[i] != b[i]) return {};
  }
  return both;
}

}  // namespace nnrt::nnapi
