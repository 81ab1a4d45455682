#include "backends/vulkan/pipeline/spirv/khr_opcodes.h"

#include "backends/vulkan/pipeline/spirv/spirv.h"

#include <spirv/unified1/spirv.h>

#include <cstring>
#include <map>
#include <set>
#include <string_view>

namespace nnrt::vulkan {
namespace {

using spirv::Instruction;

constexpr std::string_view kNvExtension = "SPV_NV_cooperative_matrix";
constexpr std::string_view kKhrExtension = "SPV_KHR_cooperative_matrix";

// Opcodes of SPV_KHR_cooperative_matrix, which the headers of long-term distributions lack.
enum Khr : uint32_t {
  khr_type = 4456,
  khr_load = 4457,
  khr_store = 4458,
  khr_multiply_add = 4459,
  khr_length = 4460,
  khr_capability = 6022,
};
enum Use : uint32_t { first_operand, second_operand, sum };  // of a matrix in a multiplication
enum Layout : uint32_t { row_major, column_major };
constexpr uint32_t kAllSigned = 0xf;  // signed components: both operands, accumulator and result

// A module's declarations of matrices.
struct Module {
  uint32_t uint_id = 0;
  std::map<uint32_t, std::optional<Use>> uses;  // by matrix type
  std::map<uint32_t, uint32_t> types;           // by matrix value
  std::map<uint32_t, Layout> layouts;           // by bool constant
  std::set<uint32_t> signed_types;              // integer types, and matrix types of them
  bool can_be_rewritten = true;
};

void note_use(Module& module, uint32_t value, Use use) {
  const auto type = module.types.find(value);
  if (type == module.types.end()) {
    module.can_be_rewritten = false;
    return;
  }
  std::optional<Use>& known = module.uses[type->second];
  module.can_be_rewritten = module.can_be_rewritten && known.value_or(use) == use;
  known = use;
}

void need_layout(Module& module, uint32_t is_column_major) {
  module.can_be_rewritten = module.can_be_rewritten && module.layouts.contains(is_column_major);
}

void read(Module& module, const Instruction& i) {
  switch (i.opcode) {
    case SpvOpTypeInt:
      if (i[2] == 32 && i[3] == 0) module.uint_id = i[1];
      if (i[3] == 1) module.signed_types.insert(i[1]);
      return;
    case SpvOpConstantTrue: module.layouts[i[2]] = column_major; return;
    case SpvOpConstantFalse: module.layouts[i[2]] = row_major; return;
    case SpvOpTypeCooperativeMatrixNV:
      module.uses[i[1]] = std::nullopt;
      if (module.signed_types.contains(i[2])) module.signed_types.insert(i[1]);
      module.can_be_rewritten = module.can_be_rewritten && module.uint_id != 0;
      return;
    case SpvOpCooperativeMatrixLoadNV: need_layout(module, i[5]); break;
    case SpvOpCooperativeMatrixStoreNV: need_layout(module, i[4]); break;
    default: break;
  }
  // If an instruction's first operand is a type, the second one is a value of it.
  if (module.uses.contains(i[1])) module.types[i[2]] = i[1];
  if (i.opcode != SpvOpCooperativeMatrixMulAddNV) return;
  note_use(module, i[3], first_operand);
  note_use(module, i[4], second_operand);
  note_use(module, i[5], sum);
  note_use(module, i[2], sum);
}

bool names_nv_extension(const Instruction& i) {
  const auto* text = reinterpret_cast<const char*>(i.words.data() + 1);
  const size_t room = (i.words.size() - 1) * sizeof(uint32_t);
  return std::string_view(text, strnlen(text, room)) == kNvExtension;
}

// Rewrites the module.
class Rewriter {
 public:
  Rewriter(std::span<const uint32_t> words, const Module& module)
      : module_(module), first_constant_(words[spirv::kBoundWord]) {
    words_.assign(words.begin(), words.begin() + spirv::kHeaderWords);
    words_[spirv::kBoundWord] += kConstants;
    spirv::for_each_instruction(words, [&](const Instruction& i) { write(i); });
  }

  std::vector<uint32_t> take() { return std::move(words_); }

 private:
  static constexpr uint32_t kConstants = 3;  // 0 to 2, for uses and layouts

  void write(const Instruction& i) {
    switch (i.opcode) {
      case SpvOpCapability:
        spirv::append(words_, SpvOpCapability,
                      {i[1] == SpvCapabilityCooperativeMatrixNV ? uint32_t(khr_capability) : i[1]});
        return;
      case SpvOpExtension: return write_extension(i);
      case SpvOpTypeCooperativeMatrixNV: return write_type(i);
      // In both, the stride precedes the layout.
      case SpvOpCooperativeMatrixLoadNV: return write_access(i, khr_load, 4);
      case SpvOpCooperativeMatrixStoreNV: return write_access(i, khr_store, 3);
      case SpvOpCooperativeMatrixMulAddNV: return write_multiplication(i);
      case SpvOpCooperativeMatrixLengthNV: write_as(i, khr_length); return;
      default: spirv::append(words_, i.words);
    }
  }

  void write_extension(const Instruction& i) {
    if (!names_nv_extension(i)) return spirv::append(words_, i.words);
    std::vector<uint32_t> extension(kKhrExtension.size() / sizeof(uint32_t) + 2);
    extension[0] = uint32_t(extension.size()) << 16 | SpvOpExtension;
    std::memcpy(&extension[1], kKhrExtension.data(), kKhrExtension.size());
    spirv::append(words_, extension);
  }

  // Declares the constants before the first matrix type; their type exists by then.
  void write_type(const Instruction& i) {
    for (uint32_t value = 0; value < kConstants && !has_constants_; ++value)
      spirv::append(words_, SpvOpConstant, {module_.uint_id, first_constant_ + value, value});
    has_constants_ = true;
    const Use use = module_.uses.at(i[1]).value_or(sum);
    spirv::append(words_, khr_type, {i[1], i[2], i[3], i[4], i[5], constant(use)});
  }

  void write_access(const Instruction& i, uint32_t opcode, size_t stride) {
    const size_t at = write_as(i, opcode);
    words_[at + stride] = constant(module_.layouts.at(i[stride + 1]));
    words_[at + stride + 1] = i[stride];
  }

  // In the KHR extension, signedness is not part of the type.
  void write_multiplication(const Instruction& i) {
    if (!module_.signed_types.contains(i[1])) {
      write_as(i, khr_multiply_add);
    } else {
      spirv::append(words_, khr_multiply_add, {i[1], i[2], i[3], i[4], i[5], kAllSigned});
    }
  }

  size_t write_as(const Instruction& i, uint32_t opcode) {
    const size_t at = words_.size();
    spirv::append(words_, i.words);
    words_[at] = uint32_t(i.words.size()) << 16 | opcode;
    return at;
  }

  uint32_t constant(uint32_t value) const { return first_constant_ + value; }

  const Module& module_;
  const uint32_t first_constant_;
  bool has_constants_ = false;
  std::vector<uint32_t> words_;
};

}  // namespace

bool has_nv_matrices(std::span<const uint32_t> words) {
  bool found = false;
  spirv::for_each_instruction(
      words, [&](const Instruction& i) { found = found || i.opcode == SpvOpTypeCooperativeMatrixNV; });
  return found;
}

std::optional<std::vector<uint32_t>> with_khr_matrices(std::span<const uint32_t> words) {
  Module module;
  if (!spirv::for_each_instruction(words, [&](const Instruction& i) { read(module, i); }))
    return std::nullopt;
  if (!module.can_be_rewritten || module.uses.empty()) return std::nullopt;
  return Rewriter(words, module).take();
}

}  // namespace nnrt::vulkan
