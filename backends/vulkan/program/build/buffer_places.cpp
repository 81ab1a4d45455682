// ProgramBuilder's memory placement of tensors.
#include "backends/vulkan/program/build/program_builder.h"
#include "core/base/text.h"
#include "core/memory/deferred_bytes.h"

#include <algorithm>

namespace nnrt::vulkan {

void ProgramBuilder::add(Command command) {
  if (const auto* copy = std::get_if<Copy>(&command); copy != nullptr && lies_there(*copy)) return;
  commands_.push_back({node_, std::move(command)});
}

bool ProgramBuilder::arrange(const Copy& copy) {
  if (lies_there(copy)) return true;
  const bool is_bound =
      bytes_of(copy.from) <= plan_.max_storage_range && bytes_of(copy.to) <= plan_.max_storage_range;
  if (is_bound && !is_between_edges(copy)) return false;
  commands_.push_back({node_, copy});
  return true;
}

bool ProgramBuilder::lies_there(const Copy& copy) {
  return is_data_movement(node_->op) && (become_view(copy) || compute_in_place(copy));
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

Image ProgramBuilder::image(TensorId tensor) {
  const std::optional<TensorId> planes = transposes_.take(tensor);
  if (planes) read_instead_.push_back(*planes);
  return {tensor_buffer(planes.value_or(tensor)), planes.has_value()};
}

std::optional<RowPlaces> ProgramBuilder::row_places(TensorId tensor, const CopiedRows& rows,
                                                    uint32_t unit) const {
  const size_t element_bytes = size_of(graph_.tensors[tensor].dtype);
  const uint64_t from = uint64_t(rows.offset) * element_bytes,
                 bytes = whole_vectors(bytes_of(tensor_buffer(tensor)));
  RowPlaces places{.buffer = tensor_buffer(tensor)};
  for (size_t d = 0; d < places.strides.size(); ++d) {
    places.strides[d] = uint32_t(rows.strides[d]);
    if (rows.strides[d] % unit != 0) return std::nullopt;
  }
  const bool is_bound = from % plan_.storage_alignment == 0 && from % kVectorBytes == 0 && from < bytes;
  if (!is_bound || !count_of(shapes_[tensor]).ok()) return std::nullopt;
  if (from > 0) places.slice = {from, bytes - from};
  return places;
}

std::optional<RowPlaces> ProgramBuilder::input_rows(TensorId tensor, uint32_t unit) {
  const auto source = deferred_.source_of(tensor);
  const auto rows = source ? rows_copied_from(source->region, shapes_[tensor]) : std::nullopt;
  auto places = rows ? row_places(source->source, *rows, unit) : std::nullopt;
  if (!places) return std::nullopt;
  not_read_.push_back(tensor);
  read_instead_.push_back(source->source);
  return places;
}

std::optional<RowPlaces> ProgramBuilder::output_rows(TensorId tensor, uint32_t unit) {
  if (plan_.kernels.forbids(kDeferredCopies)) return std::nullopt;
  const auto wanted = wanted_rows_.find(tensor, shapes_, values_);
  auto places = wanted ? row_places(wanted->tensor, wanted->rows, unit) : std::nullopt;
  if (!places || places->slice != Slice{}) return std::nullopt;
  for (const Node* movement : wanted->movement) is_written_[movement->outputs[0]] = true;
  return places;
}

std::optional<ConcatSlice> ProgramBuilder::concat_slice(TensorId output) {
  const auto found = concat_slices_.find(output);
  if (found == concat_slices_.end()) return std::nullopt;
  placed_[output] = true;
  return found->second;
}

// A contiguous part of a tensor, as from SPLIT and SLICE along the outermost axis, becomes a view.
bool ProgramBuilder::become_view(const Copy& copy) {
  if (copy.pieces.size() != 1 || copy.from.space != Buffer::Space::tensor ||
      copy.to.space != Buffer::Space::tensor) {
    return false;
  }
  const Copy::Piece& piece = copy.pieces[0];
  const TensorPlace source = places_.of(copy.from.id);
  const uint64_t offset = source.offset + piece.from;
  const bool is_all = piece.to == 0 && piece.bytes == bytes_of(copy.to) && piece.bytes > 0;
  if (!is_all || !is_intermediate(copy.to.id) || graph_.tensors[source.owner].is_constant() ||
      offset % plan_.storage_alignment != 0 ||
      !is_within(offset, whole_vectors(piece.bytes), whole_vectors(bytes_of(tensor_buffer(source.owner))))) {
    return false;
  }
  places_.put(copy.to.id, {source.owner, offset});
  return true;
}

// Inputs of CONCAT and STACK along the outermost axis are computed directly in the result. Kernels write
// whole vectors, so each input must end where the next one begins.
bool ProgramBuilder::compute_in_place(const Copy& copy) {
  if (copy.pieces.size() != 1 || copy.from.space != Buffer::Space::tensor ||
      copy.to.space != Buffer::Space::tensor) {
    return false;
  }
  const Copy::Piece& piece = copy.pieces[0];
  const TensorId source = owner(copy.from.id);
  const uint64_t bytes = bytes_of(tensor_buffer(source));
  const bool is_all = piece.from == 0 && piece.bytes == bytes && piece.bytes == bytes_of(copy.from);
  if (!is_all || bytes == 0 || bytes % kVectorBytes != 0 || piece.to % plan_.storage_alignment != 0)
    return false;
  const auto reads = std::ranges::count_if(node_->inputs, [&](TensorId id) { return owner(id) == source; });
  // Not if an earlier command filled the output: what was computed in it before would be lost.
  const bool joins = node_->op == Op::concat || node_->op == Op::stack;
  bool is_written = false;
  for (size_t i = commands_.size(); !joins && i-- > 0 && commands_[i].node == node_;)
    is_written = is_written || !std::holds_alternative<Copy>(commands_[i].command);
  if (reads != 1 || is_written || !is_intermediate(source) || owner(copy.to.id) != copy.to.id) return false;
  places_.put(source, {copy.to.id, piece.to});
  return true;
}

void ProgramBuilder::alias(TensorId output, TensorId input, size_t bytes) {
  const TensorPlace at = places_.of(input);
  const TensorId source = at.owner;
  if (output_[output] == kNone) {
    places_.put(output, at);
    return;
  }
  // Compute an intermediate directly in the graph's output.
  if (is_intermediate(source) && bytes_of(tensor_buffer(source)) == bytes) {
    places_.put(source, {output, 0});
    return;
  }
  add(Copy{{Buffer::Space::tensor, input}, {Buffer::Space::tensor, output}, {{0, 0, bytes}}});
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
