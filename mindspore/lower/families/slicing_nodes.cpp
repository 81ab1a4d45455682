// Slices.
#include "core/base/text.h"
#include "core/writer/slice_ranges.h"
#include "mindspore/lower/node_lowering.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace nnrt::mindspore {
namespace {

// Negative begins count from the end.
void lower_slice(Lowering& op) {
  const Value x = op.in(0);
  std::optional<Integers> begin = op.integers(1);
  const std::optional<Integers> size = op.integers(2);
  Integers axes = op.primitive.integers("axes");
  Settings settings;
  if (!begin || !size) {
    if (!axes.empty()) settings.push_back({Attr::axes, axes});
    return op.emit_result({x, op.in(1), op.in(2)}, settings);
  }
  if (axes.empty())
    for (size_t i = 0; i < begin->size(); ++i) axes.push_back(int64_t(i));
  if (axes.size() != begin->size() || axes.size() != size->size() || axes.size() > x.rank())
    op.fail(invalid("Axes, begin and size have ", axes.size(), ", ", begin->size(), " and ", size->size(),
                    " numbers for ", x.rank(), " dimensions."));
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = axes[i] < 0 ? axes[i] + int64_t(x.rank()) : axes[i];
    if ((*begin)[i] >= 0 || axis < 0) continue;
    if (x.dim(size_t(axis)) == kUnknown) op.refuse("A begin counts from the end of an unknown length.");
    (*begin)[i] += x.dim(size_t(axis));
  }
  Integers all(x.rank());
  std::iota(all.begin(), all.end(), 0);
  if (axes != all) settings.push_back({Attr::axes, axes});
  op.emit_result({x, op.graph.integers(*begin), op.graph.integers(*size)}, settings);
}

// The entries belong to the axes of a fourth input.
SliceRanges at_axes(Lowering& op, const SliceRanges& given, const Integers& axes, size_t rank) {
  SliceRanges all;
  const size_t count = given.begin.size();
  List<size_t> entry(rank, count);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = axes[i] < 0 ? axes[i] + int64_t(rank) : axes[i];
    if (axes.size() != count || axis < 0 || axis >= int64_t(rank))
      op.fail(invalid("Axis (", axes[i], ") of a slice is out of range, or has no range."));
    entry[size_t(axis)] = i;
  }
  for (size_t d = 0; d < rank; ++d) {
    if (entry[d] == count) {
      all.add_all();
    } else {
      all.add(given.begin[entry[d]], given.end[entry[d]], given.strides[entry[d]]);
    }
  }
  return all;
}

// Inputs: data, begin, end and strides; axes before the strides in files from ONNX; strides may be missing.
void lower_strided_slice(Lowering& op) {
  const Value x = op.in(0);
  const std::optional<Integers> begin = op.integers(1), end = op.integers(2);
  const bool has_axes = op.input_count() == 5;
  const size_t last = has_axes ? 4 : 3;
  const std::optional<Integers> strides = op.integers(last);
  SliceRanges ranges{{},
                     {},
                     {},
                     op.primitive.integer("begin_mask"),
                     op.primitive.integer("end_mask"),
                     op.primitive.integer("new_axis_mask"),
                     op.primitive.integer("shrink_axis_mask")};
  const int64_t ellipsis = op.primitive.integer("ellipsis_mask");
  if (!begin || !end || (op.has(last) && !strides)) {
    if (has_axes || ellipsis != 0 || !op.has(3)) op.refuse("The ranges of a slice are not constant.");
    return op.emit_result(op.inputs(), ranges.masks());
  }
  ranges.begin = *begin;
  ranges.end = *end;
  ranges.strides = strides.value_or(Integers(begin->size(), 1));
  const size_t count = begin->size();
  if (ranges.end.size() != count || ranges.strides.size() != count || count > 32)
    op.fail(invalid("Begin, end and strides of a slice have ", count, ", ", ranges.end.size(), " and ",
                    ranges.strides.size(), " numbers."));
  if (has_axes) ranges = at_axes(op, ranges, op.constant_integers(3, "axes"), x.rank());
  if (std::popcount(uint64_t(ellipsis)) > 1) op.fail(invalid("A slice has several ellipses."));
  if (ellipsis != 0) ranges = ranges.without_ellipsis(ellipsis, x.rank());
  op.emit_result(
      {x, op.graph.integers(ranges.begin), op.graph.integers(ranges.end), op.graph.integers(ranges.strides)},
      ranges.masks());
}

// Where a crop begins in each dimension: offsets count from the axis on, one for all or one each; what has
// none begins at 0.
Integers crop_start(Lowering& op, size_t rank) {
  const Integers offsets = op.primitive.integers("offsets");
  int64_t axis = op.primitive.integer("axis");
  if (axis < 0) axis += int64_t(rank);
  Integers start(rank, 0);
  if (axis < 0 || axis >= int64_t(rank))
    op.fail(
        invalid("Axis (", op.primitive.integer("axis"), ") is outside [", -int64_t(rank), ", ", rank, ")."));
  const size_t cropped = rank - size_t(axis);
  if (offsets.size() > cropped && offsets.size() > 1)
    op.fail(invalid("There are ", offsets.size(), " offsets for ", cropped, " dimensions."));
  for (size_t i = 0; i < cropped; ++i)
    start[size_t(axis) + i] = offsets.size() == 1 ? offsets[0] : i < offsets.size() ? offsets[i] : 0;
  return start;
}

// The reference gives all sizes, also of dimensions before the axis.
void lower_crop(Lowering& op) {
  const Value x = op.in(0), reference = op.in(1);
  if (!is_static(reference.shape)) op.refuse("The shape of the reference is not known.");
  // Graphs made through OH_NN have the sizes themselves.
  const bool has_sizes =
      x.rank() != 1 && reference.shape == Shape{int64_t(x.rank())} && !is_float(reference.dtype);
  Settings settings;
  if (op.is_from_builders()) {
    settings = {{Attr::axis, op.primitive.integer("axis")}};
    if (Integers offsets = op.primitive.integers("offsets"); !offsets.empty())
      settings.push_back({Attr::offset, std::move(offsets)});
  } else {
    settings = {{Attr::offset, crop_start(op, x.rank())}};
  }
  op.emit_result({x, has_sizes ? reference : op.graph.integers(reference.shape)}, settings);
}

}  // namespace

std::span<const LoweringRow> slicing_lowerings() {
  static constexpr LoweringRow kRows[] = {
      {PrimitiveType::crop, 2, 2, lower_crop, Op::crop},
      {PrimitiveType::slice_fusion, 3, 3, lower_slice, Op::slice},
      {PrimitiveType::strided_slice, 3, 5, lower_strided_slice, Op::strided_slice},
  };
  return kRows;
}

}  // namespace nnrt::mindspore
