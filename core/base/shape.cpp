#include "core/base/shape.h"

#include "core/base/check.h"
#include "core/base/text.h"

#include <algorithm>

namespace nnrt {
namespace {

bool is_one_element(const Shape& shape) {
  return shape.empty() || (shape.size() == 1 && (shape[0] == 1 || shape[0] == kUnknown));
}

// Returns whether every operand is contiguous across the two dimensions.
bool contiguous(std::span<const Strides> operands, size_t outer, const std::vector<int64_t>& inner_strides,
                int64_t inner_length) {
  for (size_t k = 0; k < operands.size(); ++k) {
    if (operands[k][outer] != inner_strides[k] * inner_length) return false;
  }
  return true;
}

}  // namespace

bool is_static(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](int64_t dim) { return dim >= 0; });
}

bool is_empty(std::span<const int64_t> shape) { return std::ranges::find(shape, 0) != shape.end(); }

std::optional<int64_t> element_count(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t dim : shape) {
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) return std::nullopt;
  }
  return count;
}

int64_t product(const Shape& shape, size_t from, size_t to) {
  int64_t result = 1;
  for (size_t d = from; d < to; ++d) {
    NNRT_CHECK(shape[d] >= 0, "A dimension of a product is not known.");
    result *= shape[d];
  }
  return result;
}

std::string to_string(std::span<const int64_t> shape) {
  std::string text = "[";
  for (const int64_t dim : shape) text.append(text.size() > 1 ? ", " : "").append(std::to_string(dim));
  return text.append("]");
}

Result<Shape> broadcast(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const size_t lead = longer.size() - shorter.size();
  for (size_t d = 0; d < shorter.size(); ++d) {
    int64_t& dim = result[lead + d];
    const int64_t other = shorter[d];
    if (dim == other || other == 1 || (other == kUnknown && dim != 1)) continue;
    if (dim != 1 && dim != kUnknown) {
      return invalid("Shapes ", to_string(a), " and ", to_string(b), " do not broadcast: ", longer[lead + d],
                     " and ", other, " differ and neither is 1.");
    }
    dim = other;
  }
  return result;
}

bool compatible(const Shape& declared, const Shape& inferred) {
  if (declared.size() != inferred.size()) return is_one_element(declared) && is_one_element(inferred);
  for (size_t d = 0; d < declared.size(); ++d) {
    if (declared[d] != inferred[d] && declared[d] != kUnknown && inferred[d] != kUnknown) return false;
  }
  return true;
}

Strides strides_of(const Shape& shape) {
  Strides strides(shape.size());
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = step;
    step *= shape[d];
  }
  return strides;
}

Strides broadcast_strides(const Shape& shape, const Shape& target) {
  // A single element broadcasts to any shape, including [1] to [] (R6).
  if (element_count(shape) == 1) return Strides(target.size(), 0);
  NNRT_CHECK(shape.size() <= target.size(), "A shape cannot be viewed with fewer dimensions.");
  const Strides own = strides_of(shape);
  const size_t lead = target.size() - shape.size();
  Strides strides(target.size(), 0);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == target[lead + d]) strides[lead + d] = own[d];
  }
  return strides;
}

Collapsed collapse(const Shape& shape, std::span<const Strides> operands) {
  // Built from the last dimension to the first, then reversed.
  Collapsed result{{}, std::vector<Strides>(operands.size())};
  std::vector<int64_t> inner(operands.size());
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 1) continue;
    if (!result.shape.empty() && contiguous(operands, d, inner, result.shape.back())) {
      result.shape.back() *= shape[d];
      continue;
    }
    result.shape.push_back(shape[d]);
    for (size_t k = 0; k < operands.size(); ++k) {
      inner[k] = operands[k][d];
      result.strides[k].push_back(inner[k]);
    }
  }
  if (result.shape.empty()) {
    result.shape = {1};
    for (Strides& strides : result.strides) strides = {1};
  }
  std::reverse(result.shape.begin(), result.shape.end());
  for (Strides& strides : result.strides) std::reverse(strides.begin(), strides.end());
  return result;
}

}  // namespace nnrt
