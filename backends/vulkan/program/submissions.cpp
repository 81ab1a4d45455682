#include "backends/vulkan/program/submissions.h"

namespace nnrt::vulkan {

std::vector<size_t> submission_ends(const Program& program, const DevicePlan& plan) {
  std::vector<size_t> ends;
  double taken = 0;
  NodeId counted = kNoNode;  // last node whose cost was counted, at its first step
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const NodeId node = program.steps[i].node;
    if (node == counted || node == kNoNode) continue;
    counted = node;
    const double supports =
        node_microseconds(plan.costs, *program.graph, program.graph->nodes[node], program.shapes);
    if (taken > 0 && taken + supports > plan.submission_us) {
      ends.push_back(i);
      taken = 0;
    }
    taken += supports;
  }
  ends.push_back(program.steps.size());
  return ends;
}

}  // namespace nnrt::vulkan
