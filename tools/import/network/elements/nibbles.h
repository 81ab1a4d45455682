// 4-bit elements, two per byte, low nibble first; 2-bit ones alike.
#pragma once

#include "core/base/bytes.h"

#include <cstdint>

namespace nnrt::import {

// ORs into a byte that is 0 or holds the other element.
inline void add_nibble(std::byte& pair, size_t position, std::byte nibble) {
  pair |= nibble << (position % 2 * 4);
}

// One byte per element of 2 or 4 bits.
inline Bytes unpacked(ByteView packed, size_t count, int bits, bool is_signed) {
  const size_t per_byte = 8 / static_cast<size_t>(bits);
  const int above = 8 - bits;
  Bytes bytes(count);
  for (size_t i = 0; i < count; ++i) {
    const auto code =
        static_cast<uint8_t>(packed[i / per_byte] >> (static_cast<int>(i % per_byte) * bits) << above);
    bytes[i] = static_cast<std::byte>(is_signed ? static_cast<int8_t>(code) >> above : code >> above);
  }
  return bytes;
}

}  // namespace nnrt::import
