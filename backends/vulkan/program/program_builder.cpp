#include "backends/vulkan/passes/concat_elision.h"
#include "backends/vulkan/passes/deferred_copies.h"
#include "backends/vulkan/passes/needless_casts.h"
#include "backends/vulkan/passes/needless_transposes.h"
#include "backends/vulkan/passes/wanted_rows.h"
#include "backends/vulkan/program/allocatable_shapes.h"
#include "backends/vulkan/program/program_arena.h"
#include "backends/vulkan/program/tensor_places.h"
#include "backends/vulkan/program/vulkan_program.h"
#include "core/base/text.h"
#include "core/schema/data_movement/copy_regions.h"
#include "core/schema/infer.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace nnrt::vulkan {
namespace {

constexpr size_t kNone = std::numeric_limits<size_t>::max();

constexpr Buffer tensor_buffer(TensorId id) { return {Buffer::Space::tensor, id}; }

class Builder final : public CommandSink {
 public:
  Builder(const Graph& graph, std::span<const Shape> shapes, const DevicePlan& plan, Constants& constants);

  Status lower_nodes();
  Result<Program> finish();

  void add(Command command) override;
  bool arrange(const Copy& copy) override;
  Buffer scratch(size_t bytes) override;
  Buffer packed(TensorId tensor, std::string_view form, const std::function<Bytes()>& pack,
                uint64_t bytes) override;
  std::optional<ConcatSlice> concat_slice(TensorId output) override;
  std::optional<Buffer> float_input(TensorId fp16, bool is_rounded) override {
    return buffer_of(casts_.float_input(fp16, is_rounded));
  }
  std::optional<Buffer> float_output(TensorId fp16, bool is_rounded) override {
    return buffer_of(casts_.float_output(fp16, is_rounded));
  }
  Image image(TensorId tensor) override;
  std::optional<RowPlaces> input_rows(TensorId tensor, uint32_t unit) override;
  std::optional<RowPlaces> output_rows(TensorId tensor, uint32_t unit) override;
  bool is_stored_in_concat(TensorId tensor) const override { return placed_[tensor]; }
  void alias(TensorId output, TensorId input, size_t bytes) override;

 private:
  struct Lowered {
    const Node* node;
    Command command;
  };

  NodeView view_of(const Node& node) const { return {graph_, node, shapes_, values_}; }
  Status lower(const Node& node);
  Status lower_with_needed(const Node& node);
  Status lower_deferred(std::span<const TensorId> read);
  Status lower_attention(const Node& node);
  Result<bool> interleave_copies(const NodeView& view);
  Status compose_copies(const Node& node, const ComposedCopies& copies);
  static std::optional<Buffer> buffer_of(std::optional<TensorId> tensor) {
    return tensor ? std::optional(tensor_buffer(*tensor)) : std::nullopt;
  }
  std::optional<RowPlaces> row_places(TensorId tensor, const CopiedRows& rows, uint32_t unit) const;
  uint64_t bytes_of(const Buffer& buffer) const;
  std::string describe(const Buffer& buffer) const;
  TensorId owner(TensorId tensor) { return places_.of(tensor).owner; }
  bool is_intermediate(TensorId tensor) const;

  bool lies_there(const Copy& copy);
  bool is_between_edges(const Copy& copy);
  bool become_view(const Copy& copy);
  bool compute_in_place(const Copy& copy);

  // The region of a buffer that a step uses.
  BufferRegion use(const Buffer& buffer);
  Result<Step> make_step(const Command& command);
  void name_parts(const Lowered& lowered, Step& step) const;
  Result<Step> resolve(const Dispatch& dispatch);
  Result<Step> resolve(const Copy& copy);
  Result<Step> resolve(const Fill& fill);
  Status cut(BufferRegion& region, const Slice& slice) const;
  void repeat_outputs();

  const Graph& graph_;
  const std::span<const Shape> shapes_;
  const std::vector<const std::byte*> values_;
  const DevicePlan& plan_;
  Constants& constants_;

  const Node* node_ = nullptr;  // the node being lowered
  std::vector<Lowered> commands_;
  std::vector<uint64_t> scratch_bytes_;
  TensorPlaces places_;
  const std::map<TensorId, ConcatSlice> concat_slices_;
  NeedlessCasts casts_;
  NeedlessTransposes transposes_;
  DeferredCopies deferred_;
  const WantedRowsFinder wanted_rows_;
  std::vector<TensorId> read_instead_;  // by the node that is being lowered
  std::vector<TensorId> not_read_;      // by it: others are read instead
  std::vector<bool> placed_;            // tensors that were computed there
  std::vector<bool> is_written_;        // tensors whose movement was done by the kernel before it
  std::vector<size_t> input_, output_;  // edges of each tensor, or kNone

  std::map<std::pair<Buffer::Space, uint32_t>, uint32_t> arena_number_;
  std::vector<ArenaBuffer> arena_buffers_;
  Program program_;
};

Builder::Builder(const Graph& graph, std::span<const Shape> shapes, const DevicePlan& plan,
                 Constants& constants)
    : graph_(graph),
      shapes_(shapes),
      values_(constant_values(graph)),
      plan_(plan),
      constants_(constants),
      places_(graph.tensors.size()),
      concat_slices_(plan.kernels.forbids(kConcatElision) ? std::map<TensorId, ConcatSlice>()
                                                          : concat_slices(graph, shapes)),
      casts_(graph, !plan.kernels.forbids(kNeedlessCasts)),
      transposes_(graph, shapes, !plan.kernels.forbids(kNeedlessTransposes)),
      deferred_(graph, !plan.kernels.forbids(kDeferredCopies)),
      wanted_rows_(graph),
      placed_(graph.tensors.size(), false),
      is_written_(graph.tensors.size(), false),
      input_(graph.tensors.size(), kNone),
      output_(graph.tensors.size(), kNone) {
  const auto add_edges = [&](const std::vector<TensorId>& tensors, bool output,
                             std::vector<size_t>& edge_of) {
    for (const TensorId id : tensors) {
      if (edge_of[id] == kNone) edge_of[id] = program_.edges.size();
      program_.edges.push_back({.output = output, .bytes = bytes_of({Buffer::Space::tensor, id})});
    }
  };
  add_edges(graph.inputs, false, input_);
  add_edges(graph.outputs, true, output_);
  for (const TensorId id : graph.outputs) program_.output_shapes.push_back(shapes[id]);
}

Status Builder::lower_nodes() {
  for (const Node& node : graph_.nodes) {
    const NodeView view = view_of(node);
    const bool is_written =
        std::ranges::any_of(node.outputs, [&](TensorId id) { return bool(is_written_[id]); });
    if (is_written || casts_.defer(node) || deferred_.defer(view)) continue;
    NNRT_ASSIGN(const bool is_interleaved, interleave_copies(view));
    if (is_interleaved) continue;
    const bool is_deferred = transposes_.defer(node);
    const ComposedCopies copies = is_deferred ? ComposedCopies() : deferred_.composed_copies(view);
    if (!copies.empty()) {
      NNRT_TRY(compose_copies(node, copies));
      continue;
    }
    if (node.op == Op::attention) {
      NNRT_TRY(lower_attention(node));
      continue;
    }
    NNRT_TRY(lower_deferred(node.inputs));
    if (!is_deferred) NNRT_TRY(lower_with_needed(node));
  }
  return {};
}

Status Builder::lower_deferred(std::span<const TensorId> read) {
  for (const auto& [node, copies] : deferred_.needed_by(read))
    NNRT_TRY(copies.empty() ? lower_with_needed(*node) : compose_copies(*node, copies));
  return {};
}

// It reads what it can where deferred copies would have taken it, and the others come before it.
Status Builder::lower_attention(const Node& node) {
  const auto first = ptrdiff_t(commands_.size());
  not_read_.clear();
  NNRT_TRY(lower_with_needed(node));
  const auto behind = ptrdiff_t(commands_.size());
  std::vector<TensorId> read = node.inputs;
  std::erase_if(read, [&](TensorId id) { return std::ranges::find(not_read_, id) != not_read_.end(); });
  NNRT_TRY(lower_deferred(read));
  std::rotate(commands_.begin() + first, commands_.begin() + behind, commands_.end());
  return {};
}

// Casts and transposes that the node did not take come before it.
Status Builder::lower_with_needed(const Node& node) {
  const auto first = ptrdiff_t(commands_.size());
  read_instead_.clear();
  NNRT_TRY(lower(node));
  std::vector<TensorId> read = node.inputs;
  read.insert(read.end(), read_instead_.begin(), read_instead_.end());
  std::vector<const Node*> needed = casts_.needed_by(read);
  if (const Node* transpose = transposes_.needed_by(node)) needed.push_back(transpose);
  for (const Node* earlier : needed) {
    const auto behind = ptrdiff_t(commands_.size());
    NNRT_TRY(lower_with_needed(*earlier));
    std::rotate(commands_.begin() + first, commands_.begin() + behind, commands_.end());
  }
  return {};
}

Status Builder::lower(const Node& node) {
  const NodeView view = view_of(node);
  node_ = &node;
  const Lowering* rules = lowering(node.op);
  if (rules == nullptr) return unsupported(name(node.op), " has no GPU kernel.");
  if (const Refusal refusal = rules->refuse(view, plan_)) {
    return unsupported(*refusal).during(cat("lowering ", name(node.op)));
  }
  if (Status status = rules->lower({view, plan_, *this}); !status.ok()) {
    return std::move(status).error().during(cat("lowering ", name(node.op)));
  }
  return {};
}

Result<bool> Builder::interleave_copies(const NodeView& view) {
  const std::vector<InterleavedCopy> interleaved_copies = deferred_.interleaved_copies(view);
  for (const InterleavedCopy& copy : interleaved_copies) {
    for (const Node* cast : casts_.needed_by(std::array{copy.first.tensor, copy.second.tensor}))
      NNRT_TRY(lower(*cast));
  }
  const LoweringContext context{view, plan_, *this};
  node_ = &view.node();
  for (size_t i = 0; i < interleaved_copies.size(); ++i)
    add_interleaved_copy(context, interleaved_copies[i], context.output(i));
  return !interleaved_copies.empty();
}

Status Builder::compose_copies(const Node& node, const ComposedCopies& copies) {
  for (const std::vector<CopiedRegion>& parts : copies) {
    for (const CopiedRegion& part : parts)
      for (const Node* cast : casts_.needed_by(std::array{part.source})) NNRT_TRY(lower(*cast));
  }
  const NodeView view = view_of(node);
  node_ = &node;
  return add_composed_copies({view, plan_, *this}, copies);
}

void Builder::add(Command command) {
  if (const auto* copy = std::get_if<Copy>(&command); copy != nullptr && lies_there(*copy)) return;
  commands_.push_back({node_, std::move(command)});
}

bool Builder::arrange(const Copy& copy) {
  if (lies_there(copy)) return true;
  const bool is_bound =
      bytes_of(copy.from) <= plan_.max_storage_range && bytes_of(copy.to) <= plan_.max_storage_range;
  if (is_bound && !is_between_edges(copy)) return false;
  commands_.push_back({node_, copy});
  return true;
}

bool Builder::lies_there(const Copy& copy) {
  return is_data_movement(node_->op) && (become_view(copy) || compute_in_place(copy));
}

// The client may have both in one memory (shared_edges.h), where only commands leave out what stays.
bool Builder::is_between_edges(const Copy& copy) {
  if (copy.from.space != Buffer::Space::tensor || copy.to.space != Buffer::Space::tensor) return false;
  return input_[owner(copy.from.id)] != kNone && output_[owner(copy.to.id)] != kNone;
}

Buffer Builder::scratch(size_t bytes) {
  scratch_bytes_.push_back(bytes);
  return {Buffer::Space::scratch, uint32_t(scratch_bytes_.size() - 1)};
}

Buffer Builder::packed(TensorId tensor, std::string_view form, const std::function<Bytes()>& pack,
                       uint64_t bytes) {
  return {Buffer::Space::packed, constants_.packed(tensor, form, pack, bytes)};
}

Image Builder::image(TensorId tensor) {
  const std::optional<TensorId> planes = transposes_.take(tensor);
  if (planes) read_instead_.push_back(*planes);
  return {tensor_buffer(planes.value_or(tensor)), planes.has_value()};
}

std::optional<RowPlaces> Builder::row_places(TensorId tensor, const CopiedRows& rows, uint32_t unit) const {
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

std::optional<RowPlaces> Builder::input_rows(TensorId tensor, uint32_t unit) {
  const auto source = deferred_.source_of(tensor);
  const auto rows = source ? rows_copied_from(source->region, shapes_[tensor]) : std::nullopt;
  auto places = rows ? row_places(source->source, *rows, unit) : std::nullopt;
  if (!places) return std::nullopt;
  not_read_.push_back(tensor);
  read_instead_.push_back(source->source);
  return places;
}

std::optional<RowPlaces> Builder::output_rows(TensorId tensor, uint32_t unit) {
  if (plan_.kernels.forbids(kDeferredCopies)) return std::nullopt;
  const auto wanted = wanted_rows_.find(tensor, shapes_, values_);
  auto places = wanted ? row_places(wanted->tensor, wanted->rows, unit) : std::nullopt;
  if (!places || places->slice != Slice{}) return std::nullopt;
  for (const Node* movement : wanted->movement) is_written_[movement->outputs[0]] = true;
  return places;
}

std::optional<ConcatSlice> Builder::concat_slice(TensorId output) {
  const auto found = concat_slices_.find(output);
  if (found == concat_slices_.end()) return std::nullopt;
  placed_[output] = true;
  return found->second;
}

// A part of a tensor in one piece, as SPLIT and SLICE take it along the outermost axis, can stay where it is.
bool Builder::become_view(const Copy& copy) {
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

// Inputs of CONCAT and STACK along the outermost axis can be computed in the result. Kernels write whole
// vectors, so that one must end where its neighbour begins.
bool Builder::compute_in_place(const Copy& copy) {
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
  // The output may have been filled by a command before this one, and what was computed before that be lost.
  const bool joins = node_->op == Op::concat || node_->op == Op::stack;
  bool is_written = false;
  for (size_t i = commands_.size(); !joins && i-- > 0 && commands_[i].node == node_;)
    is_written = is_written || !std::holds_alternative<Copy>(commands_[i].command);
  if (reads != 1 || is_written || !is_intermediate(source) || owner(copy.to.id) != copy.to.id) return false;
  places_.put(source, {copy.to.id, piece.to});
  return true;
}

void Builder::alias(TensorId output, TensorId input, size_t bytes) {
  const TensorPlace at = places_.of(input);
  const TensorId source = at.owner;
  if (output_[output] == kNone) {
    places_.put(output, at);
    return;
  }
  // An intermediate can be computed in the memory of the graph's output at once.
  if (is_intermediate(source) && bytes_of(tensor_buffer(source)) == bytes) {
    places_.put(source, {output, 0});
    return;
  }
  add(Copy{{Buffer::Space::tensor, input}, {Buffer::Space::tensor, output}, {{0, 0, bytes}}});
}

uint64_t Builder::bytes_of(const Buffer& buffer) const {
  switch (buffer.space) {
    case Buffer::Space::tensor:
      return tensor_bytes(graph_.tensors[buffer.id], shapes_[buffer.id]).value_or(0);
    case Buffer::Space::scratch: return scratch_bytes_[buffer.id];
    case Buffer::Space::packed: break;
  }
  return constants_.packed_region(buffer.id).bytes;
}

std::string Builder::describe(const Buffer& buffer) const {
  if (buffer.space == Buffer::Space::tensor) return cat("Tensor '", graph_.tensors[buffer.id].name, "'");
  return buffer.space == Buffer::Space::scratch ? "A temporary buffer" : "A packed constant";
}

bool Builder::is_intermediate(TensorId tensor) const {
  return input_[tensor] == kNone && output_[tensor] == kNone && !graph_.tensors[tensor].is_constant();
}

// A node that is computed in its slice of a CONCAT's result writes nothing else of it, and the CONCAT copies
// each of its other inputs to a part of its own.
void Builder::name_parts(const Lowered& lowered, Step& step) const {
  const auto* const dispatch = std::get_if<Dispatch>(&lowered.command);
  if (dispatch == nullptr) return;
  for (size_t i = 0; i < step.regions.size(); ++i) {
    const Buffer& buffer = dispatch->buffers[i];
    if (buffer.space != Buffer::Space::tensor) continue;
    for (const TensorId output : lowered.node->outputs) {
      const bool is_slice = placed_[output] && concat_slices_.at(output).buffer == buffer;
      if (is_slice) step.regions[i].part = {buffer.id, output + 1};
    }
    const bool is_concat = lowered.node->op == Op::concat && buffer.id == lowered.node->outputs[0];
    if (is_concat)
      step.regions[i].part = {buffer.id, uint32_t(graph_.tensors.size() + program_.steps.size())};
  }
}

BufferRegion Builder::use(const Buffer& buffer) {
  const uint64_t bytes = whole_vectors(bytes_of(buffer));
  if (buffer.space == Buffer::Space::packed) return constants_.packed_region(buffer.id);
  uint32_t id = buffer.id;
  uint64_t offset = 0;
  if (buffer.space == Buffer::Space::tensor) {
    const TensorPlace at = places_.of(id);
    id = at.owner;
    offset = at.offset;
    if (graph_.tensors[id].is_constant()) {
      BufferRegion region = constants_.raw(id, graph_.tensors[id].data);
      region.bytes = std::min(region.bytes, bytes);
      return region;
    }
    if (const size_t edge = input_[id] != kNone ? input_[id] : output_[id]; edge != kNone) {
      program_.edges[edge].used = true;
      return {BufferRegion::Home::edge, uint32_t(edge), offset, bytes};
    }
  }
  const auto [entry, fresh] = arena_number_.try_emplace({buffer.space, id}, uint32_t(arena_buffers_.size()));
  if (fresh) arena_buffers_.push_back({{buffer.space, id}, whole_vectors(bytes_of({buffer.space, id}))});
  return {BufferRegion::Home::arena, entry->second, offset, bytes};
}

Result<Step> Builder::make_step(const Command& command) {
  return std::visit([&](const auto& kind) { return resolve(kind); }, command);
}

Result<Step> Builder::resolve(const Dispatch& dispatch) {
  Step made{dispatch};
  NNRT_ASSIGN(made.groups, count_groups(dispatch, plan_));
  for (size_t i = 0; i < dispatch.buffers.size(); ++i) {
    const Buffer& buffer = dispatch.buffers[i];
    made.regions.push_back(use(buffer));
    if (i < dispatch.slices.size()) NNRT_TRY(cut(made.regions.back(), dispatch.slices[i]));
    NNRT_TRY(check_bound(describe(buffer), made.regions.back().bytes, plan_));
  }
  return made;
}

Status Builder::cut(BufferRegion& region, const Slice& slice) const {
  if (slice == Slice{}) return {};
  const bool is_aligned = slice.offset % plan_.storage_alignment == 0 && slice.bytes % kVectorBytes == 0;
  if (!is_aligned || slice.bytes == 0 || !is_within(slice.offset, slice.bytes, region.bytes)) {
    return Error{Code::failed, cat("A part (", slice.bytes, " bytes from ", slice.offset,
                                   " on) of a buffer cannot be bound.")};
  }
  region.offset += slice.offset;
  region.bytes = slice.bytes;
  return {};
}

Result<Step> Builder::resolve(const Copy& copy) {
  Step made{copy, {use(copy.from), use(copy.to)}, {{true, false}, {false, true}}};
  for (const Copy::Piece& piece : copy.pieces) {
    if (!is_within(piece.from, piece.bytes, made.regions[0].bytes) ||
        !is_within(piece.to, piece.bytes, made.regions[1].bytes)) {
      return Error{Code::failed, cat("A copy (", piece.bytes, " bytes) goes beyond its buffers.")};
    }
  }
  return made;
}

Result<Step> Builder::resolve(const Fill& fill) { return Step{fill, {use(fill.to)}, {{false, true}}}; }

// Outputs that the client lists more than once.
void Builder::repeat_outputs() {
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    const size_t edge = graph_.inputs.size() + i;
    const size_t first = output_[graph_.outputs[i]];
    if (first == edge) continue;
    const uint64_t bytes = program_.edges[edge].bytes;
    program_.edges[edge].used = true;
    const auto region = [&](size_t index) {
      return BufferRegion{BufferRegion::Home::edge, uint32_t(index), 0, whole_vectors(bytes)};
    };
    program_.steps.push_back(
        {Copy{{}, {}, {{0, 0, bytes}}}, {region(first), region(edge)}, {{true, false}, {false, true}}});
  }
}

Result<Program> Builder::finish() {
  for (const Lowered& lowered : commands_) {
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

}  // namespace

Result<Program> build_program(const Graph& graph, std::span<const Shape> shapes, const DevicePlan& plan,
                              Constants& constants) {
  NNRT_TRY(check_shapes(graph, shapes));
  Builder builder(graph, shapes, plan, constants);
  NNRT_TRY(builder.lower_nodes());
  return builder.finish();
}

}  // namespace nnrt::vulkan
