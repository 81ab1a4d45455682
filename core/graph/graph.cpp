#include "core/graph/graph.h"

#include <array>

namespace nnrt {

std::string_view name(Format format) {
  constexpr std::array<std::string_view, 4> kNames = {"NONE", "NCHW", "NHWC", "ND"};
  return kNames[size_t(format)];
}

std::optional<size_t> byte_size(DType dtype, const Shape& shape) {
  const auto count = element_count(shape);
  int64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, static_cast<int64_t>(size_of(dtype)), &bytes)) return {};
  return static_cast<size_t>(bytes);
}

}  // namespace nnrt
