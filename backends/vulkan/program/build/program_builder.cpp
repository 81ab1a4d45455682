#include "backends/vulkan/program/build/program_builder.h"

#include "backends/vulkan/program/allocatable_shapes.h"
#include "core/base/text.h"
#include "core/schema/infer.h"

#include <algorithm>

namespace nnrt::vulkan {

ProgramBuilder::ProgramBuilder(const Graph& graph, std::span<const Shape> shapes, const DevicePlan& plan,
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

Status ProgramBuilder::lower_nodes() {
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

Status ProgramBuilder::lower_deferred(std::span<const TensorId> read) {
  for (const auto& [node, copies] : deferred_.needed_by(read))
    NNRT_TRY(copies.empty() ? lower_with_needed(*node) : compose_copies(*node, copies));
  return {};
}

// ATTENTION reads deferred inputs from their sources where it can; the others are lowered before it.
Status ProgramBuilder::lower_attention(const Node& node) {
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

// Lowers the casts and transposes that the node did not elide in front of it.
Status ProgramBuilder::lower_with_needed(const Node& node) {
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

Status ProgramBuilder::lower(const Node& node) {
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

Result<bool> ProgramBuilder::interleave_copies(const NodeView& view) {
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

Status ProgramBuilder::compose_copies(const Node& node, const ComposedCopies& copies) {
  for (const std::vector<CopiedRegion>& parts : copies) {
    for (const CopiedRegion& part : parts)
      for (const Node* cast : casts_.needed_by(std::array{part.source})) NNRT_TRY(lower(*cast));
  }
  const NodeView view = view_of(node);
  node_ = &node;
  return add_composed_copies({view, plan_, *this}, copies);
}

Result<Program> build_program(const Graph& graph, std::span<const Shape> shapes, const DevicePlan& plan,
                              Constants& constants) {
  NNRT_TRY(check_shapes(graph, shapes));
  ProgramBuilder builder(graph, shapes, plan, constants);
  NNRT_TRY(builder.lower_nodes());
  return builder.finish();
}

}  // namespace nnrt::vulkan
