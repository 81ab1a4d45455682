#include "backends/cpu/engine/cpu_model.h"

#include "backends/cpu/engine/constant_packing.h"
#include "backends/cpu/engine/cpu_graph_passes.h"
#include "backends/cpu/engine/cpu_kernel_choices.h"
#include "backends/cpu/engine/cpu_program.h"
#include "backends/cpu/engine/first_batch.h"
#include "backends/cpu/engine/shared_state.h"
#include "backends/cpu/engine/steps/step_passes.h"
#include "backends/cpu/engine/steps/tensor_uses.h"
#include "core/base/byte_io.h"
#include "core/base/text.h"
#include "core/device/cache_traits.h"
#include "core/memory/piece_writer.h"
#include "core/schema/infer.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <stdexcept>

namespace nnrt::cpu {
namespace {

bool infers_in_run(const Graph& graph, const Node& node) {
  const auto unknown = [&](TensorId id) { return !is_static(graph.shapes[id]); };
  const std::vector<InputRow>& rows = schema(node.op).inputs;
  for (size_t i = 0; i < node.own_inputs(); ++i) {
    const bool decides_shape = rows[std::min(i, rows.size() - 1)].value;
    if (decides_shape && !graph.tensors[node.inputs[i]].is_constant()) return true;
  }
  return std::any_of(node.inputs.begin(), node.inputs.end(), unknown) ||
         std::any_of(node.outputs.begin(), node.outputs.end(), unknown);
}

bool may_be_empty(const Graph& graph, const Node& node) {
  const auto has_no_elements = [&](TensorId id) { return is_empty(graph.shapes[id]); };
  return infers_in_run(graph, node) || std::ranges::any_of(node.inputs, has_no_elements) ||
         std::ranges::any_of(node.outputs, has_no_elements);
}

// Returns whether the node's output has the same bytes as its input.
bool keeps_bytes(const Graph& graph, const Node& node) {
  return only_reshapes(node.op) &&
         graph.tensors[node.inputs[0]].quant == graph.tensors[node.outputs[0]].quant;
}

Result<std::vector<Program::Step>> make_steps(const Graph& graph) {
  std::vector<Program::Step> steps;
  std::vector<bool> is_output(graph.tensors.size(), false);
  for (const TensorId id : graph.outputs) is_output[id] = true;
  for (const Node& node : graph.nodes) {
    if (node.diagnosis) return *node.diagnosis;
    Program::Step step{.kernel = kernel(node.op),
                       .infer = infers_in_run(graph, node),
                       .may_be_empty = may_be_empty(graph, node)};
    // Graph outputs need their own memory.
    if (keeps_bytes(graph, node) && !is_output[node.outputs[0]]) step.method = Program::View{};
    if (!computes_post_ops(graph, node)) step.post_ops = post_op_nodes_of(node);
    if (step.kernel == nullptr) return unsupported(name(node.op), " has no kernel on the CPU device.");
    steps.push_back(std::move(step));
  }
  return steps;
}

// If a graph output only reshapes the result of a node, the node writes the output itself.
void write_reshaped_outputs(Program& program) {
  const Graph& graph = *program.graph;
  const TensorUses uses(graph);
  for (const TensorId output : graph.outputs) {
    const auto id = uses.writer[output];
    if (!id || !program.is_ordinary(*id) || !keeps_bytes(graph, graph.nodes[*id])) continue;
    const TensorId source = graph.nodes[*id].inputs[0];
    const auto writer = uses.writer[source];
    if (program.slots[source] != kNowhere || !writer || !program.is_ordinary(*writer)) continue;
    program.slots[source] = program.slots[output];
    program.steps[*id].method = Program::View{};
  }
}

// Lifetimes of temporary slots. A slot holds a tensor, its aliases, and tensors written in place over them.
struct Uses {
  std::vector<TensorId> temporaries;  // the first tensor of each slot
  std::vector<Lifetime> lifetimes;    // with bytes still 0
  std::vector<uint32_t> place;        // by tensor, or kNowhere
};

Uses find_uses(const Program& program) {
  const Graph& graph = *program.graph;
  const std::vector<NodeId>& last = program.last_readers;
  Uses uses;
  uses.place.assign(graph.tensors.size(), kNowhere);
  const auto overwritten = [&](const Node& node, NodeId number) {
    // Included nodes read their inputs while the output is written.
    const std::vector<TensorId> kept =
        program.steps[number].includes_nodes() ? other_sources(program, number) : std::vector<TensorId>();
    const auto found = std::ranges::find_if(node.inputs, [&](TensorId input) {
      const uint32_t place = uses.place[input];
      return place != kNowhere && uses.lifetimes[place].last == number && may_overwrite(graph, node, input) &&
             std::ranges::none_of(kept, [&](TensorId source) { return uses.place[source] == place; });
    });
    return found == node.inputs.end() ? kNowhere : uses.place[*found];
  };
  for (NodeId number = 0; number < graph.nodes.size(); ++number) {
    const Node& node = graph.nodes[number];
    if (program.steps[number].is<Program::View>()) {
      uses.place[node.outputs[0]] = uses.place[node.inputs[0]];
      continue;
    }
    if (program.steps[number].is<Program::Folded>()) continue;
    for (const TensorId id : node.outputs) {
      if (program.slots[id] != kNowhere) continue;
      const NodeId end = std::max(number, last[id]);
      if (const uint32_t place = program.fixed ? overwritten(node, number) : kNowhere; place != kNowhere) {
        uses.place[id] = place;
        uses.lifetimes[place].last = end;
        continue;
      }
      uses.place[id] = uint32_t(uses.temporaries.size());
      uses.temporaries.push_back(id);
      uses.lifetimes.push_back({.first = number, .last = end});
    }
  }
  return uses;
}

Status find_places(Program& program, Uses& uses) {
  for (size_t k = 0; k < uses.temporaries.size(); ++k) {
    const TensorId id = uses.temporaries[k];
    NNRT_ASSIGN(const size_t bytes, byte_size(program.graph->tensors[id], program.graph->shapes[id]));
    uses.lifetimes[k].bytes = std::max<size_t>(bytes, 1);
  }
  program.places = uses.place;
  program.temporaries = uses.temporaries;
  return {};
}

// Everything but the memory plan and the prepacked constants.
Result<Program> make_program(GraphPtr unfused, ThreadPool& pool, bool may_round,
                             const KernelSwitch& kernels) {
  NNRT_ASSIGN(GraphPtr graph, run_graph_passes(unfused, kernels));
  unfused = nullptr;  // frees the constants that passes replaced
  Program program;
  program.kernels = kernels;
  program.may_round = may_round;
  NNRT_ASSIGN(program.steps, make_steps(*graph));
  program.deferred = deferred_errors(*graph);
  program.constants = constant_values(*graph);
  program.slots.assign(graph->tensors.size(), kNowhere);
  for (uint32_t slot = uint32_t(graph->outputs.size()); slot-- > 0;)
    program.slots[graph->outputs[slot]] = slot;
  program.fixed = std::none_of(program.steps.begin(), program.steps.end(),
                               [](const Program::Step& step) { return step.infer; });
  program.graph = std::move(graph);
  run_step_passes(program, pool);
  if (program.fixed) write_reshaped_outputs(program);
  program.last_readers = find_last_readers(program);
  return program;
}

// Calls make_plan(lifetimes), which places the temporaries in one arena.
template <typename MakePlan>
Status place_temporaries(Program& program, const MakePlan& make_plan) {
  Uses uses = find_uses(program);
  if (program.fixed) {
    NNRT_TRY(find_places(program, uses));
    program.plan = make_plan(uses.lifetimes);
    program.lifetimes = std::move(uses.lifetimes);
  } else {
    for (size_t k = 0; k < uses.temporaries.size(); ++k)
      program.steps[uses.lifetimes[k].last].last_uses.push_back(uses.temporaries[k]);
  }
  return {};
}

std::vector<SharedBytes> write(const Program& program) {
  PieceWriter writer;
  writer.put(uint64_t(program.plan.bytes));
  writer.list(std::span<const size_t>(program.plan.offsets));
  for (const Program::Step& step : program.steps) {
    const ByteView values = step.infer ? ByteView() : step.prepacked->values();
    writer.put(uint64_t(values.size()));
    writer.align(kMemoryAlignment);
    writer.append(borrowed(values));
  }
  return writer.finish();
}

Bytes joined(std::span<const SharedBytes> pieces) {
  Bytes bytes;
  bytes.reserve(total_size(pieces));
  for (const SharedBytes& piece : pieces) bytes.insert(bytes.end(), piece->begin(), piece->end());
  return bytes;
}

// With a forged plan, temporaries may overlap and hold garbage, but they stay inside the arena.
MemoryPlan read_plan(ByteReader& reader, std::span<const Lifetime> lifetimes) {
  size_t max_bytes = 0;
  for (const Lifetime& lifetime : lifetimes) max_bytes += lifetime.bytes + kMemoryAlignment;
  MemoryPlan plan{reader.number(max_bytes), reader.list<size_t>()};
  if (plan.offsets.size() != lifetimes.size()) reader.fail("The number of temporary tensors differs.");
  for (size_t k = 0; k < lifetimes.size() && !reader.bad(); ++k) {
    const size_t offset = plan.offsets[k];
    if (offset % kMemoryAlignment != 0 || offset > plan.bytes || lifetimes[k].bytes > plan.bytes - offset)
      reader.fail("A temporary tensor is outside the arena.");
  }
  return plan;
}

// Takes prepacked constants from the cache; returns their sizes per node, 0 if nothing is packed. Call before
// kernels are chosen: the choice depends on these constants, as the originals may not have been read.
Result<std::vector<size_t>> take_prepacked(ByteReader& reader, const SharedBytes& cached,
                                           const Program& program) {
  std::vector<size_t> sizes;
  for (NodeId node = 0; node < program.steps.size(); ++node) {
    sizes.push_back(reader.get<uint64_t>());
    reader.align(kMemoryAlignment);
    const ByteView values = reader.bytes(sizes.back());
    if (is_known_before_runs(program, node))
      program.steps[node].prepacked->restore(values.empty() ? SharedBytes() : cached.part(values));
  }
  if (!reader.at_end()) reader.fail("There is extra data at the end.");
  NNRT_TRY(reader.status());
  return sizes;
}

// Like prepack_constants(), but reads only originals whose prepacked form does not suffice; `sizes` is that
// of take_prepacked(). Checks the packed constants first, because which originals runs read depends on them.
Status prepack_rest(std::span<const size_t> sizes, Program& program, ThreadPool& pool) {
  const auto pack = [&](NodeId node) -> Status {
    NNRT_TRY(prepack_node(program, node, pool));
    if (program.steps[node].prepacked->values().size() == sizes[node]) return {};
    return Error{Code::invalid_file, "The packed constants have the wrong size."};
  };
  for (NodeId node = 0; node < program.steps.size(); ++node)
    if (sizes[node] > 0) NNRT_TRY(pack(node));
  NNRT_TRY(read_originals(program, sizes, pool));
  Originals originals(program);
  for (NodeId node = 0; node < program.steps.size(); ++node) {
    if (sizes[node] == 0) NNRT_TRY(pack(node));
    originals.release(node, pool);
  }
  return {};
}

class PreparedGraph final : public PreparedModel, public PieceExporter {
 public:
  PreparedGraph(Program program, ThreadPool pool) : program_(std::move(program)), pool_(std::move(pool)) {}

  Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline) override {
    try {
      std::unique_ptr<RunContext> context = take_context();
      Status status = run_program(program_, *context, pool_, inputs, outputs, deadline);
      const std::lock_guard lock(mutex_);
      contexts_.push_back(std::move(context));
      return status;
    } catch (const std::bad_alloc&) {
      return Error{Code::memory, "Out of memory for the run."};
    } catch (const std::length_error&) {
      return Error{Code::memory, "Out of memory for the run."};
    }
  }

  Result<Bytes> export_cache(const GraphPtr&) const override { return joined(write(program_)); }
  Result<std::vector<SharedBytes>> export_pieces() const override { return write(program_); }

  bool may_share(size_t input, size_t output) const override {
    return cpu::may_share(program_, program_.graph->inputs[input], program_.graph->outputs[output]);
  }

  KernelReport kernels(const GraphPtr&) const override { return kernel_report(program_, pool_); }

  ArenaPlan arena() const override {
    ArenaPlan arena{program_.plan.bytes, {}};
    for (size_t place = 0; place < program_.temporaries.size(); ++place) {
      const Lifetime& lifetime = program_.lifetimes[place];
      arena.allocations.push_back({program_.graph->tensors[program_.temporaries[place]].name,
                                   program_.plan.offsets[place], lifetime.bytes, lifetime.first,
                                   lifetime.last});
    }
    return arena;
  }

 private:
  std::unique_ptr<RunContext> take_context() {
    const std::lock_guard lock(mutex_);
    if (contexts_.empty()) return std::make_unique<RunContext>(pool_.threads());
    std::unique_ptr<RunContext> context = std::move(contexts_.back());
    contexts_.pop_back();
    return context;
  }

  const Program program_;
  ThreadPool pool_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<RunContext>> contexts_;  // idle contexts
};

Result<std::unique_ptr<PreparedModel>> prepare_graph(GraphPtr graph, ThreadPool pool, bool may_round,
                                                     const KernelSwitch& kernels) {
  try {
    NNRT_ASSIGN(Program program, make_program(std::move(graph), pool, may_round, kernels));
    NNRT_TRY(place_temporaries(program, [](std::span<const Lifetime> lifetimes) {
      return plan_memory(lifetimes, kMemoryAlignment);
    }));
    NNRT_TRY(choose_kernels(program, pool));
    NNRT_TRY(prepack_constants(program, pool));
    return std::unique_ptr<PreparedModel>(
        std::make_unique<PreparedGraph>(std::move(program), std::move(pool)));
  } catch (const std::bad_alloc&) {
    return Error{Code::memory, "Out of memory for the packed constants."};
  }
}

Result<std::unique_ptr<PreparedModel>> restore_graph(GraphPtr graph, ThreadPool pool, bool may_round,
                                                     const KernelSwitch& kernels, const SharedBytes& cached) {
  try {
    NNRT_ASSIGN(Program program, make_program(std::move(graph), pool, may_round, kernels));
    NNRT_TRY(ensure_read(cached));  // late, because it may be read meanwhile
    ByteReader reader(*cached);
    if (program.fixed) {
      NNRT_TRY(place_temporaries(
          program, [&](std::span<const Lifetime> lifetimes) { return read_plan(reader, lifetimes); }));
    } else {
      NNRT_TRY(place_temporaries(program, [](std::span<const Lifetime>) { return MemoryPlan{}; }));
      read_plan(reader, {});
    }
    NNRT_ASSIGN(const std::vector<size_t> sizes, take_prepacked(reader, cached, program));
    NNRT_TRY(choose_kernels(program, pool));
    NNRT_TRY(prepack_rest(sizes, program, pool));
    return std::unique_ptr<PreparedModel>(
        std::make_unique<PreparedGraph>(std::move(program), std::move(pool)));
  } catch (const std::bad_alloc&) {
    return Error{Code::memory, "Out of memory for the packed constants."};
  }
}

Result<std::unique_ptr<PreparedModel>> for_first_batch(Result<std::unique_ptr<PreparedModel>> general,
                                                       const GraphPtr& open, const ThreadPool& pool,
                                                       bool may_round, const KernelSwitch& kernels) {
  if (!general.ok() || open == nullptr) return general;
  return with_first_batch(std::move(general).value(), open, [=](GraphPtr known) {
    return prepare_graph(std::move(known), pool, may_round, kernels);
  });
}

}  // namespace

Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, ThreadPool pool, bool may_round,
                                               const KernelSwitch& kernels) {
  const GraphPtr open = leaves_batch_open(*graph) ? graph : nullptr;
  return for_first_batch(prepare_graph(std::move(graph), pool, may_round, kernels), open, pool, may_round,
                         kernels);
}

Result<std::unique_ptr<PreparedModel>> restore(GraphPtr graph, ThreadPool pool, bool may_round,
                                               const KernelSwitch& kernels, const SharedBytes& cached) {
  const GraphPtr open = leaves_batch_open(*graph) ? graph : nullptr;
  return for_first_batch(restore_graph(std::move(graph), pool, may_round, kernels, cached), open, pool,
                         may_round, kernels);
}

}  // namespace nnrt::cpu
