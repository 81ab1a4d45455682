// In-place state: graph outputs written over the graph input they are computed from.
#pragma once

#include "backends/cpu/engine/cpu_program.h"

namespace nnrt::cpu {

// Returns whether the node's kernel may write its output over this input: it reads each element before
// writing the one at the same index.
bool may_overwrite(const Graph& graph, const Node& node, TensorId input);

// The tensors that a step reads besides the inputs of its node.
std::vector<TensorId> other_sources(const Program& program, NodeId id);

// Computes Program::last_readers.
std::vector<NodeId> find_last_readers(const Program& program);

// Implements PreparedModel::may_share() for a graph input and output.
bool may_share(const Program& program, TensorId input, TensorId output);

}  // namespace nnrt::cpu
