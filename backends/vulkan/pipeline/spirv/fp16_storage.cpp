#include "backends/vulkan/pipeline/spirv/fp16_storage.h"

#include "backends/vulkan/pipeline/spirv/float_arrays.h"

#include <spirv/unified1/spirv.h>

#include <map>

namespace nnrt::vulkan {
namespace {

using spirv::FloatArray;
using spirv::FloatArrays;
using spirv::Instruction;

// Rewrites the module with some of its arrays as fp16.
class Rewriter {
 public:
  Rewriter(std::span<const uint32_t> words, const FloatArrays& module, uint32_t bindings)
      : next_(words[spirv::kBoundWord]) {
    for (const auto& [variable, array] : module.by_variable) {
      if ((bindings >> array.binding & 1) != 0)
        fp16_variables_[variable] = {array, next_++, next_++, next_++};
    }
    fp16_ = module.fp16_id != 0 ? module.fp16_id : next_++;
    fp16_vec4_ = module.fp16_vec4_id != 0 ? module.fp16_vec4_id : next_++;
    fp16_pointer_ = next_++;
    fp16_vec4_pointer_ = next_++;
    spirv::for_each_instruction(words, [&](const Instruction& i) { write(i); });
  }

  std::vector<uint32_t> take(std::span<const uint32_t> words) {
    std::vector<uint32_t> all(words.begin(), words.begin() + spirv::kHeaderWords);
    all[spirv::kBoundWord] = next_;
    for (const auto& part : {preamble_, decorations_, rest_}) spirv::append(all, part);
    return all;
  }

 private:
  struct Half {
    FloatArray was;
    uint32_t array = 0, block = 0, pointer = 0;
  };

  void write(const Instruction& i) {
    const bool is_type = i.opcode >= SpvOpTypeVoid && i.opcode <= SpvOpTypeForwardPointer;
    if (in_preamble_ && is_type) write_types();
    in_preamble_ = in_preamble_ && !is_type;
    if (in_preamble_) return write_preamble(i);
    if (is_type && (i[1] == fp16_ || i[1] == fp16_vec4_)) return;  // already written
    if (i.opcode == SpvOpVariable && fp16_variables_.contains(i[2])) return write_variable(i);
    if (spirv::is_chain(i.opcode) && fp16_variables_.contains(i[3])) return write_chain(i);
    if (i.opcode == SpvOpLoad && places_.contains(i[3])) return write_load(i);
    if (i.opcode == SpvOpStore && places_.contains(i[1])) return write_store(i);
    spirv::append(rest_, i.words);
  }

  void write_preamble(const Instruction& i) {
    if (i.opcode != SpvOpCapability && !has_capability_) {
      spirv::append(preamble_, SpvOpCapability, {SpvCapabilityStorageBuffer16BitAccess});
      has_capability_ = true;
    }
    spirv::append(preamble_, i.words);
    if (i.opcode != SpvOpDecorate && i.opcode != SpvOpMemberDecorate) return;
    // Copies the decorations of an array and its block, with another element stride.
    for (const auto& [variable, half] : fp16_variables_) {
      const bool of_array = i[1] == half.was.array;
      if (!of_array && i[1] != half.was.block) continue;
      std::vector<uint32_t> copy(i.words.begin(), i.words.end());
      copy[1] = of_array ? half.array : half.block;
      if (of_array && i[2] == SpvDecorationArrayStride) copy[3] /= 2;
      spirv::append(decorations_, copy);
    }
  }

  // First, because they depend on no other type and must not be declared twice.
  void write_types() {
    spirv::append(rest_, SpvOpTypeFloat, {fp16_, 16});
    spirv::append(rest_, SpvOpTypeVector, {fp16_vec4_, fp16_, 4});
    spirv::append(rest_, SpvOpTypePointer, {fp16_pointer_, SpvStorageClassStorageBuffer, fp16_});
    spirv::append(rest_, SpvOpTypePointer, {fp16_vec4_pointer_, SpvStorageClassStorageBuffer, fp16_vec4_});
  }

  void write_variable(const Instruction& i) {
    const Half& half = fp16_variables_.at(i[2]);
    spirv::append(rest_, SpvOpTypeRuntimeArray, {half.array, half.was.vec4 ? fp16_vec4_ : fp16_});
    spirv::append(rest_, SpvOpTypeStruct, {half.block, half.array});
    spirv::append(rest_, SpvOpTypePointer, {half.pointer, SpvStorageClassStorageBuffer, half.block});
    spirv::append(rest_, SpvOpVariable, {half.pointer, i[2], SpvStorageClassStorageBuffer});
  }

  void write_chain(const Instruction& i) {
    const bool is_vec4 = fp16_variables_.at(i[3]).was.is_vec4(i);
    places_[i[2]] = is_vec4 ? fp16_vec4_ : fp16_;
    std::vector<uint32_t> chain(i.words.begin(), i.words.end());
    chain[1] = is_vec4 ? fp16_vec4_pointer_ : fp16_pointer_;
    spirv::append(rest_, chain);
  }

  void write_load(const Instruction& i) {
    std::vector<uint32_t> load(i.words.begin(), i.words.end());
    load[1] = places_.at(i[3]);
    load[2] = next_++;
    spirv::append(rest_, load);
    spirv::append(rest_, SpvOpFConvert, {i[1], i[2], load[2]});
  }

  void write_store(const Instruction& i) {
    std::vector<uint32_t> store(i.words.begin(), i.words.end());
    store[2] = next_++;
    spirv::append(decorations_, SpvOpDecorate, {store[2], SpvDecorationFPRoundingMode, SpvFPRoundingModeRTE});
    spirv::append(rest_, SpvOpFConvert, {places_.at(i[1]), store[2], i[2]});
    spirv::append(rest_, store);
  }

  uint32_t next_ = 0;  // next free id
  uint32_t fp16_ = 0, fp16_vec4_ = 0, fp16_pointer_ = 0, fp16_vec4_pointer_ = 0;
  std::map<uint32_t, Half> fp16_variables_;  // by variable
  std::map<uint32_t, uint32_t> places_;      // by pointer: its pointee type
  bool in_preamble_ = true, has_capability_ = false;
  std::vector<uint32_t> preamble_, decorations_, rest_;
};

}  // namespace

uint32_t bindings_of_floats(std::span<const uint32_t> words) { return spirv::float_arrays(words).bindings(); }

std::optional<std::vector<uint32_t>> with_fp16_storage(std::span<const uint32_t> words, uint32_t bindings) {
  const FloatArrays module = spirv::float_arrays(words);
  if ((bindings & ~module.bindings()) != 0) return std::nullopt;
  return Rewriter(words, module, bindings).take(words);
}

}  // namespace nnrt::vulkan
