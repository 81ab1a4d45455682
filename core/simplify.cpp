#include "core/simplify.h"

#include "core/fuse.h"
#include "core/simplify/rewriter.h"

namespace nnrt {
namespace {

using namespace simplified;

// The larger patterns first: parts of them are patterns as well.
bool rewrite(Rewriter& graph, NodeId id) {
  constexpr bool (*kRewrites[])(Rewriter&, NodeId) = {drop_identity, merge_moves,    find_layer_norm,
                                                      find_gelu,     find_gate,      fold_padding,
                                                      fold_channels, fuse_activation};
  bool changed = false;
  for (const auto& rewrite : kRewrites) {
    const Node* node = graph.node(id);
    if (node == nullptr || node->diagnosis || node->outputs.size() != 1) break;
    changed = rewrite(graph, id) || changed;
  }
  return changed;
}

}  // namespace

Graph simplify(const Graph& graph) {
  if (!fusing_is_on()) return graph;
  Rewriter rewriter(graph);
  for (bool changed = true; changed;) {
    changed = false;
    for (NodeId id = 0; id < rewriter.node_count(); ++id) changed = rewrite(rewriter, id) || changed;
  }
  return rewriter.take();
}

}  // namespace nnrt
