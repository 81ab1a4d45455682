// The operations of a model by the operators of the file that they are computed for.
#pragma once

#include "tools/import/network/network.h"

#include <span>
#include <string>
#include <vector>

namespace nnrt::tool {

// An operator of the file with all that its kernels compute: those of others that were fused with it too.
struct LayerGroup {
  std::string operators;           // "Conv + Relu"
  std::string label;               // "Conv /features/0/conv + Relu"
  std::vector<size_t> operations;  // in the model's order
};

// In the model's order. `kernels` has for each kernel the operations that it computes: they belong to the
// most important among them. Empty where the file does not name its operators.
std::vector<LayerGroup> group_by_layers(const import::Network& network,
                                        std::span<const std::vector<size_t>> kernels);

// The index of the group of each operation.
std::vector<size_t> groups_of_operations(std::span<const LayerGroup> groups, size_t operations);

}  // namespace nnrt::tool
