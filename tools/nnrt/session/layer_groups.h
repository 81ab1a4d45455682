// Groups operations by the operators of the file they implement.
#pragma once

#include "tools/import/network/network.h"

#include <span>
#include <string>
#include <vector>

namespace nnrt::tool {

// An operator of the file with everything its kernels compute, including operators fused with it.
struct LayerGroup {
  std::string operators;           // "Conv + Relu"
  std::string label;               // "Conv /features/0/conv + Relu"
  std::vector<size_t> operations;  // in the model's order
};

// In the model's order. `kernels` lists the operations computed by each kernel; they are grouped under the
// most important one. Empty if the file does not name its operators.
std::vector<LayerGroup> group_by_layers(const import::Network& network,
                                        std::span<const std::vector<size_t>> kernels);

// The group index of each operation.
std::vector<size_t> groups_of_operations(std::span<const LayerGroup> groups, size_t operations);

}  // namespace nnrt::tool
