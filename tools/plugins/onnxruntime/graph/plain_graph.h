// A framework's graph as plain data: what the plugin reads from OrtGraph, and what tests write.
#pragma once

#include "tools/import/onnx/held/held_graph.h"

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace nnrt::ep {

using Dimensions = std::vector<int64_t>;

// A value that nodes read or write.
struct HostValue {
  onnx_file::ValueInfo info;
  bool is_constant = false;
  onnx_file::TensorProto constant;  // its payload, if any, is an index into HostGraph::data
  // A scalar, according to the framework; it reports values of unknown rank in the same way.
  bool may_have_rank = false;
  bool is_inferred = false;  // the importer has found the shape
};

struct HostNode {
  onnx_file::NodeProto proto;
  std::vector<std::string> outer_reads;  // by the node's bodies
};

struct HostGraph {
  std::map<std::string, int64_t> opsets;  // by domain
  std::vector<HostNode> nodes;            // in topological order
  std::map<std::string, HostValue> values;
  std::vector<std::string> inputs, outputs;  // inputs without constants
  std::vector<ByteView> data;
};

// Positions of nodes in ascending order.
using Group = std::vector<int>;

struct Boundary {
  std::vector<std::string> inputs, outputs;
};
// What a group reads and writes, besides constants. An output is read by other nodes, or is a graph output.
Boundary boundary_of(const HostGraph& graph, const Group& group);

// The group as a model whose inputs and outputs are in the given order.
import::HeldGraph model_of(const HostGraph& graph, const Group& group, const Boundary& boundary);

// All names that the node reads, also in its bodies.
std::vector<std::string> reads_of(const HostNode& node);

}  // namespace nnrt::ep
