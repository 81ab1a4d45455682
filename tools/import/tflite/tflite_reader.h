// Reads TensorFlow Lite models.
#pragma once

#include "core/memory/lending_buffer.h"
#include "tools/import/network/import_options.h"

#include <span>

namespace nnrt::import {

// The bytes may be hostile. Fails if the file is damaged or has an operator that OH_NN cannot express.
// Constants are parts of the buffer, where their alignment allows it.
Result<Network> read_tflite(const LendingBuffer& file, const Options& options);
// Copies the file.
Result<Network> read_tflite(std::span<const std::byte> file, const Options& options);

// Operators that read variable tensors as inputs, and write them for the next run. All others ignore them.
bool keeps_state(int32_t builtin_code);

// A graph that another program holds, as a file without constants. Shapes are inferred from those of the
// inputs.
struct HostedGraph {
  const LendingBuffer& file;
  std::span<const SharedBytes> constants;  // by buffer number; null: the buffer is empty
};

struct HostedNetwork {
  Network network;
  // Inputs that are variable tensors and keep state; their contents after a run follow the other outputs.
  List<size_t> states;
  List<size_t> ends;  // per operator: the number of operations after it, casts of inputs included
};

struct Refusal {
  size_t position;  // the operator
  Error error;
};

Result<HostedNetwork> read_tflite(const HostedGraph& graph);
// Operators that cannot be converted. The results of a refused one count as inputs of those that follow.
Result<std::vector<Refusal>> refused_operators(const HostedGraph& graph);

}  // namespace nnrt::import
