#include "backends/vulkan/lower/elementwise/lower_cast.h"

#include "backends/vulkan/lower/common/lookup_table.h"
#include "backends/vulkan/lower/data_movement/copy_commands.h"
#include "backends/vulkan/lower/elementwise/requantization.h"
#include "core/base/text.h"
#include "core/schema/geometry.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace nnrt::vulkan {
namespace {

constexpr DTypeSet kCastable = kReal | DType::boolean;

// Only casts between integers can wrap, if the result is not wider; casts from floats saturate.
bool may_wrap(DType from, DType to) {
  return !is_float(from) && !is_float(to) && to != DType::boolean && from != DType::boolean &&
         size_of(to) <= size_of(from);
}

Refusal refuse_cast_node(const NodeView& node, const DevicePlan&) {
  const DType from = node.dtype(), to = node.output(0).dtype;
  const Attrs& attrs = node.attrs();
  if (attrs.is_set(Attr::source_shifted) || attrs.is_set(Attr::target_shifted))
    return "A CAST with quantization parameters is not supported on the GPU.";
  if (attrs.is_set(Attr::saturate) && from != to && may_wrap(from, to))
    return "Saturating integer casts are not supported on the GPU.";
  return refuse_cast(from, to);
}

Status lower_cast(const LoweringContext& context) {
  const NodeView& node = context.node;
  const DType from = node.dtype();
  const DType to = node.output(0).dtype;
  NNRT_ASSIGN(const uint32_t count, count_of(node.shape()));
  if (from == to) {
    add_whole_copy(context, context.input(0), context.output(), count * size_of(from));
  } else {
    add_cast(context, context.input(0), from, context.output(), to, count);
  }
  return {};
}

struct QuantPush {
  uint32_t count = 0, inner = 1, channels = 1;
};

Refusal refuse_quant_cast(const NodeView& node, const DevicePlan&) {
  const bool between_quantized = !is_float(node.dtype()) && !is_float(node.output(0).dtype);
  if (!between_quantized) return std::nullopt;
  if (node.input(0).quant.scales.size() <= 1 && node.output(0).quant.scales.size() <= 1) return std::nullopt;
  return "Per-channel requantization is not supported on the GPU.";
}

// Through the real value if both sides are quantized; else INT8 and UINT8 differ by 128.
ByteFunction between_quantized(const NodeView& node) {
  const Tensor& from = node.input(0);
  const Tensor& to = node.output(0);
  if (from.dtype == to.dtype && (from.quant.empty() || to.quant.empty())) {
    return [](uint8_t byte) { return byte; };
  }
  if (from.quant.empty() || to.quant.empty()) return [](uint8_t byte) { return uint8_t(byte ^ 0x80); };
  return requantization(from, to);
}

Bytes packed_parameters(const Quant& quant, bool to_quantized) {
  std::vector<uint32_t> words;
  for (size_t c = 0; c < quant.scales.size(); ++c) {
    const float scale = to_quantized ? rounding_scale(quant, c) : float(quant.scales[c]);
    words.push_back(std::bit_cast<uint32_t>(scale));
    words.push_back(uint32_t(quant.zero_points[c]));
  }
  Bytes bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

Status lower_quant_cast(const LoweringContext& context) {
  const NodeView& node = context.node;
  const Tensor& from = node.input(0);
  const Tensor& to = node.output(0);
  const TensorId owner = node.node().outputs[0];
  const Shape& shape = node.shape();
  NNRT_ASSIGN(const uint32_t count, count_of(shape));
  if (!is_float(from.dtype) && !is_float(to.dtype)) {
    add_lookup(context, context.input(0), context.output(), count, owner, "lookup", between_quantized(node));
    return {};
  }
  // The quantized tensor's parameters, or the other tensor's if it has none.
  const bool to_quantized = is_float(from.dtype);
  const Tensor& quantized = to_quantized ? to : from;
  const Tensor& real = to_quantized ? from : to;
  Quant quant = quantized.quant.empty() ? real.quant : quantized.quant;
  quant.ties_to_even = to.quant.ties_to_even;
  if (ends_in_steps(node.node())) quant = steps_of(quant);
  QuantCast cast{.x = context.input(0),
                 .y = context.output(),
                 .count = count,
                 .to_quantized = to_quantized,
                 .real = real.dtype,
                 .quantized = quantized.dtype,
                 .quant = quant,
                 .form = ends_in_steps(node.node()) ? "steps" : "quantization"};
  if (cast.quant.scales.size() > 1) {
    NNRT_ASSIGN(const int64_t axis, normalize_axis(node.attrs().integer(Attr::axis), shape.size()));
    cast.inner = uint32_t(product(shape, size_t(axis) + 1, shape.size()));
  }
  add_quant_cast(context, cast, owner);
  return {};
}

constexpr LoweringRow kCastLowerings[] = {
    {Op::cast, {refuse_cast_node, lower_cast}},
    {Op::quant_dtype_cast, {refuse_quant_cast, lower_quant_cast}},
};

}  // namespace

Refusal refuse_cast(DType from, DType to) {
  if (from == to) return std::nullopt;
  for (const DType dtype : {from, to}) {
    if (!kCastable.contains(dtype)) return not_computed(dtype);
  }
  return std::nullopt;
}

void add_quant_cast(const LoweringContext& context, const QuantCast& cast, TensorId owner) {
  const QuantPush push{cast.count, cast.inner, uint32_t(cast.quant.scales.size())};
  const uint32_t words = words_of(cast.to_quantized ? cast.quantized : cast.real, cast.count);
  // The tensor may be dequantized too, with parameters that don't include the rounding of ties.
  const std::string form = cast.to_quantized && cast.quant.ties_to_even ? cat(cast.form, ", ties to even")
                                                                        : std::string(cast.form);
  const Buffer parameters =
      context.sink.packed(owner, form, [&] { return packed_parameters(cast.quant, cast.to_quantized); });
  context.sink.add(Dispatch{.shader = variant("quantize", cast.real),
                            .constants = {uint32_t(cast.to_quantized), uint32_t(cast.quantized)},
                            .push = Push(push),
                            .buffers = {cast.x, parameters, cast.y},
                            .threads = threads_for(words, context.plan),
                            .local = {kGroup, 1, 1}});
}

std::span<const LoweringRow> cast_lowerings() { return kCastLowerings; }

}  // namespace nnrt::vulkan
