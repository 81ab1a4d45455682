#include "backends/cpu/engine/constant_packing.h"

#include "backends/cpu/conv/stored_filters.h"
#include "backends/cpu/engine/cpu_kernel_choices.h"
#include "core/memory/deferred_bytes.h"
#include "core/memory/parallel_work.h"
#include "core/passes/drop_weights.h"
#include "core/platform/first_error.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

namespace nnrt::cpu {
namespace {

// Returns whether the node's kernel, which packs something, reads the input only in prepacked form.
bool is_read_prepacked(const Program& program, NodeId id, size_t input, ThreadPool& pool) {
  if (program.steps[id].infer) return false;
  const Op op = program.graph->nodes[id].op;
  const bool is_recurrent = op == Op::lstm || op == Op::gru || op == Op::rnn;  // hidden weights
  const bool is_nbits = op == Op::matmul_nbits;                                // scales and zero points
  if (input != 1) return ((is_recurrent || is_nbits) && input == 2) || (is_nbits && input == 3);
  const ReadsWeights reads = reads_weights(op);
  return reads == nullptr || !reads(ArgsBeforeRun(program, id, pool).args());
}

bool takes_stored_order(const Program& program, NodeId id, ThreadPool& pool) {
  return is_known_before_runs(program, id) && packs_stored_order(ArgsBeforeRun(program, id, pool).args());
}

// Above this size, a constant is read by all threads together, so that none of them reads alone for long.
size_t bytes_for_all_threads(const Graph& graph, const std::vector<TensorId>& needed, unsigned threads) {
  constexpr size_t kLargeBytes = size_t{4} << 20;
  size_t bytes = 0;
  for (const TensorId id : needed) bytes += graph.tensors[id].data->size();
  return std::max(kLargeBytes, bytes / (8 * size_t(threads)));
}

// Reads those that are deferred. Goes on after an error.
Status read_all(const Graph& graph, const std::vector<bool>& is_needed, ThreadPool& pool) {
  std::vector<TensorId> needed;
  for (TensorId id = 0; id < is_needed.size(); ++id)
    if (is_needed[id] && is_deferred(graph.tensors[id].data)) needed.push_back(id);
  FirstError error;
  const auto read = [&](TensorId id) {
    if (Status status = ensure_read(graph.tensors[id].data); !status.ok())
      error.add(id, std::move(status).error());
  };
  const BorrowedThreads of_pool([&](size_t calls, const std::function<void()>& body) {
    pool.parallel_for(int64_t(calls), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) body();
    });
  });
  const size_t large = bytes_for_all_threads(graph, needed, pool.threads());
  std::erase_if(needed, [&](TensorId id) {
    const SharedBytes& data = graph.tensors[id].data;
    if (data->size() <= large || stored_order(data) != nullptr) return false;  // one thread transposes
    read(id);
    return true;
  });
  pool.parallel_for(int64_t(needed.size()), 1, [&](int64_t begin, int64_t end) {
    const BorrowedThreads alone(nullptr);
    for (int64_t i = begin; i < end; ++i) read(needed[size_t(i)]);
  });
  return error.take();
}

// Widens and transposes constants, except those that nodes take in their stored order.
Status read_deferred(const Program& program, ThreadPool& pool) {
  const Graph& graph = *program.graph;
  std::vector<bool> is_needed(graph.tensors.size(), false);
  for (NodeId node = 0; node < graph.nodes.size(); ++node) {
    const std::vector<TensorId>& inputs = graph.nodes[node].inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const SharedBytes& data = graph.tensors[inputs[i]].data;
      if (!is_deferred(data)) continue;
      if (i != 1 || stored_order(data) == nullptr || !takes_stored_order(program, node, pool))
        is_needed[inputs[i]] = true;
    }
  }
  return read_all(graph, is_needed, pool);
}

Graph& own_graph(Program& program) {
  auto graph = std::make_shared<Graph>(*program.graph);
  Graph& own = *graph;
  program.graph = std::move(graph);
  return own;
}

size_t constant_bytes(const Graph& graph, const Node& node) {
  size_t bytes = 0;
  for (const TensorId id : node.inputs) {
    if (graph.tensors[id].is_constant()) bytes += graph.tensors[id].data->size();
  }
  return bytes;
}

}  // namespace

Status prepack_node(const Program& program, NodeId id, ThreadPool& pool) {
  const Kernel prepack = prepack_kernel(program.graph->nodes[id].op);
  if (prepack == nullptr || !is_known_before_runs(program, id)) return {};
  const ArgsBeforeRun before(program, id, pool);
  return before.args().are_constant(1) ? prepack(before.args()) : Status();
}

Status read_originals(const Program& program, std::span<const size_t> packed, ThreadPool& pool) {
  const Graph& graph = *program.graph;
  std::vector<bool> is_needed(graph.tensors.size(), false);
  for (const TensorId id : graph.outputs) is_needed[id] = true;
  for (NodeId node = 0; node < graph.nodes.size(); ++node) {
    const std::vector<TensorId>& inputs = graph.nodes[node].inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (packed[node] == 0 || !is_read_prepacked(program, node, i, pool)) is_needed[inputs[i]] = true;
    }
  }
  return read_all(graph, is_needed, pool);
}

Originals::Originals(Program& program)
    : program_(program), graph_(own_graph(program)), readers_(graph_.tensors.size()) {
  for (const Node& node : graph_.nodes)
    for (const TensorId id : node.inputs) ++readers_[id];
  for (const TensorId id : graph_.outputs) ++readers_[id];
  for (TensorId id = 0; id < readers_.size(); ++id) {
    if (graph_.tensors[id].is_constant() && readers_[id] == 0) drop(id);
  }
}

void Originals::drop(TensorId id) {
  static const std::byte nowhere{};
  graph_.tensors[id].data = dropped_data();
  program_.constants[id] = &nowhere;
}

void Originals::release(NodeId node, ThreadPool& pool) {
  const std::vector<TensorId>& inputs = graph_.nodes[node].inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!graph_.tensors[inputs[i]].is_constant() || program_.steps[node].prepacked->values().empty() ||
        !is_read_prepacked(program_, node, i, pool))
      continue;
    if (readers_[inputs[i]].fetch_sub(1, std::memory_order_acq_rel) == 1) drop(inputs[i]);
  }
}

Status prepack_constants(Program& program, ThreadPool& pool) {
  constexpr size_t kSmallBytes = size_t{4} << 20;
  NNRT_TRY(read_deferred(program, pool));
  Originals originals(program);
  FirstError error;  // of the first node that fails
  const auto pack = [&](NodeId node) {
    if (Status status = prepack_node(program, node, pool); !status.ok())
      return error.add(node, std::move(status).error());
    originals.release(node, pool);
  };
  std::vector<NodeId> small;
  for (NodeId node = 0; node < program.steps.size(); ++node) {
    if (constant_bytes(*program.graph, program.graph->nodes[node]) <= kSmallBytes) {
      small.push_back(node);
    } else {
      pack(node);
    }
  }
  pool.parallel_for(int64_t(small.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) pack(small[size_t(i)]);
  });
  return error.take();
}

}  // namespace nnrt::cpu
