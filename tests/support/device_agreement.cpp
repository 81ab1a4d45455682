#include "tests/support/device_agreement.h"

#include "core/base/fp16.h"
#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace nnrt::test {
namespace {

double real(DType dtype, const std::byte* at) {
  if (dtype == DType::f16) {
    Half half;
    std::memcpy(&half, at, sizeof half);
    return double(to_float(half));
  }
  if (dtype == DType::f32) {
    float value = 0;
    std::memcpy(&value, at, sizeof value);
    return double(value);
  }
  double value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// The low bits, sign-extended for signed dtypes.
int64_t integer(DType dtype, const std::byte* at) {
  int64_t value = 0;
  std::memcpy(&value, at, size_of(dtype));
  const bool has_sign =
      dtype == DType::i8 || dtype == DType::i16 || dtype == DType::i32 || dtype == DType::i64;
  const int unused = has_sign ? 64 - 8 * int(size_of(dtype)) : 0;
  return int64_t(uint64_t(value) << unused) >> unused;
}

bool agree(double got, double want, const Tolerance& tolerance, double scale) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  if (got == want) return true;
  return std::fabs(got - want) <= tolerance.absolute * scale + tolerance.relative * std::fabs(want);
}

}  // namespace

Tolerance tolerance_of(DType dtype) {
  if (dtype == DType::f16) return {.absolute = 1e-3, .relative = 2e-3};
  return is_float(dtype) ? Tolerance{.absolute = 1e-5, .relative = 2e-5} : kExact;
}

double largest_magnitude(DType dtype, ByteView data) {
  double largest = 1;
  for (size_t at = 0; at < data.size(); at += size_of(dtype)) {
    const std::byte* element = data.data() + at;
    const double magnitude =
        std::fabs(is_float(dtype) ? real(dtype, element) : double(integer(dtype, element)));
    if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
  }
  return largest;
}

std::optional<std::string> difference(DType dtype, ByteView got, ByteView want, const Tolerance& tolerance,
                                      double scale) {
  if (got.size() != want.size()) return cat(got.size(), " bytes, not ", want.size());
  if (std::equal(got.begin(), got.end(), want.begin())) return std::nullopt;
  const size_t size = size_of(dtype), count = want.size() / size;
  const bool exact = tolerance.absolute == 0 && tolerance.relative == 0;
  for (size_t i = 0; i < count; ++i) {
    const std::byte *a = got.data() + i * size, *b = want.data() + i * size;
    if (std::memcmp(a, b, size) == 0) continue;
    if (is_float(dtype)) {
      if (!exact && agree(real(dtype, a), real(dtype, b), tolerance, scale)) continue;
      return cat("element ", i, " of ", count, " is ", real(dtype, a), ", not ", real(dtype, b));
    }
    const int64_t x = integer(dtype, a), y = integer(dtype, b);
    if (tolerance.quantization_steps > 0 && std::abs(x - y) <= tolerance.quantization_steps) continue;
    return cat("element ", i, " of ", count, " is ", x, ", not ", y);
  }
  return std::nullopt;
}

}  // namespace nnrt::test
