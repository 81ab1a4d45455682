#include "backends/cpu/engine/cpu_program.h"

#include "backends/cpu/base/empty_nodes.h"
#include "backends/cpu/engine/cpu_device.h"
#include "backends/cpu/engine/steps/included_nodes.h"
#include "backends/cpu/engine/steps/step_passes.h"
#include "core/base/text.h"
#include "core/device/trace_node.h"
#include "core/platform/counters.h"
#include "core/schema/infer.h"
#include "core/schema/validate.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nnrt::cpu {
namespace {

// Kernels access elements through typed pointers.
bool is_aligned(const std::byte* data, const Tensor& tensor) {
  return reinterpret_cast<uintptr_t>(data) % size_of(tensor.dtype) == 0;
}

// As opposed to a machine error or a timeout.
bool is_of_the_operation(const Error& error) {
  return error.code == Code::invalid_parameter || error.code == Code::unsupported ||
         error.code == Code::failed;
}

void copy_counted(std::byte* to, const std::byte* from, size_t bytes) {
  std::memcpy(to, from, bytes);
  count_copied(bytes);
}

class Run {
 public:
  Run(const Program& program, RunContext& context, ThreadPool& pool, std::span<OutputSlot> outputs)
      : program_(program), graph_(*program.graph), context_(context), pool_(pool), outputs_(outputs) {}

  Status bind(std::span<const TensorView> inputs);
  Status step(NodeId node);
  // Copies outputs that no step writes directly: inputs, constants, a tensor that is an output twice.
  Status copy_outputs();

 private:
  // Handles inputs missing because of a deferred error. True: the node is done or skipped too.
  Result<bool> do_without(NodeId id);
  Result<bool> take_chosen(const Node& node);
  void leave_out(const Node& node, uint32_t error);
  bool is_missing(TensorId id) const { return context_.missing[id] != kNowhere; }
  Status compute_step(NodeId id);
  Status infer(const NodeView& view);
  Status check_kernels(const Program::Step& step, const Node& node) const;
  Status compute(NodeId id, const NodeView& view);
  Status compute_here(const Program::Step& step, const NodeView& view);
  void map(const Program::Table& table, const NodeView& view);
  KernelArgs args_of(const Program::Step& step, const NodeView& view) {
    return kernel_args(program_, context_, pool_, step, view, context_.in);
  }
  Status concatenate_inputs(const Program::Step& step);
  Status run_post_ops(std::span<const PostOpNode> post_ops);
  Result<std::byte*> place(TensorId id);
  Result<std::byte*> temporary(TensorId id, size_t bytes);

  const Program& program_;
  const Graph& graph_;
  RunContext& context_;
  ThreadPool& pool_;
  std::span<OutputSlot> outputs_;
};

Status Run::bind(std::span<const TensorView> inputs) {
  context_.shapes = graph_.shapes;
  context_.values = program_.constants;
  context_.temporaries.resize(graph_.tensors.size());
  context_.missing.assign(graph_.tensors.size(), kNowhere);
  context_.errors.clear();
  if (program_.fixed && context_.arena.bytes() < program_.plan.bytes) {
    NNRT_ASSIGN(context_.arena, AlignedMemory::allocate_kept(program_.plan.bytes));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorId id = graph_.inputs[i];
    if (!is_static(graph_.shapes[id])) context_.shapes[id] = inputs[i].shape;
    context_.values[id] = inputs[i].data();
    if (is_aligned(inputs[i].data(), graph_.tensors[id])) continue;
    NNRT_ASSIGN(const size_t bytes, byte_size(graph_.tensors[id], context_.shapes[id]));
    NNRT_ASSIGN(std::byte* const copy, temporary(id, bytes));
    copy_counted(copy, inputs[i].data(), bytes);
    context_.values[id] = copy;
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Shape& shape = context_.shapes[graph_.outputs[i]];
    if (is_static(shape)) outputs_[i].view.shape = shape;
  }
  return {};
}

Status Run::infer(const NodeView& view) {
  NNRT_ASSIGN(std::vector<Shape> inferred, infer_node(view));
  const Node& node = view.node();
  for (size_t k = 0; k < inferred.size(); ++k) {
    if (!is_static(inferred[k]))
      return Error{Code::failed, cat("Shape ", to_string(inferred[k]), " is not known.")};
    const TensorId id = node.outputs[k];
    context_.shapes[id] = std::move(inferred[k]);
    // Another output for the same tensor gets its shape when it is copied.
    if (const uint32_t slot = program_.slots[id]; slot != kNowhere)
      outputs_[slot].view.shape = context_.shapes[id];
  }
  return {};
}

// fuse() assumes that post-op operands don't change the result's shape; kernels assume that the operands they
// read have exactly that shape.
Status Run::check_kernels(const Program::Step& step, const Node& node) const {
  const Shape& result = context_.shapes[node.outputs[0]];
  for (const PostOp& fused : node.post_ops) {
    if (!fused.other) continue;
    const Shape& other = context_.shapes[node.inputs[*fused.other]];
    const auto both = broadcast(result, other);
    const bool fits = step.post_ops.empty() ? other == result : both.ok() && both.value() == result;
    if (!fits) return invalid("Shapes ", to_string(result), " and ", to_string(other), " do not match.");
  }
  return {};
}

void Run::leave_out(const Node& node, uint32_t error) {
  for (const TensorId output : node.outputs) context_.missing[output] = error;
}

// Handles a select with a scalar condition, or a slice to empty, with a missing operand. False: the missing
// operand is the selected one.
Result<bool> Run::take_chosen(const Node& node) {
  const NodeView view(graph_, node, context_.shapes, context_.values);
  const TensorId output = node.outputs[0];
  if (node.op == Op::strided_slice) {
    const bool is_nothing =
        view.integers(1) == std::vector<int64_t>{0} && view.integers(2) == std::vector<int64_t>{0};
    if (!is_nothing || graph_.shapes[output].size() != 1) return false;
    context_.shapes[output] = {0};
  } else {
    const TensorId chosen = node.inputs[*context_.values[node.inputs[0]] != std::byte{0} ? 1 : 2];
    if (is_missing(chosen) || graph_.tensors[chosen].quant != graph_.tensors[output].quant) return false;
    if (!compatible(graph_.shapes[output], context_.shapes[chosen])) return false;
    context_.shapes[output] = context_.shapes[chosen];
    NNRT_ASSIGN(std::byte* const data, place(output));
    NNRT_ASSIGN(const size_t bytes, byte_size(graph_.tensors[output], context_.shapes[output]));
    copy_counted(data, context_.values[chosen], bytes);
    context_.values[output] = data;
    return true;
  }
  NNRT_ASSIGN(context_.values[output], place(output));
  return true;
}

Result<bool> Run::do_without(NodeId id) {
  if (context_.errors.empty()) return false;
  const Node& node = graph_.nodes[id];
  std::optional<uint32_t> error;
  bool is_choosing = true;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!is_missing(node.inputs[i])) continue;
    error = context_.missing[node.inputs[i]];
    is_choosing = is_choosing && is_choice(graph_, node, i);
  }
  if (!error) return false;
  if (is_choosing) {
    NNRT_ASSIGN(const bool is_taken, take_chosen(node));
    if (is_taken) return true;
  }
  if (!program_.deferred[id]) return Error(context_.errors[*error]);
  leave_out(node, *error);
  return true;
}

Status Run::step(NodeId id) {
  const Program::Step& step = program_.steps[id];
  if (step.is<Program::Folded>() && !step.infer && step.last_uses.empty() && context_.errors.empty())
    return {};
  NNRT_ASSIGN(const bool is_done, do_without(id));
  if (!is_done) {
    Status status = compute_step(id);
    if (!status.ok() && (!program_.deferred[id] || !is_of_the_operation(status.error()))) return status;
    if (!status.ok()) {
      context_.errors.push_back(std::move(status).error());
      leave_out(graph_.nodes[id], uint32_t(context_.errors.size() - 1));
    }
  }
  for (const TensorId dead : step.last_uses) {
    AlignedMemory block = std::exchange(context_.temporaries[dead], {});
    if (block.bytes() > 0) context_.pool.release(std::move(block));
  }
  return {};
}

Status Run::compute_step(NodeId id) {
  const Program::Step& step = program_.steps[id];
  const Node& node = graph_.nodes[id];
  const NodeView view(graph_, node, context_.shapes, context_.values);
  if (step.infer) {
    NNRT_TRY(infer(view));
    NNRT_TRY(check_kernels(step, node));
  }
  if (step.is<Program::Folded>()) return {};
  if (step.is<Program::Appended>()) {
    NNRT_ASSIGN(context_.values[node.outputs[0]], place(node.outputs[0]));
    return {};
  }
  if (!step.is<Program::View>()) return compute(id, view);
  context_.values[node.outputs[0]] = context_.values[node.inputs[0]];
  return {};
}

Status Run::compute(NodeId id, const NodeView& view) {
  const Program::Step& step = program_.steps[id];
  const Node& node = view.node();
  const trace::Span span("node", [&] {
    return trace::node_event(graph_, node, context_.shapes, kDeviceName,
                             {.included = program_.included_nodes(id)});
  });
  const AppendedInputs appended = appended_inputs(program_, context_, step, view);
  const bool appends = appended[0].to != nullptr || appended[1].to != nullptr;
  if (!appends) NNRT_TRY(concatenate_inputs(step));
  context_.in.clear();
  context_.out.clear();
  for (const TensorId input : node.inputs) context_.in.push_back(context_.values[input]);
  for (const TensorId output : node.outputs) {
    NNRT_ASSIGN(std::byte* const data, place(output));
    context_.out.push_back(data);
  }
  if (appends) {
    NNRT_TRY(append_and_attend(args_of(step, view), appended));
    NNRT_TRY(run_post_ops(step.post_ops));
  } else {
    NNRT_TRY(compute_here(step, view));
  }
  for (size_t k = 0; k < node.outputs.size(); ++k) context_.values[node.outputs[k]] = context_.out[k];
  return {};
}

// Computes the CONCATs before the step.
Status Run::concatenate_inputs(const Program::Step& step) {
  const auto* const caches = std::get_if<Program::CacheAppends>(&step.method);
  if (caches == nullptr) return {};
  for (const NodeId id : caches->concats) {
    if (id == kNowhere) continue;
    const NodeView concat(graph_, graph_.nodes[id], context_.shapes, context_.values);
    const std::vector<TensorId>& from = concat.node().inputs;
    context_.in = {context_.values[from[0]], context_.values[from[1]]};
    context_.out = {const_cast<std::byte*>(context_.values[concat.node().outputs[0]])};
    NNRT_TRY(compute_here(program_.steps[id], concat));
  }
  return {};
}

// Computes a node whose inputs and outputs are placed.
Status Run::compute_here(const Program::Step& step, const NodeView& view) {
  if (step.may_be_empty && has_empty_tensor(view)) {
    NNRT_ASSIGN(const EmptyNode handled, compute_empty_node(view, context_.out));
    if (handled == EmptyNode::done) return {};
    if (handled == EmptyNode::filled) return run_post_ops(post_op_nodes_of(view.node()));
  }
  if (const auto* const table = std::get_if<Program::Table>(&step.method)) {
    map(*table, view);
    return {};
  }
  if (step.includes_nodes()) {
    NNRT_TRY(compute_with_included(program_, context_, pool_, step, view));
  } else {
    NNRT_TRY(step.kernel(args_of(step, view)));
  }
  const auto* const scaled = std::get_if<Program::ScaledProduct>(&step.method);
  return run_post_ops(std::span(step.post_ops).subspan(scaled != nullptr ? scaled->scales : 0));
}

void Run::map(const Program::Table& table, const NodeView& view) {
  constexpr int64_t kGrain = 1 << 16;
  const int64_t count = element_count(view.output_shape()).value_or(0);
  const auto* const from = reinterpret_cast<const uint8_t*>(context_.values[table.source]);
  auto* const to = reinterpret_cast<uint8_t*>(context_.out[0]);
  pool_.parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    map_bytes(table.values, from + begin, to + begin, end - begin);
  });
}

Status Run::run_post_ops(std::span<const PostOpNode> post_ops) {
  for (const PostOpNode& post_op : post_ops) {
    const NodeView view(graph_, post_op.node, context_.shapes, context_.values);
    NNRT_TRY(run_post_op(post_op, view, context_.in, context_.out[0], pool_));
  }
  return {};
}

Result<std::byte*> Run::place(TensorId id) {
  NNRT_ASSIGN(const size_t bytes, byte_size(graph_.tensors[id], context_.shapes[id]));
  if (const uint32_t slot = program_.slots[id]; slot != kNowhere) {
    NNRT_TRY(outputs_[slot].make_room(slot, bytes));
    std::byte* const data = outputs_[slot].view.data();
    if (is_aligned(data, graph_.tensors[id])) return data;
  } else if (program_.fixed) {
    return context_.arena.data() + program_.plan.offsets[program_.places[id]];
  }
  return temporary(id, bytes);
}

Result<std::byte*> Run::temporary(TensorId id, size_t bytes) {
  NNRT_ASSIGN(context_.temporaries[id], context_.pool.acquire(std::max<size_t>(bytes, 1)));
  return context_.temporaries[id].data();
}

Status Run::copy_outputs() {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const TensorId id = graph_.outputs[i];
    TensorView& view = outputs_[i].view;
    view.shape = context_.shapes[id];
    NNRT_ASSIGN(const size_t bytes, byte_size(graph_.tensors[id], view.shape));
    NNRT_TRY(outputs_[i].make_room(i, bytes));
    if (context_.values[id] != view.data()) copy_counted(view.data(), context_.values[id], bytes);
  }
  return {};
}

}  // namespace

std::vector<NodeId> Program::included_nodes(NodeId id) const {
  const auto includes = [&](const auto& method) {
    if constexpr (requires { method.into; }) return method.into == id;
    return false;
  };
  std::vector<NodeId> included;
  for (NodeId before = 0; before < id; ++before)
    if (std::visit(includes, steps[before].method)) included.push_back(before);
  return included;
}

Status run_program(const Program& program, RunContext& context, ThreadPool& pool,
                   std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline) {
  Run run(program, context, pool, outputs);
  NNRT_TRY(run.bind(inputs));
  const std::vector<Node>& nodes = program.graph->nodes;
  for (NodeId id = 0; id < nodes.size(); ++id) {
    const auto place = [&] {
      return cat("running ", name(nodes[id].op), " (operation ", nodes[id].position, ")");
    };
    if (deadline && Clock::now() >= *deadline)
      return Error{Code::timeout, "The run timed out."}.during(place());
    if (Status status = run.step(id); !status.ok()) return std::move(status).error().during(place());
  }
  return run.copy_outputs();
}

Result<size_t> byte_size(const Tensor& tensor, const Shape& shape) {
  constexpr int64_t kMaxElements = int64_t(1) << 44;
  const std::optional<int64_t> count = element_count(shape);
  if (!count || *count > kMaxElements)
    return Error{Code::memory, cat("A tensor of shape ", to_string(shape), " has too many elements.")};
  return size_t(*count) * size_of(tensor.dtype);
}

}  // namespace nnrt::cpu
