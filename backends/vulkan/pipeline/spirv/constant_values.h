// Values of 32-bit integers and booleans in SPIR-V that are known once specialization constants are.
#pragma once

#include "backends/vulkan/pipeline/spirv/spirv.h"

#include <optional>
#include <set>
#include <span>
#include <unordered_map>

namespace nnrt::vulkan::spirv {

class ConstantValues {
 public:
  // values[id] is the value of specialization constant `id`; others keep their defaults.
  explicit ConstantValues(std::span<const uint32_t> values) : values_(values) {}

  // Must see a module's instructions in order. Only scalars of the supported types become known.
  void read(const Instruction& instruction);
  void set(uint32_t id, uint32_t value) { known_[id] = value; }
  void forget(uint32_t id) { known_.erase(id); }
  std::optional<uint32_t> value_of(uint32_t id) const;

 private:
  void read_constant(const Instruction& instruction, bool is_specialized);
  std::optional<uint32_t> computed(uint32_t opcode, std::span<const uint32_t> operands) const;

  std::span<const uint32_t> values_;
  std::unordered_map<uint32_t, uint32_t> spec_ids_, known_;
  std::set<uint32_t> types_;  // 32-bit integers and bool
};

}  // namespace nnrt::vulkan::spirv
