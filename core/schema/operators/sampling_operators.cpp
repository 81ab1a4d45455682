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

ParamRow floats_param(int type, std::string_view type_name, Attr attr, Count count = kList) {
  return {type, type_name, attr, DType::f32, count, false, {}, {}};
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
          .since = 12,
          .quantized = true,
          .inputs = {quantized_input("input"), optional(value_input("size"))},
          .params = {choice_param(1020, "OH_NN_RESIZE_MODE", Attr::mode, DType::i8, 3),
                     choice_param(1021, "OH_NN_RESIZE_COORDINATE_MODE", Attr::coordinate_mode, DType::i8, 7),
                     choice_param(1022, "OH_NN_RESIZE_NEAREST_MODE", Attr::nearest_mode, DType::i8, 4),
                     real_param(1023, "OH_NN_RESIZE_CUBIC_COEFFICIENT", Attr::cubic_coefficient, -0.75),
                     flag_param(1024, "OH_NN_RESIZE_EXCLUDE_OUTSIDE", Attr::exclude_outside),
                     flag_param(1025, "OH_NN_RESIZE_ANTIALIAS", Attr::antialias),
                     floats_param(1026, "OH_NN_RESIZE_SCALES", Attr::scales),
                     floats_param(1027, "OH_NN_RESIZE_REGION", Attr::region),
                     real_param(1028, "OH_NN_RESIZE_EXTRAPOLATION_VALUE", Attr::value, 0)},
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
          .since = 12,
          .layout_dependent = true,
          .inputs = {{.name = "input", .dtypes = kFloat}, {.name = "grid", .same_as = 0}},
          .params = {choice_param(1029, "OH_NN_GRID_SAMPLE_MODE", Attr::mode, DType::i8, 3),
                     choice_param(1030, "OH_NN_GRID_SAMPLE_PADDING_MODE", Attr::padding_mode, DType::i8, 3),
                     flag_param(1031, "OH_NN_GRID_SAMPLE_ALIGN_CORNERS", Attr::align_corners)},
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
ParamRow factors_param(int type, std::string_view type_name, Attr attr) {
  ParamRow row = floats_param(type, type_name, attr, {1, 2});
  row.default_value = {1};
  return row;
}

OpSchema pool_regions(Op op, std::vector<ParamRow> params, InferFunction infer) {
  return {.op = op,
          .since = 12,
          .quantized = true,
          .layout_dependent = true,
          .inputs = {quantized_input("input"),
                     {.name = "regions", .dtypes = kFloat},
                     {.name = "pictures", .dtypes = kIndex}},
          .params = std::move(params),
          .outputs = {{.name = "output"}},
          .infer = infer,
          .check = check_region_dtype};
}

OpSchema roi_align() {
  ParamRow points = integers_param(1050, "OH_NN_ROI_ALIGN_SAMPLING_RATIO", Attr::sampling_ratio, {1, 2}, {0});
  return pool_regions(Op::roi_align,
                      {required(integer_param(1048, "OH_NN_ROI_ALIGN_NEW_HEIGHT", Attr::new_height)),
                       required(integer_param(1049, "OH_NN_ROI_ALIGN_NEW_WIDTH", Attr::new_width)), points,
                       factors_param(1051, "OH_NN_ROI_ALIGN_SPATIAL_SCALE", Attr::spatial_scale),
                       choice_param(1052, "OH_NN_ROI_ALIGN_MODE", Attr::mode, DType::i8, 2),
                       flag_param(1053, "OH_NN_ROI_ALIGN_HALF_PIXEL", Attr::half_pixel, true),
                       factors_param(1086, "OH_NN_ROI_ALIGN_STRIDES", Attr::stride),
                       flag_param(1087, "OH_NN_ROI_ALIGN_STRICT", Attr::strict)},
                      roi_align_shape);
}

OpSchema roi_pooling() {
  return pool_regions(Op::roi_pooling,
                      {required(integer_param(1090, "OH_NN_ROI_POOLING_NEW_HEIGHT", Attr::new_height)),
                       required(integer_param(1091, "OH_NN_ROI_POOLING_NEW_WIDTH", Attr::new_width)),
                       factors_param(1092, "OH_NN_ROI_POOLING_STRIDES", Attr::stride),
                       flag_param(1115, "OH_NN_ROI_POOLING_STRICT", Attr::strict, true)},
                      regions_shape);
}

Result<Shapes> col2im_shape(const NodeView& node) {
  NNRT_TRY(require_rank(node, 0, 3, 3));
  NNRT_TRY(require_rank(node, 1, 1, 1));
  if (!node.integers(1)) return unknown_shapes(node);
  NNRT_ASSIGN(const std::vector<SpatialAxis> axes, picture_axes(node));
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
          .since = 12,
          .inputs = {{.name = "input", .dtypes = kFloat}, value_input("size")},
          .params = {required(integers_param(1054, "OH_NN_COL2IM_BLOCK_SIZE", Attr::block, kList)),
                     integers_param(1055, "OH_NN_COL2IM_STRIDES", Attr::stride, kList),
                     integers_param(1056, "OH_NN_COL2IM_PAD", Attr::pad, kList),
                     integers_param(1057, "OH_NN_COL2IM_DILATION", Attr::dilation, kList)},
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
          .since = 12,
          .quantized = true,
          .layout_dependent = true,
          .inputs = {quantized_input("input")},
          .params = {required(params.kernel), params.stride, params.pad, params.dilation, params.round_mode},
          .outputs = {{.name = "output"}},
          .infer = pool_nd_shape};
}

OpSchema avg_pool_nd() {
  OpSchema row = pool(Op::avg_pool_nd,
                      {integers_param(1037, "OH_NN_AVG_POOL_ND_KERNEL_SIZE", Attr::kernel, {1, 3}),
                       integers_param(1038, "OH_NN_AVG_POOL_ND_STRIDE", Attr::stride, {1, 3}),
                       integers_param(1039, "OH_NN_AVG_POOL_ND_PAD", Attr::pad, {2, 6}),
                       integers_param(1040, "OH_NN_AVG_POOL_ND_DILATION", Attr::dilation, {1, 3}),
                       choice_param(1041, "OH_NN_AVG_POOL_ND_ROUND_MODE", Attr::round_mode, DType::i8, 2)});
  row.params.push_back(flag_param(1042, "OH_NN_AVG_POOL_ND_COUNT_PADDING", Attr::count_padding));
  return row;
}

OpSchema max_pool_nd() {
  return pool(Op::max_pool_nd,
              {integers_param(1043, "OH_NN_MAX_POOL_ND_KERNEL_SIZE", Attr::kernel, {1, 3}),
               integers_param(1044, "OH_NN_MAX_POOL_ND_STRIDE", Attr::stride, {1, 3}),
               integers_param(1045, "OH_NN_MAX_POOL_ND_PAD", Attr::pad, {2, 6}),
               integers_param(1046, "OH_NN_MAX_POOL_ND_DILATION", Attr::dilation, {1, 3}),
               choice_param(1047, "OH_NN_MAX_POOL_ND_ROUND_MODE", Attr::round_mode, DType::i8, 2)});
}

}  // namespace

std::vector<OpSchema> sampling_rows() {
  return {resize(), grid_sample(), roi_align(), roi_pooling(), col2im(), avg_pool_nd(), max_pool_nd()};
}

}  // namespace nnrt
