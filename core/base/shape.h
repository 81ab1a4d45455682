// Shapes; -1 is an unknown dimension. A scalar has rank 0 and one element.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nnrt {

using Shape = std::vector<int64_t>;
using Strides = std::vector<int64_t>;  // in elements
inline constexpr int64_t kUnknown = -1;

bool is_static(const Shape& shape);

// Returns whether a dimension is 0. A scalar is not empty.
bool is_empty(std::span<const int64_t> shape);

// nullopt if a dimension is unknown or the product overflows 63 bits.
std::optional<int64_t> element_count(const Shape& shape);

// The product of dimensions [from, to), which must be known.
int64_t product(const Shape& shape, size_t from, size_t to);

std::string to_string(std::span<const int64_t> shape);  // "[1, -1, 3]"

// NumPy broadcasting (R9). An unknown dimension stays unknown against 1 or unknown, and becomes n against n >
// 1.
Result<Shape> broadcast(const Shape& a, const Shape& b);

// Returns whether a declared shape admits the inferred one: equal rank and dimensions, -1 on either side
// matches anything; rank 0 and [1] match (R6).
bool compatible(const Shape& declared, const Shape& inferred);

// C order.
Strides strides_of(const Shape& shape);

// Strides to read `shape` as the larger `target`: right-aligned, 0 for broadcast dimensions.
Strides broadcast_strides(const Shape& shape, const Shape& target);

// Merges adjacent dimensions that are contiguous in every operand and drops those of length 1: [2, 3, 4] with
// equal C-order strides becomes [24]. At least one dimension remains.
struct Collapsed {
  Shape shape;
  std::vector<Strides> strides;  // per operand
};
Collapsed collapse(const Shape& shape, std::span<const Strides> operands);

}  // namespace nnrt
