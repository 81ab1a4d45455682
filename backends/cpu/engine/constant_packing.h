// Prepacks the constants of a program and releases the originals that no run reads.
#pragma once

#include "backends/cpu/engine/cpu_program.h"

#include <atomic>
#include <span>
#include <vector>

namespace nnrt::cpu {

// Prepacks a node's constants before any run. Nodes with dynamic shapes do this in the run.
Status prepack_node(const Program& program, NodeId id, ThreadPool& pool);

// Reads the deferred constants that a program needs besides the packed ones it was given, of these sizes per
// node.
Status read_originals(const Program& program, std::span<const size_t> packed, ThreadPool& pool);

// The constants as they were before packing.
class Originals {
 public:
  // Gives the program its own copy of the graph, whose constants share their data with the old one.
  explicit Originals(Program& program);

  // Call once per node, after prepack_node(); different nodes may be released by different threads. Drops
  // each constant with the last node that reads it, if all of them read it only in prepacked form: the data
  // is freed unless another graph shares it. Kernels still compute addresses into it.
  void release(NodeId node, ThreadPool& pool);

 private:
  void drop(TensorId id);

  Program& program_;
  Graph& graph_;
  std::vector<std::atomic<uint32_t>> readers_;  // per tensor: uses by nodes not yet released
};

// Prepacks and releases all nodes. Nodes with small constants are packed in parallel, large ones one by one
// by all threads, so that few constants are in memory twice. Throws std::bad_alloc.
Status prepack_constants(Program& program, ThreadPool& pool);

}  // namespace nnrt::cpu
