// A device that only distributes: compile() places each node of its models on one of its members, minimizing
// the expected total time.
#pragma once

#include "core/device/device.h"
#include "core/placement/partition.h"

#include <memory>
#include <string>
#include <vector>

namespace nnrt {

inline constexpr std::string_view kAutoName = "NNRt auto";

// Members in device-list order; at least one. A software GPU is only used if the CPU is not among them.
std::shared_ptr<Device> make_auto_device(std::vector<std::shared_ptr<Device>> members);

// The CPU among the members; null if there is none.
Device* cpu_of(std::span<Device* const> members);

struct Choice {
  std::vector<Assignment> assignments;  // `refusal` says why the node runs there
  std::string summary;                  // one sentence: the expected time, and that of alternatives
};

// Assigns each node to a member: all to the CPU, all supported ones to a GPU, or split between these two,
// whichever calibrated_costs() expects to be fastest. Ties go to the CPU.
Choice choose(const Graph& graph, std::span<Device* const> members, const CompileOptions& options);

}  // namespace nnrt
