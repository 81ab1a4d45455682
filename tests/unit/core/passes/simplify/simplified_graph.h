// Helpers to read the graphs of simplify().
#pragma once

#include "core/device/trace_node.h"
#include "core/passes/check_rewrite.h"
#include "core/passes/simplify.h"
#include "core/schema/infer.h"
#include "tests/support/graph_maker.h"

#include <cstring>
#include <string>
#include <vector>

namespace nnrt::test {

// The graph of this output; all its nodes must be valid.
inline Graph simplified(GraphMaker& make, TensorId output,
                        std::span<const RewriteObjection> objections = {}) {
  const GraphPtr before = make.finish({output});
  Graph graph = simplify(*before, {}, objections);
  const Status fault = find_fault("simplify", *before, graph);
  EXPECT_TRUE(fault.ok()) << fault.error().message;
  Graph again = graph;
  infer(again);
  for (const Node& node : again.nodes) EXPECT_FALSE(node.diagnosis) << name(node.op);
  return graph;
}

inline std::string text_of(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes) {
    if (!text.empty()) text += ' ';
    text += short_name(node.op);
  }
  return text;
}

inline std::vector<float> floats_of(const Graph& graph, TensorId id) {
  const ByteView bytes = *graph.tensors[id].data;
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace nnrt::test
