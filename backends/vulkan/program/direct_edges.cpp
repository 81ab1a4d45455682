#include "backends/vulkan/program/direct_edges.h"

#include <variant>

namespace nnrt::vulkan {
namespace {

// Upper bound of the bytes that cross the bus if the edge is direct.
struct Crossing {
  uint64_t read = 0, written = 0;
};

uint64_t count_workgroups(const Step& step) {
  if (!std::holds_alternative<Dispatch>(step.command)) return 1;
  return uint64_t(step.groups[0]) * step.groups[1] * step.groups[2];
}

// Each workgroup may read the entire region; together they write it once.
Crossing crossing_of(const Program& program, uint32_t edge) {
  Crossing sum;
  for (const Step& step : program.steps) {
    for (size_t i = 0; i < step.regions.size(); ++i) {
      const BufferRegion& region = step.regions[i];
      if (region.kind != BufferRegion::Kind::edge || region.index != edge) continue;
      if (step.access[i].reads) sum.read += region.bytes * count_workgroups(step);
      if (step.access[i].writes) sum.written += region.bytes;
    }
  }
  return sum;
}

}  // namespace

void choose_direct_edges(Program& program, const DevicePlan& plan) {
  for (uint32_t i = 0; i < program.edges.size(); ++i) {
    Edge& edge = program.edges[i];
    const DirectLimits& limits = plan.host.direct;
    const Crossing crossing = crossing_of(program, i);
    const bool reads_little = crossing.read == 0 || edge.bytes <= limits.read_tensor;
    edge.direct =
        edge.used && reads_little && crossing.read <= limits.read && crossing.written <= limits.written;
  }
}

}  // namespace nnrt::vulkan
