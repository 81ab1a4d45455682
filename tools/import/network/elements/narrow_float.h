// Float types that OH_NN lacks. Their values are stored as FLOAT32, which holds all of them exactly.
#pragma once

#include "core/base/bytes.h"

#include <cstdint>

namespace nnrt::import {

struct NarrowFloat {
  enum class Specials : uint8_t {
    ieee,      // infinities and NaNs
    only_nan,  // S.11..1 is NaN
    one_nan,   // the code of -0 is NaN
  };

  int bits, exponent_bits, bias;
  Specials specials = Specials::ieee;

  int mantissa_bits() const { return bits - 1 - exponent_bits; }
  size_t size() const { return static_cast<size_t>(bits) / 8; }
  bool has_infinity() const { return specials == Specials::ieee; }
  bool has_negative_zero() const { return specials != Specials::one_nan; }
  double least_normal() const;
  double largest() const;
  // The value of a code.
  float decoded(uint32_t code) const;
  // Little-endian codes as FLOAT32.
  Bytes widened(ByteView codes) const;
};

inline constexpr NarrowFloat kBfloat16{16, 8, 127};

}  // namespace nnrt::import
