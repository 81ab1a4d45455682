// XXH3 in 64 bits: against accidents, at the speed of memory. Not against forgers.
#pragma once

#include "core/base/bytes.h"

#include <cstdint>

namespace nnrt {

// The checksum of the concatenated pieces.
uint64_t checksum(std::span<const ByteView> pieces);
uint64_t checksum(ByteView bytes);

}  // namespace nnrt
