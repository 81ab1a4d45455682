#include "backends/vulkan/pipeline/spirv/constant_values.h"

#include <spirv/unified1/spirv.h>

namespace nnrt::vulkan::spirv {
namespace {

std::optional<uint32_t> binary(uint32_t opcode, uint32_t a, uint32_t b) {
  switch (opcode) {
    case SpvOpIAdd: return a + b;
    case SpvOpISub: return a - b;
    case SpvOpIMul: return a * b;
    case SpvOpBitwiseAnd:
    case SpvOpLogicalAnd: return a & b;
    case SpvOpBitwiseOr:
    case SpvOpLogicalOr: return a | b;
    case SpvOpBitwiseXor: return a ^ b;
    case SpvOpIEqual:
    case SpvOpLogicalEqual: return a == b ? 1 : 0;
    case SpvOpINotEqual:
    case SpvOpLogicalNotEqual: return a != b ? 1 : 0;
    case SpvOpULessThan: return a < b ? 1 : 0;
    case SpvOpULessThanEqual: return a <= b ? 1 : 0;
    case SpvOpUGreaterThan: return a > b ? 1 : 0;
    case SpvOpUGreaterThanEqual: return a >= b ? 1 : 0;
    case SpvOpShiftLeftLogical: return b < 32 ? std::optional(a << b) : std::nullopt;
    case SpvOpShiftRightLogical: return b < 32 ? std::optional(a >> b) : std::nullopt;
    case SpvOpUDiv: return b != 0 ? std::optional(a / b) : std::nullopt;
    case SpvOpUMod: return b != 0 ? std::optional(a % b) : std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace

void ConstantValues::read(const Instruction& i) {
  switch (i.opcode) {
    case SpvOpDecorate:
      if (i[2] == SpvDecorationSpecId) spec_ids_[i[1]] = i[3];
      return;
    case SpvOpTypeInt:
      if (i[2] == 32) types_.insert(i[1]);
      return;
    case SpvOpTypeBool: types_.insert(i[1]); return;
    case SpvOpConstant:
    case SpvOpConstantTrue:
    case SpvOpConstantFalse: return read_constant(i, false);
    case SpvOpSpecConstant:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse: return read_constant(i, true);
    default: break;
  }
  const bool is_constant = i.opcode == SpvOpSpecConstantOp;
  const size_t operands = is_constant ? 4 : 3;
  if (i.words.size() <= operands || !types_.contains(i[1])) return;
  if (const auto value = computed(is_constant ? i[3] : i.opcode, i.words.subspan(operands)))
    set(i[2], *value);
}

std::optional<uint32_t> ConstantValues::value_of(uint32_t id) const {
  const auto found = known_.find(id);
  return found != known_.end() ? std::optional(found->second) : std::nullopt;
}

void ConstantValues::read_constant(const Instruction& i, bool is_specialized) {
  if (!types_.contains(i[1])) return;
  const bool is_boolean = i.opcode != SpvOpConstant && i.opcode != SpvOpSpecConstant;
  const bool is_true = i.opcode == SpvOpConstantTrue || i.opcode == SpvOpSpecConstantTrue;
  uint32_t value = is_boolean ? uint32_t(is_true) : i[3];
  const auto spec_id = spec_ids_.find(i[2]);
  if (is_specialized && spec_id != spec_ids_.end() && spec_id->second < values_.size()) {
    value = values_[spec_id->second];
    if (is_boolean) value = value != 0 ? 1 : 0;
  }
  set(i[2], value);
}

std::optional<uint32_t> ConstantValues::computed(uint32_t opcode, std::span<const uint32_t> operands) const {
  const auto first = value_of(operands[0]);
  if (!first) return std::nullopt;
  if (opcode == SpvOpLogicalNot) return *first == 0 ? 1 : 0;
  if (opcode == SpvOpSelect && operands.size() == 3) return value_of(operands[*first != 0 ? 1 : 2]);
  const auto second = operands.size() == 2 ? value_of(operands[1]) : std::nullopt;
  return second ? binary(opcode, *first, *second) : std::nullopt;
}

}  // namespace nnrt::vulkan::spirv
