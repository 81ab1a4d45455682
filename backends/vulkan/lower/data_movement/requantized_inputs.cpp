#include "backends/vulkan/lower/data_movement/requantized_inputs.h"

#include "backends/vulkan/lower/common/lookup_table.h"
#include "backends/vulkan/lower/data_movement/copy_commands.h"
#include "core/base/text.h"
#include "core/schema/rules.h"

namespace nnrt::vulkan {

size_t data_inputs(const Node& node) {
  return node.op == Op::concat || node.op == Op::stack ? node.inputs.size() : 1;
}

Refusal refuse_copied(const NodeView& node, size_t input) {
  const Tensor& from = node.input(input);
  const Tensor& to = node.output(0);
  if (!requantizes(node.schema(), from, to)) return std::nullopt;
  if (from.quant.scales.size() == 1 && to.quant.scales.size() == 1) return std::nullopt;
  return "Per-channel requantization is not supported on the GPU.";
}

Result<Buffer> copied(const LoweringContext& context, size_t input) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const uint32_t count, count_of(node.shape(input)));
  if (!requantizes(node.schema(), node.input(input), node.output(0))) return context.input(input);
  const Buffer to = context.sink.scratch(count);
  add_lookup(context, context.input(input), to, count, node.node().outputs[0], cat("requantized_", input),
             requantization(node.input(input), node.output(0)));
  return to;
}

std::optional<uint32_t> repeated(Bytes element) {
  while (element.size() < 4) element.insert(element.end(), element.begin(), element.end());
  std::array<uint32_t, 2> words{};
  std::memcpy(words.data(), element.data(), element.size());
  return element.size() == 4 || words[0] == words[1] ? std::optional(words[0]) : std::nullopt;
}

Status add_fill(const LoweringContext& context, const Bytes& element) {
  if (const auto word = repeated(element)) {
    context.sink.add(Fill{context.output(), *word});
    return {};
  }
  const Buffer constant =
      context.sink.packed(context.node.node().outputs[0], "fill_element", [&] { return element; });
  NNRT_ASSIGN(const uint32_t count, count_of(context.node.output_shape()));
  return add_copy_region(context, {0, 0, {count}, 0, 0, {0}, {1}}, element.size(), constant,
                         context.output());
}

}  // namespace nnrt::vulkan
