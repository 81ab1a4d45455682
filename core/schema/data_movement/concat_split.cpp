#include "core/base/text.h"
#include "core/schema/data_movement/data_movement.h"

#include <algorithm>

namespace nnrt::data_movement {
namespace {

// Merges a known dimension into `to`; fails if they differ.
Status merge(int64_t& to, int64_t other, size_t input, size_t d) {
  if (to < 0) to = other;
  if (other < 0 || to == other) return {};
  return invalid("Dimension ", d, " of input ", input, " (", other, ") differs from that of the first (", to,
                 ").");
}

// The common shape of all inputs, ignoring dimension `except`.
Result<Shape> common_shape(const NodeView& node, std::optional<size_t> except) {
  Shape common = at_least_1d(node.shape(0));
  for (size_t i = 1; i < node.input_count(); ++i) {
    const Shape shape = at_least_1d(node.shape(i));
    if (shape.size() != common.size()) {
      return invalid("The rank of input ", i, " (", shape.size(), ") differs from that of the first (",
                     common.size(), ").");
    }
    for (size_t d = 0; d < common.size(); ++d) {
      if (d != except) NNRT_TRY(merge(common[d], shape[d], i, d));
    }
  }
  return common;
}

Result<ConcatSplit> concatenated(const NodeView& node) {
  const size_t rank = std::max<size_t>(node.shape(0).size(), 1);
  NNRT_ASSIGN(const int64_t axis, normalize_axis(node.attrs().integer(Attr::axis), rank));
  ConcatSplit concat_split{{}, size_t(axis), {}};
  NNRT_ASSIGN(concat_split.whole, common_shape(node, concat_split.axis));
  int64_t sum = 0;
  for (size_t i = 0; i < node.input_count(); ++i) {
    concat_split.sizes.push_back(at_least_1d(node.shape(i))[concat_split.axis]);
    sum = sum < 0 || concat_split.sizes.back() < 0 ? kUnknown : sum + concat_split.sizes.back();
  }
  NNRT_ASSIGN(concat_split.whole[concat_split.axis], times(sum, 1));
  return concat_split;
}

Result<ConcatSplit> stacked(const NodeView& node) {
  ConcatSplit concat_split;
  NNRT_ASSIGN(concat_split.whole, common_shape(node, std::nullopt));
  if (node.shape(0).empty()) concat_split.whole.clear();
  NNRT_ASSIGN(const int64_t axis,
              normalize_axis(node.attrs().integer(Attr::axis), concat_split.whole.size() + 1));
  concat_split.axis = size_t(axis);
  concat_split.sizes.assign(node.input_count(), 1);
  concat_split.whole.insert(concat_split.whole.begin() + axis, int64_t(node.input_count()));
  return concat_split;
}

Result<Shape> split_sizes(const NodeView& node, int64_t length) {
  const Attrs& attrs = node.attrs();
  const size_t count = node.output_count();
  if (attrs.has(Attr::output_num) && attrs.integer(Attr::output_num) != int64_t(count)) {
    return invalid("The output number (", attrs.integer(Attr::output_num), ") is not the number of outputs (",
                   count, ").");
  }
  if (!attrs.has(Attr::size_splits)) {
    if (length >= 0 && length % int64_t(count) != 0) {
      return invalid("Dimension (", length, ") is not divisible by the number of outputs (", count, ").");
    }
    return Shape(count, length < 0 ? kUnknown : length / int64_t(count));
  }
  const std::span<const int64_t> given = attrs.integers(Attr::size_splits);
  if (given.size() != count) {
    return invalid("The number of sizes (", given.size(), ") is not the number of outputs (", count, ").");
  }
  Shape sizes(given.begin(), given.end());
  const bool rest = sizes.back() == -1;
  int64_t sum = 0;
  for (size_t i = 0; i + (rest ? 1 : 0) < count; ++i) {
    if (sizes[i] < 0 || sizes[i] > kLargestDimension) {
      return invalid("Size (", sizes[i], ") of a part is outside [0, ", kLargestDimension, "].");
    }
    sum += sizes[i];
  }
  if (length >= 0 && (rest ? sum > length : sum != length)) {
    return invalid("The sizes of the parts (", to_string(sizes), ") do not sum to the dimension (", length,
                   ").");
  }
  if (rest && length >= 0) sizes.back() = length - sum;
  return sizes;
}

Result<ConcatSplit> split(const NodeView& node) {
  ConcatSplit concat_split{at_least_1d(node.shape(0)), 0, {}};
  NNRT_ASSIGN(const int64_t axis,
              normalize_axis(node.attrs().integer(Attr::axis), concat_split.whole.size()));
  concat_split.axis = size_t(axis);
  const int64_t length = concat_split.whole[concat_split.axis];
  if (node.op() == Op::split) {
    NNRT_ASSIGN(concat_split.sizes, split_sizes(node, length));
    return concat_split;
  }
  if (length >= 0 && length != int64_t(node.output_count())) {
    return invalid("The number of outputs (", node.output_count(), ") is not dimension ", axis, " (", length,
                   ").");
  }
  concat_split.sizes.assign(node.output_count(), 1);
  return concat_split;
}

}  // namespace

Shape ConcatSplit::segment(size_t i) const {
  Shape shape = whole;
  shape[axis] = sizes[i];
  return shape;
}

Result<ConcatSplit> concat_split(const NodeView& node) {
  if (node.op() == Op::concat) return concatenated(node);
  return node.op() == Op::stack ? stacked(node) : split(node);
}

}  // namespace nnrt::data_movement
