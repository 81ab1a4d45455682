// Names and values as in OH_NN_OperationType: the build generates operators.inc from the API headers, with a
// line NNRT_OP(hswish, HSWISH, 17) per operator.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace nnrt {

enum class Op : uint16_t {
#define NNRT_OP(op, name, number) op = number,
#include "core/graph/operators.inc"
#undef NNRT_OP
};

// Sorted by value; there may be gaps.
inline constexpr Op kOperators[] = {
#define NNRT_OP(op, name, number) Op::op,
#include "core/graph/operators.inc"
#undef NNRT_OP
};
inline constexpr size_t kOpCount = std::size(kOperators);
static_assert(std::ranges::is_sorted(kOperators, std::ranges::less_equal()) && kOperators[0] > Op{});

namespace detail {
inline constexpr auto kIndices = [] {
  std::array<uint16_t, size_t(kOperators[kOpCount - 1]) + 1> indices{};
  indices.fill(kOpCount);
  for (size_t i = 0; i < kOpCount; ++i) indices[size_t(kOperators[i])] = uint16_t(i);
  return indices;
}();
}  // namespace detail

// Index in kOperators; kOpCount if it is not an operator.
constexpr size_t index_of(Op op) {
  return size_t(op) < detail::kIndices.size() ? detail::kIndices[size_t(op)] : kOpCount;
}

// True for operators of nnrt_operators.h: OpenHarmony's values end below 1000.
constexpr bool is_extension(Op op) { return size_t(op) >= 1000; }

constexpr std::optional<Op> op_from_number(int64_t number) {
  const bool fits = number >= 0 && number < int64_t(detail::kIndices.size());
  return fits && index_of(Op(number)) < kOpCount ? std::optional(Op(number)) : std::nullopt;
}

// Full name, "OH_NN_OPS_ADD", and short name, "ADD".
std::string_view name(Op op);
std::string_view short_name(Op op);

// A value per operator, plus one for invalid operators.
template <typename T>
class OpTable {
 public:
  constexpr T& operator[](Op op) { return values_[index_of(op)]; }
  constexpr const T& operator[](Op op) const { return values_[index_of(op)]; }
  constexpr auto begin() const { return values_.begin(); }
  constexpr auto end() const { return values_.end(); }

 private:
  std::array<T, kOpCount + 1> values_{};
};

}  // namespace nnrt
