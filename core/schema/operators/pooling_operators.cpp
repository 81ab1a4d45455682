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
                     since(12, params.round_mode), since(12, params.global)},
          .outputs = {{.name = "output"}},
          .infer = pool_shape};
}

OpSchema avg_pool() {
  return pool(Op::avg_pool, {integers_param(2, "OH_NN_AVG_POOL_KERNEL_SIZE", Attr::kernel, {2, 2}),
                             integers_param(3, "OH_NN_AVG_POOL_STRIDE", Attr::stride, {2, 2}, {1, 1}),
                             pad_mode_param(4, "OH_NN_AVG_POOL_PAD_MODE"), pad_param(5, "OH_NN_AVG_POOL_PAD"),
                             activation_param(6, "OH_NN_AVG_POOL_ACTIVATION_TYPE"),
                             choice_param(109, "OH_NN_AVG_POOL_ROUND_MODE", Attr::round_mode, DType::i32, 2),
                             flag_param(110, "OH_NN_AVG_POOL_GLOBAL", Attr::global)});
}

OpSchema max_pool() {
  return pool(Op::max_pool,
              {integers_param(36, "OH_NN_MAX_POOL_KERNEL_SIZE", Attr::kernel, {2, 2}),
               integers_param(37, "OH_NN_MAX_POOL_STRIDE", Attr::stride, {2, 2}, {1, 1}),
               pad_mode_param(38, "OH_NN_MAX_POOL_PAD_MODE"), pad_param(39, "OH_NN_MAX_POOL_PAD"),
               activation_param(40, "OH_NN_MAX_POOL_ACTIVATION_TYPE"),
               choice_param(114, "OH_NN_MAX_POOL_ROUND_MODE", Attr::round_mode, DType::i32, 2),
               flag_param(115, "OH_NN_MAX_POOL_GLOBAL", Attr::global)});
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
  return {
      .op = Op::resize_bilinear,
      .quantized = true,
      .layout_dependent = true,
      .inputs = {quantized_input("input")},
      .params = {required(integer_param(61, "OH_NN_RESIZE_BILINEAR_NEW_HEIGHT", Attr::new_height)),
                 required(integer_param(62, "OH_NN_RESIZE_BILINEAR_NEW_WIDTH", Attr::new_width)),
                 flag_param(63, "OH_NN_RESIZE_BILINEAR_PRESERVE_ASPECT_RATIO", Attr::preserve_aspect_ratio),
                 choice_param(64, "OH_NN_RESIZE_BILINEAR_COORDINATE_TRANSFORM_MODE", Attr::coordinate_mode,
                              {DType::i8, DType::i32}, 3),
                 integer_param(65, "OH_NN_RESIZE_BILINEAR_EXCLUDE_OUTSIDE", Attr::exclude_outside, 0)},
      .outputs = {{.name = "output"}},
      .infer = resize_shape};
}

}  // namespace

std::vector<OpSchema> pooling_rows() { return {avg_pool(), max_pool(), resize_bilinear()}; }

}  // namespace nnrt
