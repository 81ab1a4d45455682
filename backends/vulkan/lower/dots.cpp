#include "backends/vulkan/lower/dots.h"

#include "backends/vulkan/lower/common.h"
#include "backends/vulkan/lower/finish.h"
#include "backends/vulkan/lower/operands.h"
#include "backends/vulkan/lower/paths.h"
#include "backends/vulkan/lower/product.h"
#include "backends/vulkan/lower/windows.h"
#include "backends/vulkan/region.h"
#include "core/geometry.h"
#include "core/text.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kCodes = 4;  // of a word
constexpr uint32_t kTile = 64;  // pixels and columns of a workgroup

// As dots.comp has them.
struct DotsPush {
  uint32_t pixels = 0;
  Size2 out{1, 1}, in{1, 1};
  uint32_t pixel_words = 0, group_words = 0;
  uint32_t columns = 0, groups = 1;
  WindowPush window{{1, 1}, {1, 1}, {1, 1}, {}};
  uint32_t matrices = 1, a_matrix = 0, b_matrix = 0, y_matrix = 0;
  int32_t left_zero = 0, zero = 0;
  float scale = 1;
  uint32_t has_bias = 0;
  Limits limits;
};

// A node as the kernel computes it.
struct Codes {
  DotsPush push;
  bool transposes_weight = false;  // on the host: its codes must lie along the inner dimension
};

Result<Codes> convolution(const NodeView& node) {
  NNRT_ASSIGN(const Window window, window_of(node));
  const uint32_t groups = groups_of(node);
  const auto in_channels = uint32_t(node.shape(0)[3]);
  const auto out_channels = uint32_t(node.shape(1)[0]);
  if (in_channels / groups % kCodes != 0 || out_channels / groups % kCodes != 0) {
    return unsupported("The channels of a group (", in_channels / groups, " to ", out_channels / groups,
                       ") are no multiples of ", kCodes, ".");
  }
  Codes work;
  DotsPush& push = work.push;
  push.out = size2(window.out);
  push.in = size2(window.in);
  push.pixels = uint32_t(node.shape(0)[0]) * push.out[0] * push.out[1];
  push.pixel_words = in_channels / kCodes;
  push.group_words = push.pixel_words / groups;
  push.columns = out_channels / groups;
  push.groups = groups;
  push.window = push_of(window);
  return work;
}

// Rows are pixels of images of one.
Result<Codes> product_of(const NodeView& node) {
  NNRT_ASSIGN(const MatMul shape, matmul_of(node));
  const Collapsed batch = collapse(shape.batch, std::vector{shape.batch_stride_a, shape.batch_stride_b});
  if (shape.inner % kCodes != 0 || shape.columns % kCodes != 0) {
    return unsupported("The inner dimension (", shape.inner, ") or the columns (", shape.columns,
                       ") are no multiples of ", kCodes, ".");
  }
  if (shape.transpose_a || (!shape.transpose_b && !node.input(1).is_constant())) {
    return unsupported("An operand's codes do not lie along the inner dimension.");
  }
  if (batch.shape.size() > 1) return unsupported("The batches of its operands are broadcast.");
  Codes work;
  work.transposes_weight = !shape.transpose_b;
  DotsPush& push = work.push;
  push.pixels = uint32_t(shape.rows);
  push.pixel_words = push.group_words = uint32_t(shape.inner) / kCodes;
  push.columns = uint32_t(shape.columns);
  push.matrices = uint32_t(batch.shape.back());
  push.a_matrix = uint32_t(batch.strides[0].back()) * push.pixels * push.pixel_words;
  push.b_matrix = uint32_t(batch.strides[1].back()) * push.columns * push.pixel_words;
  push.y_matrix = push.pixels * push.columns / kCodes;
  return work;
}

Result<Codes> work_of(const NodeView& node) {
  for (size_t i = 0; i < 2; ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_TRY(count_of(node.output_shape()));
  return node.op() == Op::conv2d ? convolution(node) : product_of(node);
}

bool has_bias(const NodeView& node) {
  const bool ignored = node.attrs().has(Attr::has_bias) && !node.attrs().flag(Attr::has_bias);
  return node.op() != Op::matmul && node.input_count() > 2 && !ignored;
}

// Of each output channel the scale of its sums, and the zero point of its weights.
Bytes parameters_of(const Quant& left, const Quant& right, uint32_t channels) {
  std::vector<uint32_t> words;
  for (uint32_t c = 0; c < channels; ++c) {
    const size_t own = right.scales.size() > 1 ? c : 0;
    words.push_back(std::bit_cast<uint32_t>(float(left.scales[0] * right.scales[own])));
    words.push_back(uint32_t(right.zero_points[own]));
  }
  Bytes bytes(words.size() * sizeof(uint32_t));
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

Buffer weight_of(const LoweringContext& context, const Codes& work) {
  if (!work.transposes_weight) return context.input(1);
  const SharedBytes data = context.node.input(1).data;
  const size_t columns = work.push.columns;
  const size_t inner = size_t{work.push.pixel_words} * kCodes;
  return context.sink.packed(context.node.node().inputs[1], cat("transposed ", columns, "x", inner),
                             [=] { return turned(*data, inner, columns, 1); });
}

}  // namespace

Refusal refuse_dots(const NodeView& node, const DevicePlan& plan) {
  if (!plan.packed_dots) return "The device's dot products of packed bytes are not used.";
  const bool is_product = node.op() == Op::matmul || node.op() == Op::full_connection;
  if (!node.is_quantized() || (!is_product && node.op() != Op::conv2d)) return "It is of no codes.";
  if (plan.max_group_invocations < kSharedGroup) return "Workgroups are too small.";
  const auto work = work_of(node);
  if (!work.ok()) return work.error().message;
  const auto finish = finish_of(node);
  if (!finish.ok() || finish.value().then != 0 || finish.value().added) {
    return "Steps behind it are computed in float.";
  }
  return std::nullopt;
}

Status lower_dots(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(Codes work, work_of(node));
  NNRT_ASSIGN(const Finish finish, finish_of(node));
  const Quant& quant = node.output(0).quant;
  DotsPush& push = work.push;
  push.left_zero = int32_t(node.input(0).quant.zero_points[0]);
  push.zero = int32_t(quant.zero_points[0]);
  push.scale = float(quant.scales[0]);
  push.has_bias = has_bias(node) ? 1 : 0;
  push.limits = finish.limits;
  const Buffer parameters = context.sink.packed(
      node.node().outputs[0], "scales of sums", [&, channels = push.columns * push.groups] {
        return parameters_of(node.input(0).quant, node.input(1).quant, channels);
      });
  const uint32_t tiles = ((push.pixels - 1) / kTile + 1) * ((push.columns - 1) / kTile + 1) * push.groups;
  Dispatch dispatch{
      .shader = "dots",
      .constants = {},
      .push = Push(push),
      .buffers = {context.input(0), weight_of(context, work), parameters,
                  has_bias(node) ? context.input(2) : parameters, context.output()},
      .threads = {tiles * kSharedGroup, 1, std::min(push.matrices, context.plan.max_group_count[2])}};
  return add_groups(context, std::move(dispatch), kSharedGroup);
}

}  // namespace nnrt::vulkan
