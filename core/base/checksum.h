// 64-bit XXH3: detects accidental corruption, not tampering.
#pragma once

#include "core/base/bytes.h"

#include <cstdint>

namespace nnrt {

// The checksum of the concatenated pieces.
uint64_t checksum(std::span<const ByteView> pieces);
uint64_t checksum(ByteView bytes);

}  // namespace nnrt
