// Compares results of two devices.
#pragma once

#include "core/graph/graph.h"

#include <optional>
#include <span>
#include <string>

namespace nnrt::test {

// Two elements agree if |got - want| <= absolute * scale + relative * |want|, where scale is the largest
// finite magnitude among inputs and results, at least 1. NaN agrees with NaN, and an infinity with the same
// one.
struct Tolerance {
  double absolute = 0, relative = 0;
  int64_t quantization_steps = 0;  // for integers
};
inline constexpr Tolerance kExact{};
Tolerance tolerance_of(DType dtype);

double largest_magnitude(DType dtype, ByteView data);

// Describes the first difference, if any: "element 7 of 12 is 0.25, not 0.5".
std::optional<std::string> difference(DType dtype, ByteView got, ByteView want, const Tolerance& tolerance,
                                      double scale);

}  // namespace nnrt::test
