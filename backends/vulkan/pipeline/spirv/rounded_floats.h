// CAST to fp16 and back by rewriting shaders: any FLOAT32 kernel can round to fp16 what it reads from or
// writes to any of its buffers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nnrt::vulkan {

// Rewrites loads and stores of these bindings (a bit mask) to round like a CAST to fp16 and back, bit for
// bit. nullopt if a binding is not one of bindings_of_floats().
std::optional<std::vector<uint32_t>> with_rounded_floats(std::span<const uint32_t> words, uint32_t bindings);

}  // namespace nnrt::vulkan
