// CAST to fp16 and back as a rewrite of a shader: every kernel of FLOAT32 has a form that rounds what it
// reads from any of its buffers, or writes there, to values of fp16.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nnrt::vulkan {

// The shader whose loads from those bindings, as bits, and stores to them give the floats that a CAST to fp16
// and one back give, bit for bit. Nothing if a binding is not one of bindings_of_floats().
std::optional<std::vector<uint32_t>> with_rounded_floats(std::span<const uint32_t> words, uint32_t bindings);

}  // namespace nnrt::vulkan
