// Converts a graph to a driver's model.
#pragma once

#include "backends/plugin/node_table.h"

#include <functional>
#include <span>
#include <vector>

namespace nnrt::plugin {

// The graph's constants back to back, without gaps: offset by tensor.
struct ConstantPlan {
  std::vector<uint64_t> offsets;  // of constants; 0 for other tensors
  uint64_t bytes = 0;
};
ConstantPlan plan_constants(const Graph& graph);
void copy_constants(const Graph& graph, const ConstantPlan& plan, std::byte* to);

// The tensors used by nodes, inputs and outputs, ascending: Model::allTensors.
std::vector<TensorId> used_tensors(const Graph& graph);

// `constants` is the memory that holds them as planned; its fd is -1 if there are none.
hdi::Model to_model(const Graph& graph, const ConstantPlan& plan, const hdi::SharedBuffer& constants,
                    uint32_t minor);

std::string tensor_name(const Graph& graph, TensorId id);

}  // namespace nnrt::plugin
