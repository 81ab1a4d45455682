// Maps bytes by a table of 256 entries.
#pragma once

#include <array>
#include <cstdint>

namespace nnrt::cpu {

using ByteTable = std::array<uint8_t, 256>;

// to[i] = table[from[i]]; `to` may be `from`.
void map_bytes(const ByteTable& table, const uint8_t* from, uint8_t* to, int64_t count);

}  // namespace nnrt::cpu
