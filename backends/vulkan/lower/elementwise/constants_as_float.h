// Host-side conversion of constants to float and of floats to fp16.
#pragma once

#include "backends/vulkan/memory/packing.h"
#include "core/graph/graph.h"

#include <memory>

namespace nnrt::vulkan {

// Converts a FLOAT16, FLOAT64, INT8 or INT32 constant. With per-channel quantization, the channel is
// dimension 0; without quantization, integers keep their value.
std::shared_ptr<const Bytes> constant_as_float(const Tensor& tensor, const Quant& quant);

void round_to_fp16(ByteView floats, std::byte* to);
Bytes floats_as_fp16(ByteView floats);
// Rounds what `floats` packs, which is `bytes` long.
Packing packed_as_fp16(const Packing& floats);

}  // namespace nnrt::vulkan
