// Folds PAD into the padding of the following convolution.
#include "core/passes/simplify/rewriter.h"
#include "core/schema/geometry.h"

namespace nnrt::simplified {
namespace {

// Padding before and after height and width; empty if anything else is padded, or with a nonzero value.
std::optional<std::array<int64_t, 4>> plane_padding(const Rewriter& graph, const Node& pad) {
  const auto is_zero = [&](Attr attr) { return !pad.attrs.has(attr) || pad.attrs.real(attr) == 0; };
  if (!is_zero(Attr::padding_mode) || !is_zero(Attr::constant_value)) return {};
  const auto amounts = graph.integers(pad.inputs[1]);
  if (!amounts || amounts->size() != 8) return {};
  const std::vector<int64_t>& n = *amounts;
  for (const size_t outside : {0, 1, 6, 7}) {
    if (n[outside] != 0) return {};
  }
  return std::array{n[2], n[3], n[4], n[5]};
}

// The convolution's own padding; empty if it depends on sizes.
std::optional<std::array<int64_t, 4>> own_padding(const Attrs& attrs) {
  constexpr int64_t kSame = 0;
  if (attrs.has(Attr::pad_mode)) {
    if (attrs.integer(Attr::pad_mode) == kSame) return {};
    return std::array<int64_t, 4>{};
  }
  if (!attrs.has(Attr::pad)) return std::array<int64_t, 4>{};
  const std::span<const int64_t> pad = attrs.integers(Attr::pad);
  return std::array{pad[0], pad[1], pad[2], pad[3]};
}

Attrs with_padding(const Attrs& attrs, const std::array<int64_t, 4>& padding) {
  Attrs result;
  for (const auto& [attr, value] : attrs.all()) {
    if (attr != Attr::pad_mode) result.set(attr, value);
  }
  result.set(Attr::pad, {DType::i64, {padding.begin(), padding.end()}, {}});
  return result;
}

}  // namespace

bool fold_padding(Rewriter& graph, NodeId id) {
  const Node& node = *graph.node(id);
  if (node.op != Op::conv2d && node.op != Op::depthwise_conv2d_native) return false;
  const TensorId padded = node.inputs[0];
  const Node* pad = graph.writer(padded, Op::pad);
  if (pad == nullptr || graph.format_of(node) == Format::nchw) return false;
  const TensorId data = pad->inputs[0];
  if (!graph.same_values(data, padded)) return false;
  const auto added = plane_padding(graph, *pad);
  auto padding = own_padding(node.attrs);
  if (!added || !padding) return false;
  for (size_t i = 0; i < padding->size(); ++i) (*padding)[i] += (*added)[i];
  Node made = node;
  made.inputs[0] = data;
  made.attrs = with_padding(node.attrs, *padding);
  graph.replace(id, std::move(made));
  return true;
}

}  // namespace nnrt::simplified
