// A device that runs nothing itself: compile() places each node of its models on one of its members, so that
// the whole is expected to take the least time.
#pragma once

#include "core/device/device.h"
#include "core/placement/partition.h"

#include <memory>
#include <string>
#include <vector>

namespace nnrt {

inline constexpr std::string_view kAutoName = "NNRt auto";

// Members in the order of the list of devices; at least one.
std::shared_ptr<Device> make_auto_device(std::vector<std::shared_ptr<Device>> members);

// The members' CPU; null where there is none.
Device* cpu_of(std::span<Device* const> members);

struct Choice {
  std::vector<Assignment> assignments;  // `refusal` is why the node runs there
  std::string summary;  // a sentence: the expected time, and that of leaving all to one member
};

// For each node one of the members: of all nodes the CPU, a GPU as far as it supports them, or a division
// between these two, by calibrated_costs(), whatever is expected to take the least time.
// The CPU is preferred among equals.
Choice choose(const Graph& graph, std::span<Device* const> members, const CompileOptions& options);

}  // namespace nnrt
