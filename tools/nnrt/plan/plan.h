// A compiled model for reports: what runs where, and why.
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
  std::vector<double> scales;  // of a quantized tensor: one, or one per channel
  std::vector<int32_t> zero_points;
};

// The chosen implementation, and those declined before it with the reasons.
struct PlanKernel {
  std::string name;
  std::vector<std::pair<std::string, std::string>> declined;
};

struct PlanNode {
  size_t operation = 0;        // index in the model
  std::string op, origin;      // origin: the operator in the file
  std::string device, reason;  // reason: why not the chosen device; else empty
  std::vector<size_t> inputs, outputs;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<PlanKernel> kernels;  // empty if the device does not report them or the operation is fused
  std::vector<size_t> fused;        // other operations computed by these kernels
  std::optional<size_t> layer;      // in Plan::layers
  bool is_fused = false;            // computed by another operation's kernel
  bool is_removed = false;          // computed by none: it does nothing, or undoes another operation
  double ms = 0;                    // measured; 0 if not
};

// A tensor written by one node and read by another.
struct PlanEdge {
  size_t from = 0, to = 0, tensor = 0;
};

// A tensor's memory in a device's arena, and the steps during which it is in use.
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

// A pass over the complete graph or over a partition.
struct PlanPass {
  std::string device;  // empty for passes over the complete graph
  std::optional<size_t> partition;
  std::string name, why_not;  // why_not: why it did not run; empty if it ran
};

struct Plan {
  std::string model;
  Device device;
  std::string choice;  // the estimate of a device that chooses among others
  std::vector<PlanTensor> tensors;
  std::vector<PlanNode> nodes;          // in execution order
  std::vector<size_t> inputs, outputs;  // tensors
  std::vector<Arena> arenas;
  std::vector<PlanPass> passes;    // in execution order per partition
  std::vector<LayerGroup> layers;  // of the file; empty if it does not name its operators

  // The label of the node's layer; empty if it has none.
  std::string layer_of(const PlanNode& node) const { return node.layer ? layers[*node.layer].label : ""; }
  // Between operations.
  std::vector<PlanEdge> edges() const;
  // Edges between devices, one per tensor and receiving device.
  std::vector<PlanEdge> borders() const;
};

// Compiles the model for the device and reads the placement report (docs/trace.md).
Result<Plan> make_plan(const ModelFile& file, const Device& device, BuildOptions options);

// JSON output (docs/tool.md).
nlohmann::ordered_json to_json(const Plan& plan);
// Graphviz output.
std::string to_dot(const Plan& plan);
// A self-contained HTML page.
std::string to_html(const Plan& plan);

}  // namespace nnrt::tool
