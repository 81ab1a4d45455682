#include "backends/cpu/prepared_model.h"

#include "backends/cpu/run.h"
#include "core/infer.h"
#include "core/schema.h"
#include "core/text.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <stdexcept>

namespace nnrt::cpu {
namespace {

class PreparedGraph final : public PreparedModel {
 public:
  PreparedGraph(Program program, ThreadPool& pool) : program_(std::move(program)), pool_(pool) {}

  Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline) override {
    try {
      std::unique_ptr<RunContext> context = take_context();
      Status status = run_program(program_, *context, pool_, inputs, outputs, deadline);
      const std::lock_guard lock(mutex_);
      contexts_.push_back(std::move(context));
      return status;
    } catch (const std::bad_alloc&) {
      return Error{Code::memory, "There is no memory for the run."};
    } catch (const std::length_error&) {
      return Error{Code::memory, "There is no memory for the run."};
    }
  }

 private:
  std::unique_ptr<RunContext> take_context() {
    const std::lock_guard lock(mutex_);
    if (contexts_.empty()) return std::make_unique<RunContext>();
    std::unique_ptr<RunContext> context = std::move(contexts_.back());
    contexts_.pop_back();
    return context;
  }

  const Program program_;
  ThreadPool& pool_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<RunContext>> contexts_;  // those that no run uses now
};

bool infers_in_run(const Graph& graph, const Node& node) {
  const auto unknown = [&](TensorId id) { return !is_static(graph.shapes[id]); };
  const std::vector<InputRow>& rows = schema(node.op).inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const bool decides_shape = rows[std::min(i, rows.size() - 1)].value;
    if (decides_shape && !graph.tensors[node.inputs[i]].is_constant()) return true;
  }
  return std::any_of(node.inputs.begin(), node.inputs.end(), unknown) ||
         std::any_of(node.outputs.begin(), node.outputs.end(), unknown);
}

// Whether the node's output is its input's bytes in the same order, so that none need move. An output of the
// graph has memory of its own.
bool is_alias(const Graph& graph, const Node& node) {
  switch (node.op) {
    case Op::reshape:
    case Op::flatten:
    case Op::squeeze:
    case Op::unsqueeze:
    case Op::expand_dims: break;
    default: return false;
  }
  const std::vector<TensorId>& outputs = graph.outputs;
  return std::find(outputs.begin(), outputs.end(), node.outputs[0]) == outputs.end() &&
         graph.tensors[node.inputs[0]].quant == graph.tensors[node.outputs[0]].quant;
}

Result<std::vector<Program::Step>> make_steps(const Graph& graph) {
  std::vector<Program::Step> steps;
  for (const Node& node : graph.nodes) {
    if (node.diagnosis) return *node.diagnosis;
    Program::Step step{
        .kernel = kernel(node.op), .alias = is_alias(graph, node), .infer = infers_in_run(graph, node)};
    if (step.kernel == nullptr) return unsupported(name(node.op), " has no kernel on the CPU device.");
    steps.push_back(std::move(step));
  }
  return steps;
}

// The first and the last node that touches each tensor that is neither a constant nor the caller's, by itself
// or through an alias.
struct Uses {
  std::vector<TensorId> temporaries;
  std::vector<Lifetime> lifetimes;  // bytes are left 0
};

Uses find_uses(const Program& program) {
  const Graph& graph = *program.graph;
  Uses uses;
  std::vector<uint32_t> place(graph.tensors.size(), kNowhere);
  for (NodeId node = 0; node < graph.nodes.size(); ++node) {
    for (const TensorId id : graph.nodes[node].inputs) {
      if (place[id] != kNowhere) uses.lifetimes[place[id]].last = node;
    }
    if (program.steps[node].alias) {
      place[graph.nodes[node].outputs[0]] = place[graph.nodes[node].inputs[0]];
      continue;
    }
    for (const TensorId id : graph.nodes[node].outputs) {
      if (program.slots[id] != kNowhere) continue;
      place[id] = uint32_t(uses.temporaries.size());
      uses.temporaries.push_back(id);
      uses.lifetimes.push_back({.first = node, .last = node});
    }
  }
  return uses;
}

Status plan_arena(Program& program, Uses& uses) {
  program.places.assign(program.graph->tensors.size(), kNowhere);
  for (size_t k = 0; k < uses.temporaries.size(); ++k) {
    const TensorId id = uses.temporaries[k];
    NNRT_ASSIGN(uses.lifetimes[k].bytes, byte_size(program.graph->tensors[id], program.graph->shapes[id]));
    program.places[id] = uint32_t(k);
  }
  program.plan = plan_memory(uses.lifetimes, kMemoryAlignment);
  return {};
}

}  // namespace

Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, ThreadPool& pool) {
  Program program;
  NNRT_ASSIGN(program.steps, make_steps(*graph));
  program.constants = constant_values(*graph);
  program.slots.assign(graph->tensors.size(), kNowhere);
  for (uint32_t slot = uint32_t(graph->outputs.size()); slot-- > 0;)
    program.slots[graph->outputs[slot]] = slot;
  program.fixed = std::none_of(program.steps.begin(), program.steps.end(),
                               [](const Program::Step& step) { return step.infer; });
  program.graph = std::move(graph);

  Uses uses = find_uses(program);
  if (program.fixed) {
    NNRT_TRY(plan_arena(program, uses));
  } else {
    for (size_t k = 0; k < uses.temporaries.size(); ++k)
      program.steps[uses.lifetimes[k].last].last_uses.push_back(uses.temporaries[k]);
  }
  return std::unique_ptr<PreparedModel>(std::make_unique<PreparedGraph>(std::move(program), pool));
}

}  // namespace nnrt::cpu
