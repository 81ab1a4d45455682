#include "backends/vulkan/program/shared_edges.h"

#include <algorithm>
#include <variant>

namespace nnrt::vulkan {
namespace {

bool is_of(const BufferRegion& region, uint32_t edge) {
  return region.kind == BufferRegion::Kind::edge && region.index == edge;
}

// Memory ranges that a step reads and writes.
struct StepAccess {
  std::vector<BufferRegion> read, written;
};

BufferRegion part(const BufferRegion& region, size_t from, size_t bytes) {
  return {region.kind, region.index, region.offset + from, bytes};
}

// Pieces from the input to the same place in the output write nothing.
StepAccess touched_by(const Step& step, const Copy& copy, uint32_t input, uint32_t output) {
  const bool is_between = is_of(step.regions[0], input) && is_of(step.regions[1], output);
  StepAccess touched;
  for (const Copy::Piece& piece : copy.pieces) {
    if (is_between && stays(step, piece)) continue;
    touched.read.push_back(part(step.regions[0], piece.from, piece.bytes));
    touched.written.push_back(part(step.regions[1], piece.to, piece.bytes));
  }
  return touched;
}

StepAccess touched_by(const Step& step, uint32_t input, uint32_t output) {
  if (const auto* const copy = std::get_if<Copy>(&step.command))
    return touched_by(step, *copy, input, output);
  StepAccess touched;
  for (size_t i = 0; i < step.regions.size(); ++i)
    (step.access[i].writes ? touched.written : touched.read).push_back(step.regions[i]);
  return touched;
}

}  // namespace

bool stays(const Step& step, const Copy::Piece& piece) {
  return step.regions[0].offset + piece.from == step.regions[1].offset + piece.to;
}

bool may_share(const Program& program, uint32_t input, uint32_t output) {
  std::vector<BufferRegion> written;  // written parts of the output, in terms of the input
  for (const Step& step : program.steps) {
    const StepAccess touched = touched_by(step, input, output);
    for (BufferRegion region : touched.written) {
      if (!is_of(region, output)) continue;
      region.index = input;
      written.push_back(region);
    }
    for (const BufferRegion& read : touched.read) {
      const auto is_over = [&](const BufferRegion& region) { return overlap(region, read); };
      if (is_of(read, input) && std::ranges::any_of(written, is_over)) return false;
    }
  }
  return true;
}

}  // namespace nnrt::vulkan
