// Iterates over SPIR-V instructions, for rewrites.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace nnrt::vulkan::spirv {

inline constexpr size_t kHeaderWords = 5;
inline constexpr size_t kBoundWord = 3;  // header word with the upper bound of all ids

// Opcodes of SPV_KHR_cooperative_matrix, which the headers of long-term distributions lack.
enum KhrMatrix : uint32_t {
  khr_matrix_type = 4456,
  khr_matrix_load,
  khr_matrix_store,
  khr_matrix_multiply_add,
  khr_matrix_length
};

struct Instruction {
  uint32_t opcode = 0;
  std::span<const uint32_t> words;  // including the first one with length and opcode

  uint32_t operator[](size_t i) const { return i < words.size() ? words[i] : 0; }
};

// Calls visit(Instruction) for each; false if the words are malformed.
template <typename Visit>
bool for_each_instruction(std::span<const uint32_t> words, Visit visit) {
  for (size_t at = kHeaderWords; at < words.size();) {
    const size_t length = words[at] >> 16;
    if (length == 0 || length > words.size() - at) return false;
    visit(Instruction{words[at] & 0xffffu, words.subspan(at, length)});
    at += length;
  }
  return words.size() > kHeaderWords;
}

inline void append(std::vector<uint32_t>& to, std::span<const uint32_t> words) {
  to.insert(to.end(), words.begin(), words.end());
}

inline void append(std::vector<uint32_t>& to, uint32_t opcode, std::initializer_list<uint32_t> operands) {
  to.push_back(uint32_t(operands.size() + 1) << 16 | opcode);
  to.insert(to.end(), operands);
}

}  // namespace nnrt::vulkan::spirv
