// The buffers of floats that a shader declares, for rewrites of its loads and stores.
#pragma once

#include "backends/vulkan/pipeline/spirv.h"

#include <cstdint>
#include <map>
#include <span>

namespace nnrt::vulkan::spirv {

// An array of float, or of vec4, behind a binding.
struct FloatArray {
  uint32_t binding = 0, variable = 0, pointer = 0, block = 0, array = 0;
  bool vec4 = false;

  // Returns whether a chain of indices into it names a vec4: they are the block's member, the element and,
  // for one float of a vec4, its index there.
  bool is_vec4(const Instruction& chain) const { return vec4 && chain.words.size() == 6; }
};

struct FloatArrays {
  std::map<uint32_t, FloatArray> by_variable;
  uint32_t float_id = 0, vec4_id = 0;      // types
  uint32_t fp16_id = 0, fp16_vec4_id = 0;  // set if it has them

  uint32_t bindings() const;  // a bit for each
};

// Returns whether it gives a pointer into what another one points to.
bool is_chain(uint32_t opcode);

// Finds the arrays that are only read and written element by element.
FloatArrays float_arrays(std::span<const uint32_t> words);

}  // namespace nnrt::vulkan::spirv
