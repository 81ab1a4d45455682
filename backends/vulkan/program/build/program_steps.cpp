// ProgramBuilder's conversion of commands to steps.
#include "backends/vulkan/program/build/program_builder.h"
#include "core/base/text.h"
#include "core/memory/deferred_bytes.h"

#include <algorithm>

namespace nnrt::vulkan {

// Marks the parts of a CONCAT's result that steps write: a node that stores directly into its slice, and the
// CONCAT's copies of its other inputs.
void ProgramBuilder::name_parts(const LoweredNode& lowered, Step& step) const {
  const auto* const dispatch = std::get_if<Dispatch>(&lowered.command);
  if (dispatch == nullptr) return;
  for (size_t i = 0; i < step.regions.size(); ++i) {
    const Buffer& buffer = dispatch->buffers[i];
    if (buffer.space != Buffer::Space::tensor) continue;
    for (const TensorId output : lowered.node->outputs) {
      if (views_.holder_of(output) == buffer) step.regions[i].part = {buffer.id, output + 1};
    }
    const bool is_concat = lowered.node->op == Op::concat && buffer.id == lowered.node->outputs[0];
    if (is_concat)
      step.regions[i].part = {buffer.id, uint32_t(graph_.tensors.size() + program_.steps.size())};
  }
}

BufferRegion ProgramBuilder::use(const Buffer& buffer) {
  const uint64_t bytes = whole_vectors(bytes_of(buffer));
  if (buffer.space == Buffer::Space::packed) return constants_.packed_region(buffer.id);
  uint32_t id = buffer.id;
  uint64_t offset = 0;
  if (buffer.space == Buffer::Space::tensor) {
    const TensorPlace at = places_.of(id);
    id = at.owner;
    offset = at.offset;
    if (graph_.tensors[id].is_constant()) {
      require_read(graph_.tensors[id].data);
      BufferRegion region = constants_.raw(id, graph_.tensors[id].data);
      region.bytes = std::min(region.bytes, bytes);
      return region;
    }
    if (const size_t edge = input_[id] != kNone ? input_[id] : output_[id]; edge != kNone) {
      program_.edges[edge].used = true;
      return {BufferRegion::Kind::edge, uint32_t(edge), offset, bytes};
    }
  }
  const auto [entry, fresh] = arena_number_.try_emplace({buffer.space, id}, uint32_t(arena_buffers_.size()));
  if (fresh) arena_buffers_.push_back({{buffer.space, id}, whole_vectors(bytes_of({buffer.space, id}))});
  return {BufferRegion::Kind::arena, entry->second, offset, bytes};
}

Result<Step> ProgramBuilder::make_step(const Command& command) {
  return std::visit([&](const auto& kind) { return resolve(kind); }, command);
}

Result<Step> ProgramBuilder::resolve(const Dispatch& dispatch) {
  Step made{dispatch};
  NNRT_ASSIGN(made.groups, count_groups(dispatch, plan_));
  NNRT_TRY(check_loops(dispatch, plan_));
  for (size_t i = 0; i < dispatch.buffers.size(); ++i) {
    const Buffer& buffer = dispatch.buffers[i];
    made.regions.push_back(use(buffer));
    if (i < dispatch.slices.size()) NNRT_TRY(cut(made.regions.back(), dispatch.slices[i]));
    NNRT_TRY(check_bound(describe(buffer), made.regions.back().bytes, plan_));
  }
  return made;
}

Status ProgramBuilder::cut(BufferRegion& region, const Slice& slice) const {
  if (slice == Slice{}) return {};
  const uint64_t rest = region.bytes > slice.offset ? region.bytes - slice.offset : 0,
                 bytes = slice.bytes > 0 ? slice.bytes : rest;
  const bool is_aligned = slice.offset % plan_.storage_alignment == 0 && bytes % kVectorBytes == 0;
  if (!is_aligned || bytes == 0 || !is_within(slice.offset, bytes, region.bytes)) {
    return Error{Code::failed,
                 cat("A part (", bytes, " bytes from ", slice.offset, " on) of a buffer cannot be bound.")};
  }
  region.offset += slice.offset;
  region.bytes = bytes;
  return {};
}

Result<Step> ProgramBuilder::resolve(const Copy& copy) {
  Step made{copy, {use(copy.from), use(copy.to)}, {{true, false}, {false, true}}};
  for (const Copy::Piece& piece : copy.pieces) {
    if (!is_within(piece.from, piece.bytes, made.regions[0].bytes) ||
        !is_within(piece.to, piece.bytes, made.regions[1].bytes)) {
      return Error{Code::failed, cat("A copy (", piece.bytes, " bytes) is out of range.")};
    }
  }
  return made;
}

Result<Step> ProgramBuilder::resolve(const Fill& fill) { return Step{fill, {use(fill.to)}, {{false, true}}}; }

// Copies outputs that the client lists more than once.
void ProgramBuilder::repeat_outputs() {
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    const size_t edge = graph_.inputs.size() + i;
    const size_t first = output_[graph_.outputs[i]];
    if (first == edge) continue;
    const uint64_t bytes = program_.edges[edge].bytes;
    program_.edges[edge].used = true;
    const auto region = [&](size_t index) {
      return BufferRegion{BufferRegion::Kind::edge, uint32_t(index), 0, whole_vectors(bytes)};
    };
    program_.steps.push_back(
        {Copy{{}, {}, {{0, 0, bytes}}}, {region(first), region(edge)}, {{true, false}, {false, true}}});
  }
}

Result<Program> ProgramBuilder::finish() {
  for (const LoweredNode& lowered : commands_) {
    const auto* dispatch = std::get_if<Dispatch>(&lowered.command);
    if (dispatch != nullptr && std::ranges::count(dispatch->threads, 0u) > 0) continue;
    auto step = make_step(lowered.command);
    if (!step.ok()) return std::move(step).error().during(cat("lowering ", name(lowered.node->op)));
    program_.steps.push_back(std::move(step).value());
    program_.steps.back().node = NodeId(lowered.node - graph_.nodes.data());
    name_parts(lowered, program_.steps.back());
  }
  repeat_outputs();
  NNRT_TRY(place_arena(program_, arena_buffers_, plan_));
  place_edges(program_, plan_);
  return std::move(program_);
}

}  // namespace nnrt::vulkan
