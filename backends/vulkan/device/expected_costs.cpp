#include "backends/vulkan/device/expected_costs.h"

#include <vulkan/vulkan.h>

namespace nnrt::vulkan {
namespace {

// Measured by bench/networks on two cores of a server. Other software drivers are assumed to be in between.
constexpr DeviceCosts kSwiftShader{.partition_us = 60,
                                   .node_us = 30,
                                   .gflops = {12, 3, 1},
                                   .int8_speedup = {0.7, 1, 1},
                                   .gbytes = 4,
                                   .transfer_gbytes = 0,
                                   .rough = false};
constexpr DeviceCosts kLavapipe{.partition_us = 70,
                                .node_us = 45,
                                .gflops = {60, 14, 4},
                                .int8_speedup = {0.5, 1, 1},
                                .gbytes = 14,
                                .transfer_gbytes = 0,
                                .rough = false};

// Low estimates, so that an unknown GPU is not taken for faster than it is.
constexpr DeviceCosts kIntegrated{.partition_us = 100,
                                  .node_us = 10,
                                  .gflops = {150, 40, 20},
                                  .gbytes = 20,
                                  .transfer_gbytes = 0,
                                  .rough = true};
constexpr DeviceCosts kDiscrete{.partition_us = 60,
                                .node_us = 6,
                                .gflops = {1500, 300, 200},
                                .gbytes = 150,
                                .transfer_gbytes = 5,
                                .rough = true};

}  // namespace

DeviceCosts expected_costs(const Snapshot& snapshot, bool shares_memory_with_host) {
  if (snapshot.kind == Kind::cpu)
    return snapshot.driver_id == VK_DRIVER_ID_GOOGLE_SWIFTSHADER ? kSwiftShader : kLavapipe;
  if (snapshot.kind == Kind::discrete) return kDiscrete;
  DeviceCosts costs = kIntegrated;
  if (!shares_memory_with_host) costs.transfer_gbytes = kDiscrete.transfer_gbytes;
  return costs;
}

}  // namespace nnrt::vulkan
