// Finds the float buffers that a shader declares, so that its loads and stores can be rewritten.
#pragma once

#include "backends/vulkan/pipeline/spirv/spirv.h"

#include <cstdint>
#include <map>
#include <span>

namespace nnrt::vulkan::spirv {

// An array of float or vec4 behind a binding.
struct FloatArray {
  uint32_t binding = 0, variable = 0, pointer = 0, block = 0, array = 0;
  bool vec4 = false;

  // Returns whether an access chain into the array points to a vec4. Its indices are the block member, the
  // element, and for a single float also the vec4 component.
  bool is_vec4(const Instruction& chain) const { return vec4 && chain.words.size() == 6; }
};

struct FloatArrays {
  std::map<uint32_t, FloatArray> by_variable;
  uint32_t float_id = 0, vec4_id = 0;      // type ids
  uint32_t fp16_id = 0, fp16_vec4_id = 0;  // set if declared

  uint32_t bindings() const;  // bit mask
};

// Returns whether the opcode is an access chain.
bool is_chain(uint32_t opcode);

// Finds the arrays whose elements are only loaded and stored.
FloatArrays float_arrays(std::span<const uint32_t> words);

}  // namespace nnrt::vulkan::spirv
