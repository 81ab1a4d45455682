#include "backends/vulkan/program/build/program_builder.h"

#include "core/base/text.h"
#include "core/schema/infer.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

// Code::unsupported if an input or a node's output has a shape that is not static or too large.
Status check_shapes(const Graph& graph, std::span<const Shape> shapes) {
  const auto check = [&](TensorId id) -> Status {
    if (tensor_bytes(graph.tensors[id], shapes[id])) return {};
    return unsupported("The shape ", to_string(shapes[id]), " of tensor '", graph.tensors[id].name,
                       "' cannot be allocated on the GPU.");
  };
  for (const TensorId id : graph.inputs) NNRT_TRY(check(id));
  for (const Node& node : graph.nodes) {
    for (const TensorId id : node.outputs) NNRT_TRY(check(id));
  }
  return {};
}

}  // namespace

ProgramBuilder::ProgramBuilder(const Graph& graph, std::span<const Shape> shapes, const DevicePlan& plan,
                               Constants& constants)
    : graph_(graph),
      shapes_(shapes),
      values_(constant_values(graph)),
      plan_(plan),
      constants_(constants),
      places_(graph.tensors.size()),
      views_(graph, shapes, values_, plan),
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
  for (const Node& node : graph_.nodes)
    if (!views_.skip(view_of(node))) NNRT_TRY(lower(node));
  return {};
}

// By `copies` if there are any.
Status ProgramBuilder::lower(const Node& node, const ComposedCopies& copies) {
  const NodeView view = view_of(node);
  const Node* const outer = std::exchange(node_, &node);
  const size_t outer_first = std::exchange(first_, commands_.size());
  const LoweringContext context{view, plan_, *this};
  const auto interleaved =
      copies.empty() ? views_.copies().interleaved_copies(view) : std::vector<InterleavedCopy>();
  const ComposedCopies composed = copies.empty() ? views_.copies().composed_copies(view) : copies;
  Status status;
  if (!interleaved.empty()) {
    for (size_t i = 0; i < interleaved.size(); ++i)
      add_interleaved_copy(context, interleaved[i], context.output(i));
  } else {
    status = composed.empty() ? lower_by_rules(context) : add_composed_copies(context, composed);
  }
  node_ = outer;
  first_ = outer_first;
  return status.ok() ? std::exchange(status_, {}) : status;
}

Status ProgramBuilder::lower_by_rules(const LoweringContext& context) {
  const Op op = context.node.op();
  const Lowering* rules = lowering(op);
  if (rules == nullptr) return unsupported(name(op), " has no GPU kernel.");
  if (const Refusal refusal = rules->refuse(context.node, plan_))
    return unsupported(*refusal).during(cat("lowering ", name(op)));
  Status status = rules->lower({context.node, plan_, *this, rules->takes});
  return status.ok() ? status : std::move(status).error().during(cat("lowering ", name(op)));
}

Result<Program> build_program(const Graph& graph, std::span<const Shape> shapes, const DevicePlan& plan,
                              Constants& constants) {
  NNRT_TRY(check_shapes(graph, shapes));
  ProgramBuilder builder(graph, shapes, plan, constants);
  NNRT_TRY(builder.lower_nodes());
  return builder.finish();
}

}  // namespace nnrt::vulkan
