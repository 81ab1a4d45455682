#include "backends/vulkan/pipeline/spirv/float_arrays.h"

#include <spirv/unified1/spirv.h>

#include <set>
#include <utility>

namespace nnrt::vulkan::spirv {
namespace {

// A module's declarations of float buffers.
struct Module {
  FloatArrays found;
  std::map<uint32_t, uint32_t> bindings;  // by variable
  std::map<uint32_t, uint32_t> elements;  // by runtime array
  std::map<uint32_t, uint32_t> members;   // by block that contains one
  std::map<uint32_t, uint32_t> pointees;  // by pointer to a storage buffer
  std::map<uint32_t, uint32_t> chains;    // access chain -> variable
  std::set<uint32_t> used_otherwise;      // variables
};

void read_variable(Module& module, const Instruction& i) {
  const auto binding = module.bindings.find(i[2]);
  const auto block = module.pointees.find(i[1]);
  if (i[3] != SpvStorageClassStorageBuffer || binding == module.bindings.end()) return;
  if (block == module.pointees.end() || binding->second >= 32) return;
  const auto array = module.members.find(block->second);
  if (array == module.members.end()) return;
  const auto element = module.elements.find(array->second);
  if (element == module.elements.end()) return;
  const bool vec4 = element->second == module.found.vec4_id;
  if (!vec4 && element->second != module.found.float_id) return;
  module.found.by_variable[i[2]] = {binding->second, i[2], i[1], block->second, array->second, vec4};
}

// Notes uses of an array or of a pointer into it other than load and store.
void note_other_uses(Module& module, const Instruction& i) {
  switch (i.opcode) {
    case SpvOpLoad:
    case SpvOpStore:
      // The stored object cannot be such a pointer, as there are no variable pointers.
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
      if (i[2] == 32) module.found.float_id = i[1];
      if (i[2] == 16) module.found.fp16_id = i[1];
      return;
    case SpvOpTypeVector:
      if (i[2] == module.found.float_id && i[3] == 4) module.found.vec4_id = i[1];
      if (i[2] == module.found.fp16_id && i[3] == 4) module.found.fp16_vec4_id = i[1];
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
  if (is_chain(i.opcode) && module.found.by_variable.contains(i[3])) module.chains[i[2]] = i[3];
  note_other_uses(module, i);
}

}  // namespace

uint32_t FloatArrays::bindings() const {
  uint32_t bits = 0;
  for (const auto& [variable, array] : by_variable) bits |= 1u << array.binding;
  return bits;
}

bool is_chain(uint32_t opcode) { return opcode == SpvOpAccessChain || opcode == SpvOpInBoundsAccessChain; }

FloatArrays float_arrays(std::span<const uint32_t> words) {
  Module module;
  if (!for_each_instruction(words, [&](const Instruction& i) { read(module, i); })) return {};
  for (const uint32_t variable : module.used_otherwise) module.found.by_variable.erase(variable);
  return std::move(module.found);
}

}  // namespace nnrt::vulkan::spirv
