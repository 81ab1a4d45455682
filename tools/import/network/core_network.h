// Core graphs as networks, for readers that build graphs, and networks as core graphs, for writers of files.
#pragma once

#include "core/graph/graph.h"
#include "tools/import/network/network.h"

#include <functional>

namespace nnrt::import {

nnrt::Tensor to_core(const Tensor& tensor);
// The caller has checked that the dimensions fit.
Tensor from_core(nnrt::Tensor tensor);

// Tensors keep their numbers. Operations have neither origins nor layers.
Result<Network> to_network(const nnrt::Graph& graph);

// Tensors keep their numbers, which those of parameters follow. Nodes have the positions of their operations.
Result<GraphPtr> to_graph(const Network& network);
// Whether an operand has a scale for each channel, and nothing says in which dimension: only weights and
// conversions do.
bool has_unknown_channels(const nnrt::Graph& graph, const nnrt::Node& node);
// Whether the channels of the node's data are its first dimension after the batch, or its last.
enum class Channels : uint8_t { none, first, last };
Channels channels_of(const nnrt::Graph& graph, const nnrt::Node& node);
// TRANSPOSE orders between channels first and channels last.
std::vector<int64_t> to_channels_first(size_t rank);
std::vector<int64_t> to_channels_last(size_t rank);
// Writes the nodes of the network's graph, which may be normalized, to `file` ("an .ms file"). Fails with a
// list of all operations that cannot be written.
Status write_nodes(const Network& network, const nnrt::Graph& graph, std::string_view file,
                   const std::function<Status(const nnrt::Node&)>& write);

}  // namespace nnrt::import
