// Native 16-bit storage as a rewrite of a shader: every kernel of FLOAT32 has a form that reads and writes
// fp16 values in any of its buffers, and computes in float as ever.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nnrt::vulkan {

// The bindings, as bits, that are arrays of float or of vec4 and only read and written element by element.
uint32_t bindings_of_floats(std::span<const uint32_t> words);

// The shader with those bindings as arrays of float16 or of vec4 of it: loads convert to float, stores round
// to the nearest, ties to even. The device must have been made with 16-bit storage. Nothing if a binding is
// not one of bindings_of_floats().
std::optional<std::vector<uint32_t>> with_fp16_storage(std::span<const uint32_t> words, uint32_t bindings);

}  // namespace nnrt::vulkan
