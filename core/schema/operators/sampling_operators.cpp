// Resampling: resizes, grids, regions; and pooling over any number of dimensions.
#include "core/schema/geometry.h"
#include "core/schema/resize_weights.h"
#include "core/schema/rules.h"
#include "core/schema/spatial_axes.h"

#include <cmath>

namespace nnrt {
namespace {

constexpr Count kList{1, kManyElements};
constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();

ParamRow floats_param(Param type, Attr attr, Count count = kList) {
  return {type, attr, DType::f32, count, false, {}, {}};
}

Status check_factor_count(const Attrs& attrs, Attr attr, std::string_view what, size_t wanted) {
  if (!attrs.has(attr)) return {};
  const std::span<const double> values = attrs.floats(attr);
  if (values.size() == wanted) return {};
  return invalid("The number of ", what, " (", values.size(), ") is not ", wanted, ".");
}

Status check_resize(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  const size_t rank = node.shape(0).size();
  if (rank == 0) return invalid("The input is a scalar.");
  NNRT_TRY(check_factor_count(attrs, Attr::scales, "scales", rank));
  NNRT_TRY(check_factor_count(attrs, Attr::region, "numbers of the region", 2 * rank));
  if (attrs.has(Attr::scales)) {
    for (const double scale : attrs.floats(Attr::scales)) {
      if (!(scale > 0) || std::isinf(scale))
        return invalid("Scale (", scale, ") is not positive and finite.");
    }
  }
  if (attrs.integer(Attr::coordinate_mode) == int64_t(ResizeCoordinates::region) &&
      !attrs.has(Attr::region)) {
    return invalid("There are no regions to crop.");
  }
  return {};
}

// Without a size, the scales give it.
Result<Shapes> scaled_shape(const NodeView& node) {
  if (!node.attrs().has(Attr::scales)) return invalid("There is neither a size nor scales.");
  Shape shape = node.shape(0);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == kUnknown) continue;
    const double scale = node.attrs().floats(Attr::scales)[d];
    const int64_t length = scaled_length(shape[d], scale);
    if (length < 1 || length > kLargest)
      return invalid("The new length (", length, ") of dimension ", d, ", ", shape[d], " times ", scale,
                     ", is outside [1, ", kLargest, "].");
    shape[d] = length;
  }
  return Shapes{shape};
}

Result<Shapes> resize_shape(const NodeView& node) {
  NNRT_TRY(check_resize(node));
  if (node.input_count() == 1) return scaled_shape(node);
  NNRT_TRY(require_vector(node, 1, int64_t(node.shape(0).size()), "the rank of the input"));
  NNRT_ASSIGN(const std::optional<Shape> size, spelled_shape(node, 1, 0));
  return size ? Shapes{*size} : unknown_shapes(node);
}

OpSchema resize() {
  return {.op = Op::resize,
          .quantized = true,
          .inputs = {quantized_input("input"), optional(value_input("size"))},
          .params = {choice_param(Param::resize_mode, Attr::mode, DType::i8, 3),
                     choice_param(Param::resize_coordinate_mode, Attr::coordinate_mode, DType::i8, 7),
                     choice_param(Param::resize_nearest_mode, Attr::nearest_mode, DType::i8, 4),
                     real_param(Param::resize_cubic_coefficient, Attr::cubic_coefficient, -0.75),
                     flag_param(Param::resize_exclude_outside, Attr::exclude_outside),
                     flag_param(Param::resize_antialias, Attr::antialias),
                     floats_param(Param::resize_scales, Attr::scales),
                     floats_param(Param::resize_region, Attr::region),
                     real_param(Param::resize_extrapolation_value, Attr::value, 0)},
          .outputs = {{.name = "output"}},
          .infer = resize_shape};
}

Result<Shapes> grid_sample_shape(const NodeView& node) {
  NNRT_TRY(require_rank(node, 0, 4, 5));
  const Shape& input = node.shape(0);
  NNRT_TRY(require_rank(node, 1, input.size(), input.size()));
  const Shape& grid = node.shape(1);
  NNRT_TRY(require_dimension(node, 1, 0, input[0], "the batch"));
  NNRT_TRY(require_dimension(node, 1, grid.size() - 1, int64_t(input.size()) - 2, "one number a dimension"));
  Shape output = input;
  size_t from = 1;
  for (const size_t d : spatial_dimensions(node)) output[d] = grid[from++];
  return Shapes{output};
}

OpSchema grid_sample() {
  return {.op = Op::grid_sample,
          .layout_dependent = true,
          .inputs = {{.name = "input", .dtypes = kFloat}, {.name = "grid", .same_as = 0}},
          .params = {choice_param(Param::grid_sample_mode, Attr::mode, DType::i8, 3),
                     choice_param(Param::grid_sample_padding_mode, Attr::padding_mode, DType::i8, 3),
                     flag_param(Param::grid_sample_align_corners, Attr::align_corners)},
          .outputs = {{.name = "output"}},
          .infer = grid_sample_shape};
}

// Checks shared by ROI_ALIGN and ROI_POOLING; the result has one image of the new size per region.
Result<Shapes> regions_shape(const NodeView& node) {
  NNRT_TRY(require_rank(node, 0, 4, 4));
  NNRT_TRY(require_rank(node, 1, 2, 2));
  NNRT_TRY(require_dimension(node, 1, 1, 4, "the four numbers of a region"));
  NNRT_TRY(require_vector(node, 2, node.shape(1)[0], "the number of regions"));
  const Attrs& attrs = node.attrs();
  const int64_t height = attrs.integer(Attr::new_height), width = attrs.integer(Attr::new_width);
  for (const int64_t size : {height, width}) {
    if (size < 1 || size > kLargest)
      return invalid("The new size (", size, ") is outside [1, ", kLargest, "].");
  }
  for (const double stride : attrs.floats(Attr::stride)) {
    if (!(stride > 0) || std::isinf(stride))
      return invalid("Stride (", stride, ") is not positive and finite.");
  }
  const Layout layout = layout_of(node.format());
  Shape output = node.shape(0);
  output[layout.n] = node.shape(1)[0];
  output[layout.h] = height;
  output[layout.w] = width;
  return Shapes{output};
}

Result<Shapes> roi_align_shape(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  for (const int64_t points : attrs.integers(Attr::sampling_ratio)) {
    if (points < 0 || points > kLargest)
      return invalid("The sampling ratio (", points, ") is outside [0, ", kLargest, "].");
  }
  for (const double scale : attrs.floats(Attr::spatial_scale)) {
    if (!(scale > 0) || std::isinf(scale)) return invalid("Scale (", scale, ") is not positive and finite.");
  }
  return regions_shape(node);
}

// Regions are never quantized.
Status check_region_dtype(const NodeView& node) {
  const DType wanted = node.dtype() == DType::i8 ? DType::f32 : node.dtype();
  if (node.dtype(1) == wanted) return {};
  return invalid("Dtype of the regions (", name(node.dtype(1)), ") is not ", name(wanted), ".");
}

// One number, or one each for height and width; 1 by default.
ParamRow factors_param(Param type, Attr attr) {
  ParamRow row = floats_param(type, attr, {1, 2});
  row.default_value = {1};
  return row;
}

OpSchema pool_regions(Op op, std::vector<ParamRow> params, InferFunction infer) {
  return {.op = op,
          .quantized = true,
          .layout_dependent = true,
          .inputs = {quantized_input("input"),
                     {.name = "regions", .dtypes = kFloat},
                     {.name = "batchIndices", .dtypes = kIndex}},
          .params = std::move(params),
          .outputs = {{.name = "output"}},
          .infer = infer,
          .check = check_region_dtype};
}

OpSchema roi_align() {
  ParamRow points = integers_param(Param::roi_align_sampling_ratio, Attr::sampling_ratio, {1, 2}, {0});
  return pool_regions(Op::roi_align,
                      {required(integer_param(Param::roi_align_new_height, Attr::new_height)),
                       required(integer_param(Param::roi_align_new_width, Attr::new_width)), points,
                       factors_param(Param::roi_align_spatial_scale, Attr::spatial_scale),
                       choice_param(Param::roi_align_mode, Attr::mode, DType::i8, 2),
                       flag_param(Param::roi_align_half_pixel, Attr::half_pixel, true),
                       factors_param(Param::roi_align_strides, Attr::stride),
                       flag_param(Param::roi_align_strict, Attr::strict)},
                      roi_align_shape);
}

OpSchema roi_pooling() {
  return pool_regions(Op::roi_pooling,
                      {required(integer_param(Param::roi_pooling_new_height, Attr::new_height)),
                       required(integer_param(Param::roi_pooling_new_width, Attr::new_width)),
                       factors_param(Param::roi_pooling_strides, Attr::stride),
                       flag_param(Param::roi_pooling_strict, Attr::strict, true)},
                      regions_shape);
}

Result<Shapes> col2im_shape(const NodeView& node) {
  NNRT_TRY(require_rank(node, 0, 3, 3));
  NNRT_TRY(require_rank(node, 1, 1, 1));
  if (!node.integers(1)) return unknown_shapes(node);
  NNRT_ASSIGN(const std::vector<SpatialAxis> axes, image_axes(node));
  int64_t area = 1, blocks = 1;
  for (const SpatialAxis& axis : axes) {
    if (area > kLargest / axis.kernel || blocks > kLargest / axis.out) {
      return invalid("The blocks have more than ", kLargest, " elements.");
    }
    area *= axis.kernel;
    blocks *= axis.out;
  }
  NNRT_TRY(require_dimension(node, 0, 2, blocks, "the number of blocks"));
  const int64_t rows = node.shape(0)[1];
  if (rows >= 0 && rows % area != 0) {
    return invalid("Dimension 1 of the input (", rows, ") is not divisible by the elements of a block (",
                   area, ").");
  }
  Shape output{node.shape(0)[0], rows < 0 ? kUnknown : rows / area};
  for (const SpatialAxis& axis : axes) output.push_back(axis.in);
  return Shapes{output};
}

OpSchema col2im() {
  return {.op = Op::col2im,
          .inputs = {{.name = "input", .dtypes = kFloat}, value_input("size")},
          .params = {required(integers_param(Param::col2im_block_size, Attr::block, kList)),
                     integers_param(Param::col2im_strides, Attr::stride, kList),
                     integers_param(Param::col2im_pad, Attr::pad, kList),
                     integers_param(Param::col2im_dilation, Attr::dilation, kList)},
          .outputs = {{.name = "output"}},
          .infer = col2im_shape};
}

Result<Shapes> pool_nd_shape(const NodeView& node) {
  NNRT_TRY(require_rank(node, 0, 3, 5));
  NNRT_ASSIGN(const std::vector<SpatialAxis> axes, spatial_axes(node));
  Shape output = node.shape(0);
  for (const SpatialAxis& axis : axes) output[axis.dimension] = axis.out;
  return Shapes{output};
}

struct PoolParams {
  ParamRow kernel, stride, pad, dilation, round_mode;
};

OpSchema pool(Op op, PoolParams params) {
  return {.op = op,
          .quantized = true,
          .layout_dependent = true,
          .inputs = {quantized_input("input")},
          .params = {required(params.kernel), params.stride, params.pad, params.dilation, params.round_mode},
          .outputs = {{.name = "output"}},
          .infer = pool_nd_shape};
}

OpSchema avg_pool_nd() {
  OpSchema row =
      pool(Op::avg_pool_nd, {integers_param(Param::avg_pool_nd_kernel_size, Attr::kernel, {1, 3}),
                             integers_param(Param::avg_pool_nd_stride, Attr::stride, {1, 3}),
                             integers_param(Param::avg_pool_nd_pad, Attr::pad, {2, 6}),
                             integers_param(Param::avg_pool_nd_dilation, Attr::dilation, {1, 3}),
                             choice_param(Param::avg_pool_nd_round_mode, Attr::round_mode, DType::i8, 2)});
  row.params.push_back(flag_param(Param::avg_pool_nd_count_padding, Attr::count_padding));
  return row;
}

OpSchema max_pool_nd() {
  return pool(Op::max_pool_nd, {integers_param(Param::max_pool_nd_kernel_size, Attr::kernel, {1, 3}),
                                integers_param(Param::max_pool_nd_stride, Attr::stride, {1, 3}),
                                integers_param(Param::max_pool_nd_pad, Attr::pad, {2, 6}),
                                integers_param(Param::max_pool_nd_dilation, Attr::dilation, {1, 3}),
                                choice_param(Param::max_pool_nd_round_mode, Attr::round_mode, DType::i8, 2)});
}

}  // namespace

std::vector<OpSchema> sampling_rows() {
  return {resize(), grid_sample(), roi_align(), roi_pooling(), col2im(), avg_pool_nd(), max_pool_nd()};
}

}  // namespace nnrt
