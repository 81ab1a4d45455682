#include "core/passes/simplify.h"

#include "core/passes/fuse.h"
#include "core/passes/graph_passes.h"
#include "core/passes/simplify/rewriter.h"

#include <algorithm>

namespace nnrt {
namespace {

using namespace simplified;

struct Rewrite {
  std::string_view name;
  bool (*run)(Rewriter&, NodeId);
  int stage = 0;  // runs only when no rewrite of an earlier stage applies any more
};

// Larger patterns first, because parts of them are patterns too.
constexpr Rewrite kRewrites[] = {
    {"drop_identity", drop_identity},
    {"merge_data_movement", merge_data_movement},
    {"find_layer_norm", find_layer_norm},
    {"find_rms_norm", find_rms_norm},
    {"find_rotary_embedding", find_rotary_embedding},
    {"find_gelu", find_gelu},
    {"find_gated_activation", find_gate},
    {"fold_padding", fold_padding},
    {"fold_channels", fold_channels},
    {"fuse_activation", fuse_activation},
    {"fuse_batch_norm_activation", fuse_batch_norm_activation},
    {"fold_nan_guard", fold_nan_guard},
    {"move_scale", move_scale},
    {"fold_transpose", fold_transpose},
    {"find_attention", find_attention, 1},
    {"flatten_conv3d", flatten_conv3d, 1},
    {"split_depthwise_conv3d", split_depthwise_conv3d, 1},
    {"unroll_conv3d", unroll_conv3d, 1},
    {"unroll_narrow_conv3d", unroll_narrow_conv3d, 1},
    {"pool_planes", pool_planes, 1},
};

constexpr int kLastStage = 1;

// Such nodes compute nothing, and a RESHAPE to a shape with a 0 would copy a dimension.
bool has_empty_tensor(const Rewriter& graph, const Node& node) {
  const auto has_no_elements = [&](TensorId id) { return is_empty(graph.shape(id)); };
  return std::ranges::any_of(node.inputs, has_no_elements) ||
         std::ranges::any_of(node.outputs, has_no_elements);
}

bool rewrite(Rewriter& graph, NodeId id, std::span<const Rewrite> rewrites, int stage) {
  bool changed = false;
  for (const Rewrite& rewrite : rewrites) {
    const Node* node = graph.node(id);
    if (node == nullptr || node->diagnosis || node->outputs.size() != 1) break;
    if (has_empty_tensor(graph, *node)) break;
    if (rewrite.stage <= stage) changed = rewrite.run(graph, id) || changed;
  }
  return changed;
}

bool rewrite_all(Rewriter& graph, std::span<const Rewrite> rewrites, int stage) {
  bool changed = false;
  for (NodeId id = 0; id < graph.node_count(); ++id) changed = rewrite(graph, id, rewrites, stage) || changed;
  return changed;
}

WhyNot why_skipped(const Rewrite& rewrite, const KernelSwitch& kernels,
                   std::span<const RewriteObjection> objections) {
  const auto found = std::ranges::find(objections, rewrite.name, &RewriteObjection::name);
  return why_skipped(rewrite.name, found == objections.end() ? WhyNot() : found->why, kernels);
}

}  // namespace

Graph simplify(const Graph& graph, const KernelSwitch& kernels,
               std::span<const RewriteObjection> objections) {
  if (!fusing_is_on()) return graph;
  std::vector<Rewrite> rewrites;
  for (const Rewrite& rewrite : kRewrites)
    if (!why_skipped(rewrite, kernels, objections)) rewrites.push_back(rewrite);
  Rewriter rewriter(graph);
  for (int stage = 0; stage <= kLastStage;) stage = rewrite_all(rewriter, rewrites, stage) ? 0 : stage + 1;
  return rewriter.take();
}

std::vector<std::string_view> rewrite_names() {
  std::vector<std::string_view> names;
  for (const Rewrite& rewrite : kRewrites) names.push_back(rewrite.name);
  return names;
}

std::vector<PassChoice> rewrite_choices(const KernelSwitch& kernels,
                                        std::span<const RewriteObjection> objections) {
  const bool is_on = fusing_is_on() && !kernels.forbids("simplify");
  std::vector<PassChoice> choices;
  for (const Rewrite& rewrite : kRewrites) {
    const WhyNot why = why_skipped(rewrite, kernels, objections);
    const bool is_itself = kernels.forbids(rewrite.name) || is_on;
    choices.push_back(
        {std::string(rewrite.name), is_itself ? why.text() : "The pass simplify does not run."});
  }
  return choices;
}

}  // namespace nnrt
