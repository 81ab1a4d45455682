// Validation of clients' quantization parameters: lists of equal length, eight bits.
#pragma once

#include "core/graph/graph.h"

namespace nnrt {

Result<Quant> quant_from(std::span<const double> scales, std::span<const int32_t> zero_points,
                         std::span<const uint32_t> bits);

}  // namespace nnrt
