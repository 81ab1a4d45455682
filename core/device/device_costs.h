// An estimate of the time that a device takes for the nodes of a graph, by a few numbers.
#pragma once

#include "core/graph/graph.h"

#include <array>
#include <cstdint>

namespace nnrt {

// Operators that a device computes about equally fast: GEMMs and convolutions, depthwise ones, everything
// else, which waits for memory on most devices.
enum class CostClass : uint8_t { gemm, depthwise, other };
inline constexpr size_t kCostClasses = 3;

CostClass cost_class(const Node& node);

struct DeviceCosts {
  double partition_us = 0;                    // to enter a partition and wait for its end
  double node_us = 0;                         // for each node, however small: a dispatch, a call
  std::array<double, kCostClasses> gflops{};  // multiplications and additions a nanosecond, by CostClass
  std::array<double, kCostClasses> int8_speedup{1, 1, 1};  // their speedup with quantized values
  double gbytes = 0;                                       // bytes a nanosecond that a node reads and writes
  double transfer_gbytes = 0;  // bytes a nanosecond between host and device; 0: they are not moved
  bool rough = false;          // a guess about a family of devices, which measuring improves

  bool operator==(const DeviceCosts&) const = default;
};

// The costs of a device that reports none.
inline constexpr DeviceCosts kUnknownCosts{.partition_us = 100,
                                           .node_us = 5,
                                           .gflops = {20, 10, 5},
                                           .gbytes = 5,
                                           .transfer_gbytes = 5,
                                           .rough = true};

// Multiplications and additions a nanosecond of a node with these operands; 0: they take no time.
double node_gflops(const DeviceCosts& costs, const Graph& graph, const Node& node);

// The time of one node without the costs of its partition. A dimension that is known only in a run counts as
// 1.
double node_microseconds(const DeviceCosts& costs, const Graph& graph, const Node& node,
                         std::span<const Shape> shapes);

// graph.shapes with 1 for each unknown dimension.
std::vector<Shape> min_shapes(const Graph& graph);

// For a tensor to cross the border between the host's memory and the device.
double transfer_microseconds(const DeviceCosts& costs, const Graph& graph, TensorId id,
                             std::span<const Shape> shapes);

}  // namespace nnrt
