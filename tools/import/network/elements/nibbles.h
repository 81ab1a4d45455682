// 4-bit elements, two per byte, low nibble first.
#pragma once

#include "core/base/bytes.h"

namespace nnrt::import {

inline std::byte nibble_of(std::byte pair, size_t position) {
  return position % 2 == 0 ? pair & std::byte{15} : pair >> 4;
}

// Sign-extends a nibble (-8 to 7) to a byte.
inline std::byte sign_extended(std::byte nibble) {
  return nibble > std::byte{7} ? nibble | std::byte{0xf0} : nibble;
}

// ORs into a byte that is 0 or holds the other element.
inline void add_nibble(std::byte& pair, size_t position, std::byte nibble) {
  pair |= nibble << (position % 2 * 4);
}

// One byte per element.
inline Bytes unpacked_nibbles(ByteView pairs, size_t count, bool is_signed) {
  Bytes bytes(count);
  for (size_t i = 0; i < count; ++i) {
    const std::byte nibble = nibble_of(pairs[i / 2], i);
    bytes[i] = is_signed ? sign_extended(nibble) : nibble;
  }
  return bytes;
}

}  // namespace nnrt::import
