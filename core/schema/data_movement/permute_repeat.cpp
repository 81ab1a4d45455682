#include "core/base/text.h"
#include "core/schema/data_movement/data_movement.h"

#include <algorithm>

namespace nnrt::data_movement {
namespace {

Result<Repeat> tiled(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  NNRT_ASSIGN(const std::vector<int64_t> multiples, known_list(node, 1));
  for (const int64_t multiple : multiples) {
    if (multiple < 1) return invalid("Multiple (", multiple, ") is below 1.");
  }
  Shape input = node.shape(0);
  std::vector<int64_t> factors = multiples;
  if (attrs.has(Attr::dims)) {
    const std::span<const int64_t> dims = attrs.integers(Attr::dims);
    if (dims.size() != multiples.size()) {
      return invalid("There are ", dims.size(), " dims for ", multiples.size(), " multiples.");
    }
    input = at_least_1d(input);
    factors.assign(input.size(), 1);
    std::vector<bool> named(input.size());
    for (size_t j = 0; j < dims.size(); ++j) {
      NNRT_ASSIGN(const int64_t d, normalize_axis(dims[j], input.size()));
      if (named[size_t(d)]) return invalid("Dimension (", dims[j], ") is repeated.");
      named[size_t(d)] = true;
      factors[size_t(d)] = multiples[j];
    }
  } else if (multiples.size() < input.size()) {
    return invalid("The multiples (", multiples.size(), ") are fewer than the dimensions (", input.size(),
                   ").");
  }
  input.insert(input.begin(), factors.size() - input.size(), 1);
  Repeat repeat{input, {}};
  for (size_t d = 0; d < input.size(); ++d) {
    NNRT_ASSIGN(const int64_t dimension, times(input[d], factors[d]));
    repeat.output.push_back(dimension);
  }
  return repeat;
}

Result<Repeat> broadcasted(const NodeView& node) {
  Shape input = node.shape(0);
  const std::span<const int64_t> given = node.attrs().integers(Attr::shape);
  Shape target(given.begin(), given.end());
  for (int64_t& dimension : target) {
    if (dimension < -1) return invalid("Dimension (", dimension, ") of the shape is not a valid size.");
    dimension = std::abs(dimension);  // -1 keeps the input's dimension, as 1 does
  }
  const size_t rank = std::max(input.size(), target.size());
  input.insert(input.begin(), rank - input.size(), 1);
  target.insert(target.begin(), rank - target.size(), 1);
  NNRT_ASSIGN(Shape output, broadcast(input, target));
  return Repeat{std::move(input), std::move(output)};
}

}  // namespace

Shape at_least_1d(const Shape& shape) { return shape.empty() ? Shape{1} : shape; }

Result<std::vector<int64_t>> known_list(const NodeView& node, size_t input) {
  if (node.shape(input).size() > 1) {
    return invalid("The rank of input ", input, " (", node.shape(input).size(), ") is above 1.");
  }
  std::optional<std::vector<int64_t>> values = node.integers(input);
  if (!values) return Error{Code::failed, cat("The values of input ", input, " are not known.")};
  return *std::move(values);
}

Result<int64_t> times(int64_t dimension, int64_t factor) {
  if (dimension < 0 || factor < 0) return kUnknown;
  if (dimension != 0 && factor > kLargestDimension / dimension) {
    return invalid("A dimension of ", dimension, " times ", factor, " is above ", kLargestDimension, ".");
  }
  return dimension * factor;
}

Result<std::vector<size_t>> permutation(const NodeView& node) {
  const size_t rank = std::max<size_t>(node.shape(0).size(), 1);
  NNRT_ASSIGN(const std::vector<int64_t> given, known_list(node, 1));
  if (given.size() != rank) {
    return invalid("The permutation has ", given.size(), " entries for ", rank, " dimensions.");
  }
  std::vector<size_t> order;
  std::vector<bool> used(rank);
  for (const int64_t value : given) {
    if (value < 0 || value >= int64_t(rank) || used[size_t(value)]) {
      return invalid(to_string(given), " is not a permutation of 0..", rank - 1, ".");
    }
    used[size_t(value)] = true;
    order.push_back(size_t(value));
  }
  return order;
}

Result<Repeat> repeat(const NodeView& node) {
  return node.op() == Op::tile ? tiled(node) : broadcasted(node);
}

}  // namespace nnrt::data_movement
