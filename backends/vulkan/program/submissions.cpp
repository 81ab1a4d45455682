#include "backends/vulkan/program/submissions.h"

namespace nnrt::vulkan {

std::vector<size_t> submission_ends(const Program& program, const DevicePlan& plan) {
  std::vector<size_t> ends;
  double submitted = 0;
  NodeId counted = kNoNode;  // last node whose cost was counted, at its first step
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const NodeId node = program.steps[i].node;
    if (node == counted || node == kNoNode) continue;
    counted = node;
    const double cost =
        node_microseconds(plan.costs, *program.graph, program.graph->nodes[node], program.shapes);
    if (submitted > 0 && submitted + cost > plan.queue.submission_us) {
      ends.push_back(i);
      submitted = 0;
    }
    submitted += cost;
  }
  ends.push_back(program.steps.size());
  return ends;
}

}  // namespace nnrt::vulkan
