#include "backends/vulkan/pipeline/spirv/barrier_visibility.h"

#include "backends/vulkan/pipeline/spirv/spirv.h"

#include <spirv/unified1/spirv.h>

#include <map>
#include <set>

namespace nnrt::vulkan {
namespace {

using spirv::Instruction;

constexpr uint32_t kAvailable = SpvMemoryAccessMakePointerAvailableMask,
                   kVisible = SpvMemoryAccessMakePointerVisibleMask;

struct Module {
  std::map<uint32_t, uint32_t> constants;  // 32-bit values
  std::set<uint32_t> semantics;            // ids that barriers use
};

void read(Module& module, const Instruction& i) {
  if (i.opcode == SpvOpConstant && i.words.size() == 4) module.constants[i[2]] = i[3];
  if (i.opcode == SpvOpControlBarrier) module.semantics.insert(i[3]);
}

// The word with the memory access mask, which the scopes follow; 0: no memory access.
size_t mask_word(uint32_t opcode) {
  switch (opcode) {
    case SpvOpLoad: return 4;
    case SpvOpStore: return 3;
    case SpvOpCooperativeMatrixLoadNV: return 6;
    case SpvOpCooperativeMatrixStoreNV: return 5;
    default: return 0;
  }
}

class Rewriter {
 public:
  Rewriter(std::span<const uint32_t> words, const Module& module)
      : module_(module), next_id_(words[spirv::kBoundWord]) {
    words_.assign(words.begin(), words.begin() + spirv::kHeaderWords);
    spirv::for_each_instruction(words, [&](const Instruction& i) { write(i); });
    words_[spirv::kBoundWord] = next_id_;
  }

  std::vector<uint32_t> take() { return std::move(words_); }

 private:
  void write(const Instruction& i) {
    if (i.opcode == SpvOpControlBarrier) {
      spirv::append(words_, SpvOpControlBarrier, {i[1], i[2], wider_.at(i[3])});
    } else if (const size_t mask = mask_word(i.opcode); mask != 0 && is_marked(i, mask)) {
      write_unmarked(i, mask);
    } else {
      spirv::append(words_, i.words);
      if (i.opcode == SpvOpConstant && module_.semantics.contains(i[2])) write_wider(i);
    }
  }

  // Follows a barrier's semantics with the same ones plus availability and visibility.
  void write_wider(const Instruction& i) {
    constexpr uint32_t kBoth = SpvMemorySemanticsMakeAvailableMask | SpvMemorySemanticsMakeVisibleMask;
    wider_[i[2]] = next_id_;
    spirv::append(words_, SpvOpConstant, {i[1], next_id_++, i[3] | kBoth});
  }

  // Scopes follow the mask, after the alignment if there is one.
  bool is_marked(const Instruction& i, size_t mask) const {
    if ((i[mask] & (kAvailable | kVisible)) == 0) return false;
    const size_t scope = mask + ((i[mask] & SpvMemoryAccessAlignedMask) != 0 ? 2 : 1);
    const auto known = module_.constants.find(i[scope]);
    return known != module_.constants.end() && known->second == SpvScopeWorkgroup;
  }

  void write_unmarked(const Instruction& i, size_t mask) {
    const size_t length = mask + ((i[mask] & SpvMemoryAccessAlignedMask) != 0 ? 2 : 1);
    std::vector<uint32_t> words(i.words.begin(), i.words.begin() + std::ptrdiff_t(length));
    words[0] = uint32_t(length) << 16 | i.opcode;
    words[mask] &= ~(kAvailable | kVisible);
    spirv::append(words_, words);
  }

  const Module& module_;
  std::map<uint32_t, uint32_t> wider_;  // semantics of barriers: replacements
  uint32_t next_id_;
  std::vector<uint32_t> words_;
};

}  // namespace

std::optional<std::vector<uint32_t>> with_barrier_visibility(std::span<const uint32_t> words) {
  Module module;
  if (!spirv::for_each_instruction(words, [&](const Instruction& i) { read(module, i); }))
    return std::nullopt;
  for (const uint32_t id : module.semantics)
    if (!module.constants.contains(id)) return std::nullopt;
  return Rewriter(words, module).take();
}

}  // namespace nnrt::vulkan
