// State in place: a run that writes an output over the input of which it makes it.
#pragma once

#include "backends/cpu/engine/cpu_program.h"

namespace nnrt::cpu {

// Returns whether the node's kernel may write its output over this input: it reads each element before it
// writes the one at the same index.
bool may_overwrite(const Graph& graph, const Node& node, TensorId input);

// Returns what Program::last_readers is to be.
std::vector<NodeId> find_last_readers(const Program& program);

// As PreparedModel::may_share(), of an input and an output of the graph.
bool may_share(const Program& program, TensorId input, TensorId output);

}  // namespace nnrt::cpu
