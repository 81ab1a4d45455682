// Native 16-bit storage by rewriting shaders: any FLOAT32 kernel can read and write fp16 in any of its
// buffers, while it still computes in float.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nnrt::vulkan {

// Bit mask of bindings that are arrays of float or vec4 whose elements are only loaded and stored.
uint32_t bindings_of_floats(std::span<const uint32_t> words);

// Rewrites these bindings to arrays of float16 or f16vec4: loads convert to float, stores round to nearest
// even. Needs a device with 16-bit storage enabled. nullopt if a binding is not one of bindings_of_floats().
std::optional<std::vector<uint32_t>> with_fp16_storage(std::span<const uint32_t> words, uint32_t bindings);

}  // namespace nnrt::vulkan
