// Pooling and resizing.
#include "core/base/text.h"
#include "mindspore/lower/spatial_fields.h"

#include <cmath>

namespace nnrt::mindspore {
namespace {

// With round mode CEIL OH_NN drops a last kernel that starts in the padding, MindSpore does not.
void check_ceil(Lowering& op, const Value& data, const Integers& kernel, const Integers& stride) {
  Integers pad = op.primitive.integers("pad");
  if (op.primitive.integer("round_mode") != 1 || pad.size() != 4) return;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t in = data.dim(d + 1), padded = in + pad[2 * d] + pad[2 * d + 1];
    if (in == kUnknown || stride[d] < 1) continue;
    const int64_t out = (padded - kernel[d] + stride[d] - 1) / stride[d] + 1;
    if ((out - 1) * stride[d] >= in + pad[2 * d])
      op.refuse("The last kernel of a pool has no cell of the input.");
  }
}

void lower_pool(Lowering& op) {
  const Value data = op.in(0);
  const int64_t activation = op.primitive.integer("activation_type");
  if (op.primitive.flag("global")) return op.emit_activated(op.op(), {data}, {{Attr::global, 1}}, activation);
  const Integers kernel = pair_field(op, "kernel_size", 1), stride = pair_field(op, "strides", 1);
  Settings settings{{Attr::kernel, kernel}, {Attr::stride, stride}};
  add_padding(op, settings, "pad");
  check_ceil(op, data, kernel, stride);
  settings.push_back({Attr::round_mode, op.primitive.integer("round_mode")});
  op.emit_activated(op.op(), {data}, std::move(settings), activation);
}

// The size: of one element it is a zoom, of two height and width, of four all; floats are factors.
Integers resized(Lowering& op, const Value& data) {
  const int64_t height = data.dim(1), width = data.dim(2);
  if (!op.has(1)) return {op.primitive.integer("new_height"), op.primitive.integer("new_width")};
  const Value size = op.in(1);
  if (is_float(size.dtype)) {
    const std::optional<Reals> factors = op.reals(1);
    if (factors && factors->size() == 4 && height > 0 && width > 0)
      return {std::llround(float(height) * (*factors)[1]), std::llround(float(width) * (*factors)[2])};
    op.refuse("The factors are not 4 constant numbers, or the size of the image is not known.");
  }
  const Integers given = op.constant_integers(1, "new sizes");
  if (given.size() == 4) return {given[1], given[2]};
  if (given.size() == 2) return given;
  if (given.size() == 1 && height > 0 && width > 0)
    return {height + (height - 1) * (given[0] - 1), width + (width - 1) * (given[0] - 1)};
  op.refuse("The new size has ", given.size(), " numbers.");
}

// Nearest and cubic. The default of nearest rounds down, or half up where corners are aligned.
void lower_general_resize(Lowering& op, const Value& data, const Integers& size, ResizeMethod method) {
  constexpr int64_t kCoordinates[] = {4, 3, 0};  // asymmetric, align corners, half pixel
  constexpr int64_t kRoundings[] = {2, 0, 1, 2, 3};
  const int64_t mode = op.primitive.integer("coordinate_transform_mode");
  const int64_t rounding = op.primitive.integer("nearest_mode");
  if (mode < 0 || mode > 2 || rounding < 0 || rounding > 4)
    op.refuse("Coordinate mode (", mode, ") or nearest mode (", rounding, ") is unknown.");
  const int64_t batch = data.dim(0), channels = data.dim(3);
  if (batch < 1 || channels < 1) op.refuse("The shape of the image is not known.");
  const bool is_nearest = method == ResizeMethod::nearest;
  const bool rounds_half_up = rounding == 0 && mode == int64_t(CoordinateMode::align_corners);
  Settings settings{{Attr::mode, is_nearest ? 0 : 2}, {Attr::coordinate_mode, kCoordinates[mode]}};
  if (is_nearest)
    settings.push_back({Attr::nearest_mode, rounds_half_up ? int64_t{1} : kRoundings[rounding]});
  if (!is_nearest) {
    settings.push_back({Attr::cubic_coefficient, op.primitive.real("cubic_coeff")});
    settings.push_back({Attr::exclude_outside, op.primitive.integer("exclude_outside")});
  }
  op.emit_results(Op::resize, {data, op.graph.integers({batch, size[0], size[1], channels})}, settings);
}

void lower_resize(Lowering& op) {
  const Value data = op.in(0);
  if (data.rank() != 4) op.fail(invalid("The image has ", data.rank(), " dimensions, not 4."));
  const Integers size = resized(op, data);
  const auto method = ResizeMethod(op.primitive.integer("method"));
  if (method != ResizeMethod::linear) return lower_general_resize(op, data, size, method);
  op.emit_results(Op::resize_bilinear, {data},
                  {{Attr::new_height, size[0]},
                   {Attr::new_width, size[1]},
                   {Attr::preserve_aspect_ratio, op.primitive.integer("preserve_aspect_ratio")},
                   {Attr::coordinate_mode, op.primitive.integer("coordinate_transform_mode")},
                   {Attr::exclude_outside, op.primitive.integer("exclude_outside")}});
}

}  // namespace

std::span<const LoweringRow> pooling_lowerings() {
  static constexpr LoweringRow kRows[] = {
      {PrimitiveType::avg_pool_fusion, 1, 1, lower_pool, Op::avg_pool},
      {PrimitiveType::max_pool_fusion, 1, 1, lower_pool, Op::max_pool},
      {PrimitiveType::resize, 1, 2, lower_resize},
  };
  return kRows;
}

}  // namespace nnrt::mindspore
