#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/data_movement/copy_commands.h"
#include "backends/vulkan/lower/elementwise/lower_dequantized.h"
#include "backends/vulkan/lower/reduction/norm_rows.h"
#include "core/schema/attention_geometry.h"
#include "core/schema/geometry.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

struct SoftmaxPush {
  uint32_t rows = 0, length = 0, inner = 0;
};

struct LrnPush {
  uint32_t count = 0, channels = 0, radius = 0;
  float bias = 0, alpha = 0, beta = 0;
};

Refusal refuse_norm(const NodeView& node, const DevicePlan&) {
  const bool converted = node.op() == Op::log_softmax && node.dtype() == DType::f64;  // R13
  return converted ? std::nullopt : refuse_conversion(node);
}

struct SoftmaxWork {
  RowVariant variant;
  ZeroRows zero_rows = ZeroRows::none;
};

constexpr uint32_t kSoftmaxPasses = 3;  // maximum, sum, results

template <RowKind kind>
constexpr Kernel<SoftmaxWork> softmax_kernel(std::string_view name) {
  return {name,
          [](const LoweringContext& context, const SoftmaxWork& work) {
            return why_not_rows(context, work.variant, kind);
          },
          [](const LoweringContext& context, const SoftmaxWork& work) {
            const auto& [count, length, inner] = work.variant.rows;
            const bool logarithm = context.node.op() == Op::log_softmax;
            add_rows(context, work.variant, kind, kSoftmaxPasses,
                     {.shader = {},
                      .constants = {logarithm, uint32_t(work.zero_rows)},
                      .push = Push(SoftmaxPush{count, length, inner}),
                      .buffers = {context.input(0), context.output()}});
            return Status();
          },
          View::none,
          [](const LoweringContext& context, const SoftmaxWork& work) {
            return iterations_of_rows(context, work.variant, kind, kSoftmaxPasses);
          }};
}

constexpr Kernel<SoftmaxWork> kSoftmaxes[] = {
    softmax_kernel<RowKind::subgroups>("softmax_by_subgroups"),
    softmax_kernel<RowKind::group>("softmax_by_group"),
    softmax_kernel<RowKind::alone>("softmax_by_row"),
};

constexpr std::span<const Kernel<SoftmaxWork>> kSoftmaxList(kSoftmaxes);

Status lower_softmax(const LoweringContext& context) {
  const NodeView& node = context.node;
  const Shape& shape = node.shape(0);
  NNRT_TRY(count_of(shape));
  NNRT_ASSIGN(const int64_t axis,
              normalize_axis(node.attrs().integer(Attr::axis), std::max<size_t>(shape.size(), 1)));
  const ReductionShape lines = reduction_shape(shape, size_t(axis), size_t(axis) + 1);
  const ZeroRows zero_rows = zero_rows_of(node.op(), node.attrs());
  return lower_by_list(kSoftmaxList, context, SoftmaxWork{row_variant("softmax", lines), zero_rows});
}

Status lower_layer_norm(const LoweringContext& context) {
  const Shape& shape = context.node.shape(0);
  NNRT_TRY(count_of(shape));
  const auto begin = size_t(context.node.attrs().integer(Attr::begin_norm_axis));
  return add_norm(context, {reduction_shape(shape, begin, shape.size()), Scale::along_length});
}

Status lower_rms_norm(const LoweringContext& context) {
  const Shape shape = with_dimension(context.node.shape(0));
  NNRT_TRY(count_of(shape));
  NNRT_ASSIGN(const size_t begin,
              normalize_axis(context.node.attrs().integer(Attr::begin_norm_axis), shape.size()));
  return add_norm(context, {.shape = reduction_shape(shape, begin, shape.size()),
                            .scale = Scale::along_length,
                            .centered = false});
}

// One row per group and image.
Status lower_group_norm(const LoweringContext& context) {
  const Shape& shape = context.node.shape(0);
  NNRT_ASSIGN(const uint32_t count, count_of(shape));
  const size_t axis = channel_axis(context.node);
  Norm norm{.scale = axis == 1 ? Scale::along_planes : Scale::along_pixels};
  norm.channels = uint32_t(context.node.attrs().integer(Attr::group));
  norm.shape.outer = uint32_t(shape[0]) * norm.channels;
  norm.shape.length = count / norm.shape.outer;
  norm.width = uint32_t(shape[axis]) / norm.channels;
  norm.run = axis == 1 ? uint32_t(product(shape, 2, shape.size())) : norm.width;
  return add_norm(context, norm);
}

// Only NHWC has the channels last (R16).
Status lower_instance_norm(const LoweringContext& context) {
  const Shape& shape = context.node.shape(0);
  NNRT_TRY(count_of(shape));
  if (context.node.format() == Format::nhwc) {
    return add_norm(context, {reduction_shape(shape, 1, shape.size() - 1), Scale::along_inner});
  }
  return add_norm(context, {reduction_shape(shape, 2, shape.size()), Scale::along_outer, uint32_t(shape[1])});
}

Result<std::vector<bool>> summed_dimensions(const NodeView& node) {
  const size_t rank = std::max<size_t>(node.shape(0).size(), 1);
  if (!node.attrs().has(Attr::axes)) return std::vector<bool>(rank, true);
  std::vector<bool> summed(rank);
  for (const int64_t given : node.attrs().integers(Attr::axes)) {
    NNRT_ASSIGN(const int64_t axis, normalize_axis(given, rank));
    summed[size_t(axis)] = true;
  }
  return summed;
}

// The tensor with permuted dimensions.
CopyRegion permutation(const Shape& shape, const std::vector<size_t>& order) {
  const Strides strides = strides_of(shape);
  Shape permuted;
  Strides from;
  for (const size_t d : order) {
    permuted.push_back(shape[d]);
    from.push_back(strides[d]);
  }
  const Collapsed walk = collapse(permuted, std::array{from, strides_of(permuted)});
  return {0, 0, walk.shape, 0, 0, walk.strides[0], walk.strides[1]};
}

// If the summed dimensions are not adjacent: moves the others to the front and back again afterwards.
Status lower_scattered_l2_normalize(const LoweringContext& context, const std::vector<bool>& summed) {
  const Shape& shape = context.node.shape(0);
  std::vector<size_t> order, back(shape.size());
  for (const bool last : {false, true}) {
    for (size_t d = 0; d < shape.size(); ++d) {
      if (summed[d] == last) order.push_back(d);
    }
  }
  Shape permuted;
  for (size_t i = 0; i < order.size(); ++i) {
    back[order[i]] = i;
    permuted.push_back(shape[order[i]]);
  }
  const size_t bytes = size_t(product(shape, 0, shape.size())) * sizeof(float);
  const Buffer from = context.sink.scratch(bytes);
  const Buffer to = context.sink.scratch(bytes);
  const auto kept = size_t(std::ranges::count(summed, false));
  NNRT_TRY(add_copy_region(context, permutation(shape, order), sizeof(float), context.input(0), from));
  const Norm norm{.shape = reduction_shape(permuted, kept, shape.size()),
                  .activation = activation_of(context.node)};
  NNRT_TRY(add_norm(context, norm, from, to));
  return add_copy_region(context, permutation(permuted, back), sizeof(float), to, context.output());
}

Status lower_l2_normalize(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_TRY(count_of(node.shape(0)));
  NNRT_ASSIGN(const std::vector<bool> summed, summed_dimensions(node));
  const auto first = std::ranges::find(summed, true);
  const auto last = std::find(first, summed.end(), false);
  if (std::find(last, summed.end(), true) != summed.end()) {
    return lower_scattered_l2_normalize(context, summed);
  }
  const ReductionShape lines =
      reduction_shape(node.shape(0), size_t(first - summed.begin()), size_t(last - summed.begin()));
  return add_norm(context, {.shape = lines, .activation = activation_of(node)});
}

Status lower_lrn(const LoweringContext& context) {
  const NodeView& node = context.node;
  const Attrs& attrs = node.attrs();
  NNRT_ASSIGN(const uint32_t count, count_of(node.shape(0)));
  const int64_t channels = node.shape(0)[3];
  LrnPush push{.count = count, .channels = uint32_t(channels)};
  push.radius = uint32_t(std::min(attrs.integer(Attr::radius), channels));
  push.bias = float(attrs.real(Attr::bias));
  push.alpha = float(attrs.real(Attr::alpha));
  push.beta = float(attrs.real(Attr::beta));
  context.sink.add(Dispatch{.shader = "lrn_f32",
                            .constants = {},
                            .push = Push(push),
                            .buffers = {context.input(0), context.output()},
                            .threads = threads_for(count, context.plan),
                            .local = {kGroup, 1, 1},
                            .iterations = loop_of(2 * uint64_t{push.radius} + 1)});
  return {};
}

constexpr LoweringRow kNormLowerings[] = {
    {Op::softmax, {refuse_norm, via_f32<lower_softmax>}},
    {Op::log_softmax, {refuse_norm, via_f32<lower_softmax>}},
    {Op::layer_norm, {refuse_norm, via_f32<lower_layer_norm>}},
    {Op::instance_norm, {refuse_norm, via_f32<lower_instance_norm>}},
    {Op::group_norm, {refuse_norm, via_f32<lower_group_norm>}},
    {Op::rms_norm, {refuse_norm, via_f32<lower_rms_norm>}},
    {Op::l2_normalize, {refuse_norm, via_f32<lower_l2_normalize>}},
    {Op::lrn, {refuse_norm, via_f32<lower_lrn>}},
};

}  // namespace

std::span<const LoweringRow> norm_lowerings() { return kNormLowerings; }

std::vector<std::string_view> softmax_kernels() { return names_of(kSoftmaxList); }

}  // namespace nnrt::vulkan
