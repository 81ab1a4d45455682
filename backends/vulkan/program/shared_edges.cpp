#include "backends/vulkan/program/shared_edges.h"

#include <algorithm>
#include <variant>

namespace nnrt::vulkan {
namespace {

bool is_of(const BufferRegion& region, uint32_t edge) {
  return region.home == BufferRegion::Home::edge && region.index == edge;
}

// Returns whether the step only copies bytes of one edge to their place in the other.
bool moves_nothing(const Step& step, uint32_t input, uint32_t output) {
  const auto* const copy = std::get_if<Copy>(&step.command);
  return copy != nullptr && is_of(step.regions[0], input) && is_of(step.regions[1], output) &&
         std::ranges::all_of(copy->pieces, [&](const Copy::Piece& piece) { return stays(step, piece); });
}

}  // namespace

bool stays(const Step& step, const Copy::Piece& piece) {
  return step.regions[0].offset + piece.from == step.regions[1].offset + piece.to;
}

bool may_share(const Program& program, uint32_t input, uint32_t output) {
  std::vector<BufferRegion> written;
  for (const Step& step : program.steps) {
    if (moves_nothing(step, input, output)) continue;
    for (size_t i = 0; i < step.regions.size(); ++i) {
      if (!is_of(step.regions[i], output) || !step.access[i].writes) continue;
      written.push_back(step.regions[i]);
      written.back().index = input;
    }
    for (const BufferRegion& read : step.regions) {
      const auto is_over = [&](const BufferRegion& region) { return overlap(region, read); };
      if (is_of(read, input) && std::ranges::any_of(written, is_over)) return false;
    }
  }
  return true;
}

}  // namespace nnrt::vulkan
