// Which words of an instruction in a function's body are ids.
#pragma once

#include "backends/vulkan/pipeline/spirv/spirv.h"

#include <optional>

namespace nnrt::vulkan::spirv {

// The word with the id that the instruction defines; 0: none.
size_t result_word(uint32_t opcode);

// Words [first, end) are literals, or ids of global constants.
struct Literals {
  size_t first, end;
};
std::optional<Literals> literals_of(const Instruction& instruction);  // nullopt: the opcode is unknown

// Calls visit(uint32_t&) for the ids in `words`, a copy of the instruction's. False if the opcode is unknown.
template <typename Visit>
bool for_each_id(const Instruction& instruction, std::span<uint32_t> words, Visit visit) {
  const std::optional<Literals> literals = literals_of(instruction);
  if (!literals) return false;
  for (size_t i = 1; i < words.size(); ++i)
    if (i < literals->first || i >= literals->end) visit(words[i]);
  return true;
}

}  // namespace nnrt::vulkan::spirv
