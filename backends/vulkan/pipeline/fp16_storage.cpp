#include "backends/vulkan/pipeline/fp16_storage.h"

#include "backends/vulkan/pipeline/spirv.h"

#include <spirv_cross/spirv.h>

#include <algorithm>
#include <map>
#include <set>

namespace nnrt::vulkan {
namespace {

using spirv::Instruction;

// An array of floats behind a binding.
struct Array {
  uint32_t binding = 0, variable = 0, pointer = 0, block = 0, array = 0;
  bool vec4 = false;
};

// The declarations of a module about its buffers of floats.
struct Module {
  uint32_t float_id = 0, vec4_id = 0;
  uint32_t fp16_id = 0, fp16_vec4_id = 0;  // set if it has them
  std::map<uint32_t, uint32_t> bindings;   // by variable
  std::map<uint32_t, uint32_t> elements;   // by run-time array
  std::map<uint32_t, uint32_t> members;    // by block that has one
  std::map<uint32_t, uint32_t> pointees;   // by pointer to storage buffers
  std::map<uint32_t, Array> arrays;        // by variable
  std::map<uint32_t, uint32_t> chains;     // pointers into them: the variable
  std::set<uint32_t> used_otherwise;       // variables
};

bool is_chain(uint32_t opcode) { return opcode == SpvOpAccessChain || opcode == SpvOpInBoundsAccessChain; }

void read_variable(Module& module, const Instruction& i) {
  const auto binding = module.bindings.find(i[2]);
  const auto block = module.pointees.find(i[1]);
  if (i[3] != SpvStorageClassStorageBuffer || binding == module.bindings.end()) return;
  if (block == module.pointees.end() || binding->second >= 32) return;
  const auto array = module.members.find(block->second);
  if (array == module.members.end()) return;
  const auto element = module.elements.find(array->second);
  if (element == module.elements.end()) return;
  const bool vec4 = element->second == module.vec4_id;
  if (!vec4 && element->second != module.float_id) return;
  module.arrays[i[2]] = {binding->second, i[2], i[1], block->second, array->second, vec4};
}

// Any other use of an array, or of a pointer into it, than to load and to store.
void note_other_uses(Module& module, const Instruction& i) {
  switch (i.opcode) {
    case SpvOpLoad:
    case SpvOpStore:
      // The object stored is none of the pointers: there are no variable pointers.
      return;
    case SpvOpArrayLength:
    case SpvOpCopyMemory:
    case SpvOpCopyObject:
    case SpvOpFunctionCall:
      for (const uint32_t id : i.words.subspan(1)) {
        const auto chain = module.chains.find(id);
        module.used_otherwise.insert(chain == module.chains.end() ? id : chain->second);
      }
      return;
    default: return;
  }
}

void read(Module& module, const Instruction& i) {
  switch (i.opcode) {
    case SpvOpDecorate:
      if (i[2] == SpvDecorationBinding) module.bindings[i[1]] = i[3];
      return;
    case SpvOpTypeFloat:
      if (i[2] == 32) module.float_id = i[1];
      if (i[2] == 16) module.fp16_id = i[1];
      return;
    case SpvOpTypeVector:
      if (i[2] == module.float_id && i[3] == 4) module.vec4_id = i[1];
      if (i[2] == module.fp16_id && i[3] == 4) module.fp16_vec4_id = i[1];
      return;
    case SpvOpTypeRuntimeArray: module.elements[i[1]] = i[2]; return;
    case SpvOpTypeStruct:
      if (i.words.size() == 3) module.members[i[1]] = i[2];
      return;
    case SpvOpTypePointer:
      if (i[2] == SpvStorageClassStorageBuffer) module.pointees[i[1]] = i[3];
      return;
    case SpvOpVariable: read_variable(module, i); return;
    default: break;
  }
  if (is_chain(i.opcode) && module.arrays.contains(i[3])) module.chains[i[2]] = i[3];
  note_other_uses(module, i);
}

Module read_module(std::span<const uint32_t> words) {
  Module module;
  if (!spirv::for_each_instruction(words, [&](const Instruction& i) { read(module, i); })) return {};
  for (const uint32_t variable : module.used_otherwise) module.arrays.erase(variable);
  return module;
}

// Writes the module anew, with some of its arrays in fp16.
class Rewriter {
 public:
  Rewriter(std::span<const uint32_t> words, const Module& module, uint32_t bindings)
      : next_(words[spirv::kBoundWord]) {
    for (const auto& [variable, array] : module.arrays) {
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
    Array was;
    uint32_t array = 0, block = 0, pointer = 0;
  };

  void write(const Instruction& i) {
    const bool is_type = i.opcode >= SpvOpTypeVoid && i.opcode <= SpvOpTypeForwardPointer;
    if (in_preamble_ && is_type) write_types();
    in_preamble_ = in_preamble_ && !is_type;
    if (in_preamble_) return write_preamble(i);
    if (is_type && (i[1] == fp16_ || i[1] == fp16_vec4_)) return;  // written before
    if (i.opcode == SpvOpVariable && fp16_variables_.contains(i[2])) return write_variable(i);
    if (is_chain(i.opcode) && fp16_variables_.contains(i[3])) return write_chain(i);
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
    // Decorations of an array and its block hold for the new ones, but for the stride of elements.
    for (const auto& [variable, half] : fp16_variables_) {
      const bool of_array = i[1] == half.was.array;
      if (!of_array && i[1] != half.was.block) continue;
      std::vector<uint32_t> copy(i.words.begin(), i.words.end());
      copy[1] = of_array ? half.array : half.block;
      if (of_array && i[2] == SpvDecorationArrayStride) copy[3] /= 2;
      spirv::append(decorations_, copy);
    }
  }

  // Before all others: they need no other type, and a type must not be declared twice.
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

  // The indices are the block's member, the element and, for one float of a vec4, its index there.
  void write_chain(const Instruction& i) {
    const bool is_vec4 = fp16_variables_.at(i[3]).was.vec4 && i.words.size() == 6;
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

  uint32_t next_ = 0;  // id that is free
  uint32_t fp16_ = 0, fp16_vec4_ = 0, fp16_pointer_ = 0, fp16_vec4_pointer_ = 0;
  std::map<uint32_t, Half> fp16_variables_;  // by variable
  std::map<uint32_t, uint32_t> places_;      // by pointer: the type of what lies there
  bool in_preamble_ = true, has_capability_ = false;
  std::vector<uint32_t> preamble_, decorations_, rest_;
};

}  // namespace

uint32_t bindings_of_floats(std::span<const uint32_t> words) {
  uint32_t bindings = 0;
  for (const auto& [variable, array] : read_module(words).arrays) bindings |= 1u << array.binding;
  return bindings;
}

std::optional<std::vector<uint32_t>> with_fp16_storage(std::span<const uint32_t> words, uint32_t bindings) {
  const Module module = read_module(words);
  uint32_t possible = 0;
  for (const auto& [variable, array] : module.arrays) possible |= 1u << array.binding;
  if ((bindings & ~possible) != 0) return std::nullopt;
  return Rewriter(words, module, bindings).take(words);
}

}  // namespace nnrt::vulkan
