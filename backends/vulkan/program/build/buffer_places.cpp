// ProgramBuilder's memory placement of tensors.
#include "backends/vulkan/program/build/program_builder.h"
#include "core/base/text.h"
#include "core/memory/deferred_bytes.h"

#include <algorithm>

namespace nnrt::vulkan {

// Lowers the nodes that wait for a command that reads their result.
void ProgramBuilder::need(const Buffer& buffer) {
  if (buffer.space != Buffer::Space::tensor) return;
  for (const auto& [node, copies] : views_.needed_by(buffer.id))
    if (status_.ok()) status_ = lower(*node, copies);
}

void ProgramBuilder::add(Command command) {
  if (const auto* dispatch = std::get_if<Dispatch>(&command)) {
    for (const Buffer& buffer : dispatch->buffers) need(buffer);
  } else if (const auto* copy = std::get_if<Copy>(&command)) {
    need(copy->from);
  }
  commands_.push_back({node_, std::move(command)});
}

bool ProgramBuilder::elide(const Copy& copy) {
  need(copy.from);
  if (become_view(copy) || compute_in_place(copy)) return true;
  const bool is_bound =
      bytes_of(copy.from) <= plan_.max_storage_range && bytes_of(copy.to) <= plan_.max_storage_range;
  if (is_bound && !is_between_edges(copy)) return false;
  add(copy);
  return true;
}

// The client may bind both edges to the same memory (shared_edges.h); only copy commands can then skip the
// copy.
bool ProgramBuilder::is_between_edges(const Copy& copy) {
  if (copy.from.space != Buffer::Space::tensor || copy.to.space != Buffer::Space::tensor) return false;
  return input_[owner(copy.from.id)] != kNone && output_[owner(copy.to.id)] != kNone;
}

Buffer ProgramBuilder::scratch(size_t bytes) {
  scratch_bytes_.push_back(bytes);
  return {Buffer::Space::scratch, uint32_t(scratch_bytes_.size() - 1)};
}

// Constants of a restored model may not have been read yet, and are not needed if the cache has them packed.
Buffer ProgramBuilder::packed(TensorId tensor, std::string_view form, const Packing& packing,
                              uint64_t bytes) {
  if (!constants_.has(tensor, form, bytes)) {
    for (const TensorId id : node_->inputs) require_read(graph_.tensors[id].data);
  }
  return {Buffer::Space::packed, constants_.packed(tensor, form, packing, bytes)};
}

View ProgramBuilder::view(const View& own, View::Takes takes) {
  const bool writes = std::ranges::count(node_->outputs, own.buffer.id) > 0;
  return writes ? views_.write(own, takes) : views_.read(own, takes);
}

// All of a tensor, or a contiguous part, as from SPLIT and SLICE along the outermost axis, shares its memory.
bool ProgramBuilder::become_view(const Copy& copy) {
  if (copy.pieces.size() != 1 || copy.from.space != Buffer::Space::tensor ||
      copy.to.space != Buffer::Space::tensor) {
    return false;
  }
  const Copy::Piece& piece = copy.pieces[0];
  const TensorPlace source = places_.of(copy.from.id);
  const uint64_t offset = source.offset + piece.from;
  const bool is_all = piece.to == 0 && piece.bytes == bytes_of(copy.to);
  const bool is_whole = offset == 0 && piece.bytes == bytes_of(tensor_buffer(source.owner));
  if (!is_all || !is_intermediate(copy.to.id) || (graph_.tensors[source.owner].is_constant() && !is_whole) ||
      offset % plan_.storage_alignment != 0 ||
      !is_within(offset, whole_vectors(piece.bytes), whole_vectors(bytes_of(tensor_buffer(source.owner))))) {
    return false;
  }
  places_.put(copy.to.id, {source.owner, offset});
  return true;
}

// What becomes the client's tensor, and inputs of CONCAT and STACK along the outermost axis, are computed
// directly in the result. Kernels write whole vectors, so each input must end where the next one begins.
bool ProgramBuilder::compute_in_place(const Copy& copy) {
  if (copy.pieces.size() != 1 || copy.from.space != Buffer::Space::tensor ||
      copy.to.space != Buffer::Space::tensor) {
    return false;
  }
  const Copy::Piece& piece = copy.pieces[0];
  const TensorId source = owner(copy.from.id);
  const uint64_t bytes = bytes_of(tensor_buffer(source));
  const bool is_all = piece.from == 0 && piece.bytes == bytes && piece.bytes == bytes_of(copy.from);
  const bool is_whole = bytes == bytes_of(copy.to);
  const bool fits = bytes > 0 && bytes % kVectorBytes == 0 && piece.to % plan_.storage_alignment == 0;
  if (!is_all || !(is_whole || fits)) return false;
  const auto reads = std::ranges::count_if(node_->inputs, [&](TensorId id) { return owner(id) == source; });
  // Not if an earlier command filled the output: what was computed in it before would be lost.
  const bool joins = node_->op == Op::concat || node_->op == Op::stack;
  bool is_written = false;
  for (size_t i = first_; !joins && i < commands_.size(); ++i) {
    is_written =
        is_written || (commands_[i].node == node_ && !std::holds_alternative<Copy>(commands_[i].command));
  }
  if (reads != 1 || is_written || !is_intermediate(source) || owner(copy.to.id) != copy.to.id) return false;
  places_.put(source, {copy.to.id, piece.to});
  return true;
}

uint64_t ProgramBuilder::bytes_of(const Buffer& buffer) const {
  switch (buffer.space) {
    case Buffer::Space::tensor:
      return tensor_bytes(graph_.tensors[buffer.id], shapes_[buffer.id]).value_or(0);
    case Buffer::Space::scratch: return scratch_bytes_[buffer.id];
    case Buffer::Space::packed: break;
  }
  return constants_.packed_region(buffer.id).bytes;
}

std::string ProgramBuilder::describe(const Buffer& buffer) const {
  if (buffer.space == Buffer::Space::tensor) return cat("Tensor '", graph_.tensors[buffer.id].name, "'");
  return buffer.space == Buffer::Space::scratch ? "A temporary buffer" : "A packed constant";
}

bool ProgramBuilder::is_intermediate(TensorId tensor) const {
  return input_[tensor] == kNone && output_[tensor] == kNone && !graph_.tensors[tensor].is_constant();
}

}  // namespace nnrt::vulkan
