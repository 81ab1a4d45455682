#include "core/base/text.h"
#include "core/schema/data_movement/data_movement.h"

#include <algorithm>
#include <bit>

namespace nnrt::data_movement {
namespace {

Slice whole(const Shape& input) {
  return {input, std::vector<int64_t>(input.size()), std::vector<int64_t>(input.size(), 1), input, {}};
}

Result<std::vector<size_t>> slice_axes(const NodeView& node, size_t rank, size_t entries) {
  std::vector<size_t> axes;
  if (!node.attrs().has(Attr::axes)) {
    if (entries != rank) {
      return invalid("The begin has ", entries, " entries for ", rank, " dimensions, and no axes are given.");
    }
    for (size_t d = 0; d < rank; ++d) axes.push_back(d);
    return axes;
  }
  const std::span<const int64_t> given = node.attrs().integers(Attr::axes);
  if (given.size() != entries) {
    return invalid("The axes have ", given.size(), " entries, the begin has ", entries, ".");
  }
  for (const int64_t value : given) {
    NNRT_ASSIGN(const int64_t axis, normalize_axis(value, rank));
    if (std::find(axes.begin(), axes.end(), size_t(axis)) != axes.end()) {
      return invalid("Axis (", value, ") is repeated.");
    }
    axes.push_back(size_t(axis));
  }
  return axes;
}

Result<Slice> by_size(const NodeView& node) {
  Slice slice = whole(at_least_1d(node.shape(0)));
  NNRT_ASSIGN(const std::vector<int64_t> begin, known_list(node, 1));
  NNRT_ASSIGN(const std::vector<int64_t> size, known_list(node, 2));
  if (begin.size() != size.size()) {
    return invalid("The begin has ", begin.size(), " entries, the size has ", size.size(), ".");
  }
  NNRT_ASSIGN(const std::vector<size_t> axes, slice_axes(node, slice.input.size(), begin.size()));
  for (size_t k = 0; k < axes.size(); ++k) {
    const size_t d = axes[k];
    const int64_t length = slice.input[d];
    const int64_t max = length < 0 ? kLargestDimension : length;
    if (begin[k] < 0 || begin[k] >= max) return invalid("Begin (", begin[k], ") is outside [0, ", max, ").");
    const bool to_end = size[k] == -1;
    if (!to_end && (size[k] < 1 || size[k] > max - begin[k])) {
      return invalid("Size (", size[k], ") from ", begin[k], " on is outside [1, ", max - begin[k], "].");
    }
    slice.begin[d] = begin[k];
    slice.count[d] = !to_end ? size[k] : length < 0 ? kUnknown : length - begin[k];
  }
  slice.output = slice.count;
  return slice;
}

Result<Slice> by_shape(const NodeView& node) {
  Slice slice = whole(at_least_1d(node.shape(0)));
  const size_t rank = slice.input.size();
  const Attrs& attrs = node.attrs();
  NNRT_ASSIGN(const int64_t axis, normalize_axis(attrs.integer(Attr::axis), rank));
  NNRT_ASSIGN(slice.count, known_list(node, 1));
  if (slice.count.size() != rank) {
    return invalid("The shape has ", slice.count.size(), " entries for ", rank, " dimensions.");
  }
  const std::vector<int64_t> none{0};
  const std::span<const int64_t> offsets =
      attrs.has(Attr::offset) ? attrs.integers(Attr::offset) : std::span<const int64_t>(none);
  const size_t cropped = rank - size_t(axis);
  if (offsets.size() != 1 && offsets.size() != cropped) {
    return invalid("The offsets (", offsets.size(), ") are neither 1 nor ", cropped, ".");
  }
  for (size_t d = 0; d < rank; ++d) {
    const bool before_axis = d < size_t(axis);
    const size_t entry = offsets.size() == 1 || before_axis ? 0 : d - size_t(axis);
    const int64_t offset = before_axis ? 0 : offsets[entry];
    const int64_t length = slice.input[d];
    if (offset < 0) return invalid("Offset (", offset, ") is below 0.");
    if (slice.count[d] < 1) return invalid("Dimension (", slice.count[d], ") of the shape is below 1.");
    if (before_axis && length >= 0 && slice.count[d] != length) {
      return invalid("Dimension ", d, " of the shape (", slice.count[d], ") is before the axis and not ",
                     length, ".");
    }
    if (length >= 0 && (offset > length || slice.count[d] > length - offset)) {
      return invalid("The crop of ", slice.count[d], " from ", offset, " on reaches beyond dimension ", d,
                     " (", length, ").");
    }
    slice.begin[d] = offset;
  }
  slice.output = slice.count;
  return slice;
}

bool bit(int64_t mask, size_t i) { return (mask >> std::min<size_t>(i, 63) & 1) != 0; }

struct Masks {
  int64_t begin, end, ellipsis, new_axis, shrink;
};

struct Entry {
  int64_t begin, end, stride;
  bool from_start, to_boundary, shrink;
};

struct Range {
  int64_t begin = 0, step = 1, count = kUnknown;
};

// Python's rules. A stride beyond the length selects one element, whatever its size.
Result<Range> range_of(const Entry& entry, int64_t length) {
  if (entry.stride == 0) return invalid("A stride is 0.");
  if (length < 0) return Range{0, 1, entry.shrink ? 1 : kUnknown};
  const auto from_front = [length](int64_t index) { return index < 0 ? index + length : index; };
  if (entry.shrink) {
    if (entry.begin < -length || entry.begin >= length) {
      return invalid("Index (", entry.begin, ") is outside [", -length, ", ", length, ").");
    }
    return Range{from_front(entry.begin), 1, 1};
  }
  const int64_t step = std::clamp(entry.stride, -length - 1, length + 1);
  const int64_t low = step > 0 ? 0 : -1;
  const int64_t high = step > 0 ? length : length - 1;
  const int64_t begin =
      entry.from_start ? (step > 0 ? low : high) : std::clamp(from_front(entry.begin), low, high);
  const int64_t end =
      entry.to_boundary ? (step > 0 ? high : low) : std::clamp(from_front(entry.end), low, high);
  const int64_t span = step > 0 ? end - begin : begin - end;
  if (span <= 0) return Range{0, 1, 0};
  return Range{begin, step, (span - 1) / std::abs(step) + 1};
}

Result<Slice> by_strides(const NodeView& node) {
  Slice slice = whole(at_least_1d(node.shape(0)));
  const Attrs& attrs = node.attrs();
  NNRT_ASSIGN(const std::vector<int64_t> begin, known_list(node, 1));
  NNRT_ASSIGN(const std::vector<int64_t> end, known_list(node, 2));
  NNRT_ASSIGN(const std::vector<int64_t> strides, known_list(node, 3));
  if (begin.size() != end.size() || begin.size() != strides.size()) {
    return invalid("The lengths of begin (", begin.size(), "), end (", end.size(), ") and strides (",
                   strides.size(), ") differ.");
  }
  const Masks mask{attrs.integer(Attr::begin_mask), attrs.integer(Attr::end_mask),
                   attrs.integer(Attr::ellipsis_mask), attrs.integer(Attr::new_axis_mask),
                   attrs.integer(Attr::shrink_axis_mask)};
  if (std::popcount(uint64_t(mask.ellipsis)) > 1) {
    return invalid("The ellipsis mask (", mask.ellipsis, ") has more than one bit.");
  }
  size_t d = 0;
  for (size_t i = 0; i < begin.size(); ++i) {
    if (bit(mask.new_axis, i)) {
      slice.output.push_back(1);
      continue;
    }
    if (d == slice.input.size()) return invalid("There are more entries than dimensions (", d, ").");
    const bool ellipsis = bit(mask.ellipsis, i);
    const bool shrink = !ellipsis && bit(mask.shrink, i);
    const Entry entry{
        begin[i], end[i], strides[i], ellipsis || bit(mask.begin, i), ellipsis || bit(mask.end, i), shrink};
    NNRT_ASSIGN(const Range range, range_of(entry, slice.input[d]));
    slice.begin[d] = range.begin;
    slice.step[d] = range.step;
    slice.count[d] = range.count;
    if (!shrink) slice.output.push_back(range.count);
    ++d;
  }
  slice.output.insert(slice.output.end(), slice.count.begin() + std::ptrdiff_t(d), slice.count.end());
  return slice;
}

}  // namespace

Result<Slice> slice(const NodeView& node) {
  if (node.op() == Op::strided_slice) return by_strides(node);
  return node.op() == Op::crop ? by_shape(node) : by_size(node);
}

}  // namespace nnrt::data_movement
