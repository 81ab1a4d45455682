#include "backends/vulkan/postponed_moves.h"

#include "backends/vulkan/lower/copied.h"
#include "core/rules.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

constexpr size_t kMostParts = 8;  // of a tensor; what is made of more is better copied together first

// Whether it moves words that stay what they are.
bool moves_words(const NodeView& node) {
  if (!is_movement(node.op()) || size_of(node.dtype()) != 4) return false;
  for (size_t i = 0; i < moved_inputs(node.node()); ++i) {
    for (size_t output = 0; output < node.output_count(); ++output) {
      if (requantizes(node.schema(), node.input(i), node.output(output))) return false;
    }
  }
  return true;
}

}  // namespace

PostponedMoves::PostponedMoves(const Graph& graph)
    : is_moved_(graph.tensors.size()), is_read_(graph.tensors.size()) {
  for (const TensorId id : graph.outputs) is_read_[id] = true;
  for (const Node& node : graph.nodes) {
    const size_t moved = is_movement(node.op) ? moved_inputs(node) : 0;
    for (size_t i = 0; i < node.inputs.size(); ++i) (i < moved ? is_moved_ : is_read_)[node.inputs[i]] = true;
  }
}

bool PostponedMoves::feeds_moves_alone(const Node& node) const {
  return std::ranges::all_of(node.outputs, [&](TensorId id) { return is_moved_[id] && !is_read_[id]; });
}

std::optional<std::vector<Part>> PostponedMoves::parts_of(const NodeView& node, const MoveProgram& program,
                                                          size_t output) const {
  std::vector<Part> parts;
  for (const CopyRegion& region : program.regions) {
    if (region.output != output) continue;
    const TensorId input = node.node().inputs[region.input];
    const auto found = postponed_.find(input);
    if (found == postponed_.end()) {
      parts.push_back({input, region});
    } else {
      const auto behind = through(region, found->second.parts);
      if (!behind) return std::nullopt;
      parts.insert(parts.end(), behind->begin(), behind->end());
    }
    if (parts.size() > kMostParts) return std::nullopt;
  }
  return parts;
}

bool PostponedMoves::postpone(const NodeView& node) {
  if (!moves_words(node) || !feeds_moves_alone(node.node())) return false;
  const Result<MoveProgram> program = move_program(node);
  if (!program.ok() || program.value().needs_fill) return false;
  std::vector<std::vector<Part>> made;
  for (size_t output = 0; output < node.output_count(); ++output) {
    auto parts = parts_of(node, program.value(), output);
    if (!parts) return false;
    made.push_back(std::move(*parts));
  }
  for (size_t output = 0; output < made.size(); ++output) {
    postponed_[node.node().outputs[output]] = {&node.node(), std::move(made[output])};
  }
  return true;
}

std::vector<Weave> PostponedMoves::weaves(const NodeView& node) const {
  const auto is_postponed = [&](TensorId id) { return postponed_.contains(id); };
  if (!std::ranges::any_of(node.node().inputs, is_postponed) || !moves_words(node)) return {};
  const Result<MoveProgram> program = move_program(node);
  if (!program.ok() || program.value().needs_fill) return {};
  std::vector<Weave> made;
  for (size_t output = 0; output < node.output_count(); ++output) {
    const auto parts = parts_of(node, program.value(), output);
    const auto count = element_count(node.output_shape(output));
    const auto weave = parts && count ? weave_of(*parts, *count) : std::nullopt;
    if (!weave) return {};
    made.push_back(*weave);
  }
  return made;
}

std::vector<const Node*> PostponedMoves::needed_by(const Node& node) {
  std::vector<const Node*> needed;
  for (const TensorId id : node.inputs) {
    const auto found = postponed_.find(id);
    if (found == postponed_.end()) continue;
    const Node* maker = found->second.node;
    for (const TensorId output : maker->outputs) postponed_.erase(output);
    for (const Node* earlier : needed_by(*maker)) needed.push_back(earlier);
    needed.push_back(maker);
  }
  return needed;
}

}  // namespace nnrt::vulkan
