// Pooling and resizing of height and width.
#include "core/schema/geometry.h"
#include "core/schema/rules.h"

namespace nnrt {
namespace {

Result<Shapes> pool_shape(const NodeView& node) {
  NNRT_ASSIGN(const SpatialParams spatial, spatial_params(node));
  const Layout layout = layout_of(node.format());
  Shape output = node.shape(0);
  output[layout.h] = spatial.out[0];
  output[layout.w] = spatial.out[1];
  return Shapes{output};
}

struct PoolParams {
  ParamRow kernel, stride, pad_mode, pad, activation, round_mode, global;
};

OpSchema pool(Op op, PoolParams params) {
  return {.op = op,
          .quantized = true,
          .layout_dependent = true,
          .inputs = {quantized_input("input")},
          .params = {params.kernel, params.stride, params.pad_mode, params.pad, params.activation,
                     params.round_mode, params.global},
          .outputs = {{.name = "output"}},
          .infer = pool_shape};
}

OpSchema avg_pool() {
  return pool(Op::avg_pool, {integers_param(Param::avg_pool_kernel_size, Attr::kernel, {2, 2}),
                             integers_param(Param::avg_pool_stride, Attr::stride, {2, 2}, {1, 1}),
                             pad_mode_param(Param::avg_pool_pad_mode), pad_param(Param::avg_pool_pad),
                             activation_param(Param::avg_pool_activation_type),
                             choice_param(Param::avg_pool_round_mode, Attr::round_mode, DType::i32, 2),
                             flag_param(Param::avg_pool_global, Attr::global)});
}

OpSchema max_pool() {
  return pool(Op::max_pool, {integers_param(Param::max_pool_kernel_size, Attr::kernel, {2, 2}),
                             integers_param(Param::max_pool_stride, Attr::stride, {2, 2}, {1, 1}),
                             pad_mode_param(Param::max_pool_pad_mode), pad_param(Param::max_pool_pad),
                             activation_param(Param::max_pool_activation_type),
                             choice_param(Param::max_pool_round_mode, Attr::round_mode, DType::i32, 2),
                             flag_param(Param::max_pool_global, Attr::global)});
}

Result<Shapes> resize_shape(const NodeView& node) {
  NNRT_TRY(require_rank(node, 0, 4, 4));
  const Attrs& attrs = node.attrs();
  const Layout layout = layout_of(node.format());
  const int64_t height = attrs.integer(Attr::new_height);
  const int64_t width = attrs.integer(Attr::new_width);
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
  for (const int64_t size : {height, width}) {
    if (size < 1 || size > kLargest)
      return invalid("The new size (", size, ") is outside [1, ", kLargest, "].");
  }
  const int64_t outside = attrs.integer(Attr::exclude_outside);
  if (outside != 0 && outside != 1) return invalid("Exclude outside (", outside, ") is neither 0 nor 1.");
  Shape output = node.shape(0);
  const int64_t old_height = std::exchange(output[layout.h], height);
  const int64_t old_width = std::exchange(output[layout.w], width);
  const bool known = old_height >= 0 && old_width >= 0;
  if (attrs.flag(Attr::preserve_aspect_ratio) && known && height * old_width != width * old_height) {
    return unsupported("The aspect ratio of ", height, " by ", width, " is not that of ", old_height, " by ",
                       old_width, ".");
  }
  return Shapes{output};
}

OpSchema resize_bilinear() {
  return {.op = Op::resize_bilinear,
          .quantized = true,
          .layout_dependent = true,
          .inputs = {quantized_input("input")},
          .params = {required(integer_param(Param::resize_bilinear_new_height, Attr::new_height)),
                     required(integer_param(Param::resize_bilinear_new_width, Attr::new_width)),
                     flag_param(Param::resize_bilinear_preserve_aspect_ratio, Attr::preserve_aspect_ratio),
                     choice_param(Param::resize_bilinear_coordinate_transform_mode, Attr::coordinate_mode,
                                  {DType::i8, DType::i32}, 3),
                     integer_param(Param::resize_bilinear_exclude_outside, Attr::exclude_outside, 0)},
          .outputs = {{.name = "output"}},
          .infer = resize_shape};
}

}  // namespace

std::vector<OpSchema> pooling_rows() { return {avg_pool(), max_pool(), resize_bilinear()}; }

}  // namespace nnrt
