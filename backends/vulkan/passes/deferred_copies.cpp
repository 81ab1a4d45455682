#include "backends/vulkan/passes/deferred_copies.h"

#include "backends/vulkan/lower/data_movement/requantized_inputs.h"
#include "core/schema/rules.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

constexpr size_t kAttended = 3;  // inputs of ATTENTION: query, key and value
constexpr size_t kMaxParts = 8;  // of a tensor; with more, assembling it first is better

// Returns whether the node moves elements unchanged, of a size that interleave_copy.h supports.
bool copies_elements(const NodeView& node) {
  const size_t bytes = is_data_movement(node.op()) ? size_of(node.dtype()) : 0;
  if (bytes != 2 && bytes != 4) return false;
  for (size_t i = 0; i < data_inputs(node.node()); ++i) {
    for (size_t output = 0; output < node.output_count(); ++output) {
      if (requantizes(node.schema(), node.input(i), node.output(output))) return false;
    }
  }
  return true;
}

}  // namespace

DeferredCopies::DeferredCopies(const Graph& graph, bool is_on)
    : is_on_(is_on),
      is_copied_(graph.tensors.size()),
      is_attended_(graph.tensors.size()),
      is_read_(graph.tensors.size()) {
  for (const TensorId id : graph.outputs) is_read_[id] = true;
  for (const Node& node : graph.nodes) {
    const bool attends = node.op == Op::attention;
    const size_t data = attends ? kAttended : is_data_movement(node.op) ? data_inputs(node) : 0;
    for (size_t i = 0; i < node.inputs.size(); ++i)
      (i >= data ? is_read_ : attends ? is_attended_ : is_copied_)[node.inputs[i]] = true;
  }
}

// ATTENTION does not read through joins, as a join's inputs may be computed directly in its result.
bool DeferredCopies::feeds_only_data_movement(const Node& node) const {
  const bool joins = node.op == Op::concat || node.op == Op::stack;
  return std::ranges::all_of(node.outputs, [&](TensorId id) {
    return !is_read_[id] && (is_copied_[id] || is_attended_[id]) && !(is_attended_[id] && joins);
  });
}

std::optional<CopiedRegion> DeferredCopies::source_of(TensorId tensor) const {
  const auto found = deferred_.find(tensor);
  const bool has_one = found != deferred_.end() && found->second.parts.size() == 1;
  return has_one ? std::optional(found->second.parts[0]) : std::nullopt;
}

std::optional<std::vector<CopiedRegion>> DeferredCopies::parts_of(const NodeView& node,
                                                                  const CopyProgram& program,
                                                                  size_t output) const {
  std::vector<CopiedRegion> parts;
  for (const CopyRegion& region : program.regions) {
    if (region.output != output) continue;
    const TensorId input = node.node().inputs[region.input];
    const auto found = deferred_.find(input);
    if (found == deferred_.end()) {
      parts.push_back({input, region});
    } else {
      const auto behind = through(region, found->second.parts);
      if (!behind) return std::nullopt;
      parts.insert(parts.end(), behind->begin(), behind->end());
    }
    if (parts.size() > kMaxParts) return std::nullopt;
  }
  return parts;
}

std::optional<ComposedCopies> DeferredCopies::parts_of_outputs(const NodeView& node,
                                                               const CopyProgram& program) const {
  ComposedCopies made;
  for (size_t output = 0; output < node.output_count(); ++output) {
    auto parts = parts_of(node, program, output);
    if (!parts) return std::nullopt;
    made.push_back(*std::move(parts));
  }
  return made;
}

bool DeferredCopies::composes(const NodeView& node, const Movement& movement) const {
  std::vector<CopyRegion> behind;
  for (const TensorId id : node.node().inputs) {
    const auto found = deferred_.find(id);
    if (found == deferred_.end()) continue;
    for (const CopiedRegion& part : found->second.parts) behind.push_back(part.region);
  }
  for (size_t output = 0; output < movement.parts.size(); ++output) {
    Composition composition{.own = {}, .behind = behind, .together = movement.parts[output]};
    for (const CopyRegion& region : movement.program.regions)
      if (region.output == output) composition.own.push_back(region);
    if (!composes_well(composition, size_of(node.dtype()))) return false;
  }
  return true;
}

std::optional<DeferredCopies::Movement> DeferredCopies::movement_of(const NodeView& node) const {
  if (!copies_elements(node)) return std::nullopt;
  Result<CopyProgram> program = copy_program(node);
  if (!program.ok() || program.value().needs_fill) return std::nullopt;
  auto parts = parts_of_outputs(node, program.value());
  if (!parts) return std::nullopt;
  return Movement{std::move(program).value(), *std::move(parts)};
}

std::optional<DeferredCopies::Movement> DeferredCopies::movement_behind(const NodeView& node) const {
  const auto is_deferred = [&](TensorId id) { return deferred_.contains(id); };
  return std::ranges::any_of(node.node().inputs, is_deferred) ? movement_of(node) : std::nullopt;
}

bool DeferredCopies::defer(const NodeView& node) {
  if (!is_on_ || !feeds_only_data_movement(node.node())) return false;
  auto made = movement_of(node);
  if (!made) return false;
  const bool is_composed = composes(node, *made);
  for (size_t output = 0; output < made->parts.size(); ++output) {
    deferred_[node.node().outputs[output]] = {&node.node(), std::move(made->parts[output]), is_composed};
  }
  return true;
}

std::vector<InterleavedCopy> DeferredCopies::interleaved_copies(const NodeView& node) const {
  const auto movement = movement_behind(node);
  if (!movement) return {};
  std::vector<InterleavedCopy> made;
  for (size_t output = 0; output < node.output_count(); ++output) {
    const auto count = element_count(node.output_shape(output));
    const auto interleaved = count ? interleaved_copy_of(movement->parts[output], *count) : std::nullopt;
    if (!interleaved) return {};
    made.push_back(*interleaved);
  }
  return made;
}

ComposedCopies DeferredCopies::composed_copies(const NodeView& node) const {
  const auto movement = movement_behind(node);
  return movement && composes(node, *movement) ? movement->parts : ComposedCopies();
}

// Iterative, because chains of deferred copies have any length. Returns nodes in graph order.
std::vector<DeferredCopies::PendingNode> DeferredCopies::needed_by(std::span<const TensorId> read) {
  std::vector<PendingNode> needed;
  std::vector<TensorId> tensors(read.begin(), read.end());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto found = deferred_.find(tensors[i]);
    if (found == deferred_.end()) continue;
    const Node& node = *found->second.node;
    const bool is_composed = found->second.is_composed;
    needed.push_back({&node, {}});
    for (const TensorId output : node.outputs) {
      if (is_composed) needed.back().copies.push_back(std::move(deferred_[output].parts));
      deferred_.erase(output);
    }
    if (is_composed) continue;
    for (const TensorId input : node.inputs) tensors.push_back(input);
  }
  std::ranges::sort(needed, {}, &PendingNode::node);
  return needed;
}

}  // namespace nnrt::vulkan
