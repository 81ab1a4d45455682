// Graphs as OpenHarmony's builder functions write them, which MindSpore's converter does not.
#pragma once

#include "core/graph/graph.h"
#include "mindspore/model/source_graph.h"

namespace nnrt::test {

// Gives `written`, which computes `node`, the builders' inputs and numbers: those of OH_NN.
void to_builder_form(const Graph& graph, const Node& node, mindspore::SourceNode& written);

// The graph's tables: all tensors have data, dimensions and quantization, possibly empty, and a blank name;
// numbers with their default are absent. There is no version.
Bytes builder_file(const mindspore::SourceGraph& graph);

}  // namespace nnrt::test
