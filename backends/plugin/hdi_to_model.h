// A graph as a driver gets it.
#pragma once

#include "backends/plugin/node_table.h"

#include <functional>
#include <span>
#include <vector>

namespace nnrt::plugin {

// The graph's constants one behind the other, without gaps: offsets by tensor number.
struct ConstantPlan {
  std::vector<uint64_t> offsets;  // for constants; 0 for other tensors
  uint64_t bytes = 0;
};
ConstantPlan plan_constants(const Graph& graph);
void copy_constants(const Graph& graph, const ConstantPlan& plan, std::byte* to);

// The tensors that the nodes, inputs and outputs name, in the order of their numbers: Model::allTensors.
std::vector<TensorId> used_tensors(const Graph& graph);

// `constants` is the memory that has them as planned; fd -1 where there are none.
hdi::Model to_model(const Graph& graph, const ConstantPlan& plan, const hdi::SharedBuffer& constants,
                    uint32_t minor);

std::string tensor_name(const Graph& graph, TensorId id);

}  // namespace nnrt::plugin
