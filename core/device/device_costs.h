// Estimates the run time of nodes on a device from a few numbers.
#pragma once

#include "core/graph/graph.h"

#include <array>
#include <cstdint>

namespace nnrt {

// Classes of operators with similar throughput: GEMMs and convolutions, depthwise convolutions, and the rest,
// which is memory-bound on most devices.
enum class CostClass : uint8_t { gemm, depthwise, other };
inline constexpr size_t kCostClasses = 3;

CostClass cost_class(const Node& node);

struct DeviceCosts {
  double partition_us = 0;                                 // entering a partition and waiting for its end
  double node_us = 0;                                      // per node: a dispatch or a call
  std::array<double, kCostClasses> gflops{};               // flops per nanosecond, by CostClass
  std::array<double, kCostClasses> int8_speedup{1, 1, 1};  // with quantized values
  double gbytes = 0;                                       // memory traffic of nodes, bytes per nanosecond
  double transfer_gbytes = 0;  // between host and device, bytes per nanosecond; 0: no transfer needed
  bool rough = false;          // estimated for a device family; worth measuring

  bool operator==(const DeviceCosts&) const = default;
};

// Used for devices that report no costs.
inline constexpr DeviceCosts kUnknownCosts{.partition_us = 100,
                                           .node_us = 5,
                                           .gflops = {20, 10, 5},
                                           .gbytes = 5,
                                           .transfer_gbytes = 5,
                                           .rough = true};

// Flops per nanosecond for a node with these operands; 0: its flops take no time.
double node_gflops(const DeviceCosts& costs, const Graph& graph, const Node& node);

// Time of one node, excluding its partition's overhead. Unknown dimensions count as 1.
double node_microseconds(const DeviceCosts& costs, const Graph& graph, const Node& node,
                         std::span<const Shape> shapes);

// graph.shapes with unknown dimensions set to 1.
std::vector<Shape> min_shapes(const Graph& graph);

// Time to transfer a tensor between host and device.
double transfer_microseconds(const DeviceCosts& costs, const Graph& graph, TensorId id,
                             std::span<const Shape> shapes);

}  // namespace nnrt
