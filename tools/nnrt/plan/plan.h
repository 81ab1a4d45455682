// The parts of a compiled model and their devices, for reports.
#pragma once

#include "tools/nnrt/session/executable.h"
#include "tools/nnrt/session/layer_groups.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace nnrt::tool {

struct PlanTensor {
  std::string name, type;
  Shape shape;
  uint64_t bytes = 0;  // 0: not known before the run
  bool constant = false;
  std::vector<double> scales;  // a quantized tensor's: one, or one for each channel
  std::vector<int32_t> zero_points;
};

// An implementation that was taken, and the names and reasons of those that would have been tried first.
struct PlanKernel {
  std::string name;
  std::vector<std::pair<std::string, std::string>> declined;
};

struct PlanNode {
  size_t operation = 0;        // index in the model
  std::string op, origin;      // origin: in the file
  std::string device, reason;  // the device it runs on; why there, if that is not the chosen one
  std::vector<size_t> inputs, outputs;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<PlanKernel> kernels;  // empty: the device does not report them, or the operation is fused
  std::vector<size_t> fused;        // other operations that these kernels compute too
  std::optional<size_t> layer;      // in Plan::layers
  bool is_fused = false;            // another operation's kernel computes this one too
  double ms = 0;                    // measured; 0: not
};

// A tensor that one node writes and another reads.
struct PlanEdge {
  size_t from = 0, to = 0, tensor = 0;
};

// Memory of one tensor in a device's arena, from one step of a run to another.
struct ArenaBlock {
  std::string name;
  uint64_t offset = 0, bytes = 0, first = 0, last = 0;
};

struct Arena {
  std::string device;
  size_t partition = 0;
  uint64_t bytes = 0;
  std::vector<ArenaBlock> blocks;
};

// A rewrite of the whole graph, or of that of a partition.
struct PlanPass {
  std::string device;  // empty: it is of the whole graph, as is what has no partition
  std::optional<size_t> partition;
  std::string name, why_not;  // why_not is empty where it ran
};

struct Plan {
  std::string model;
  Device device;
  std::string choice;  // the expectation of a device that chooses among others
  std::vector<PlanTensor> tensors;
  std::vector<PlanNode> nodes;          // in an order in which they can run
  std::vector<size_t> inputs, outputs;  // tensors
  std::vector<Arena> arenas;
  std::vector<PlanPass> passes;    // in the order in which they run in each partition
  std::vector<LayerGroup> layers;  // those of the file; empty: it does not name its operators

  // Returns the label of the layer for which the node is computed; empty where the file names none.
  std::string layer_of(const PlanNode& node) const { return node.layer ? layers[*node.layer].label : ""; }
  // Between operations.
  std::vector<PlanEdge> edges() const;
  // The edges between devices, one for each tensor and device that it goes to.
  std::vector<PlanEdge> borders() const;
};

// Compiles the model for that device and reads what the library reports of it (docs/trace.md, Placement).
Result<Plan> make_plan(const ModelFile& file, const Device& device, BuildOptions options);

// For programs (docs/tool.md).
nlohmann::ordered_json to_json(const Plan& plan);
// A graph for Graphviz.
std::string to_dot(const Plan& plan);
// A page for browsers, in one file without anything from outside.
std::string to_html(const Plan& plan);

}  // namespace nnrt::tool
