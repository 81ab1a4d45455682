// The times of a model's operations, from the library's trace (docs/trace.md).
#pragma once

#include "tools/nnrt/session/executable.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace nnrt::tool {

// Cost in an average run.
struct Work {
  double ms = 0, flops = 0, bytes = 0;

  void add(const Work& other) {
    ms += other.ms;
    flops += other.flops;
    bytes += other.bytes;
  }
  void divide(double runs) {
    ms /= runs;
    flops /= runs;
    bytes /= runs;
  }
};

// An executed node; post-ops follow the operation: "CONV2D+ADD+RELU".
struct NodeTime {
  std::string op, device, dtype, shapes;
  Work work;
};

// The nodes reported under one operation of the model.
struct OperationTime {
  size_t operation = 0;            // index in the model
  std::vector<size_t> operations;  // this one and those fused with it
  std::vector<NodeTime> nodes;     // in execution order
  Work work;

  // The node with the most flops, or the slowest one if none has any.
  const NodeTime& main_node() const;
};

struct Profile {
  std::vector<OperationTime> operations;  // in the model's order
  double run_ms = 0;                      // of a run, seen by the caller
  size_t runs = 0;

  double operations_ms() const;
};

struct ProfileOptions {
  BuildOptions build;
  unsigned runs = 10, warmup = 2;  // warm-up runs do not count
};

// Builds and runs the model. Leaves the trace in `trace`.
Result<Profile> profile(const ModelFile& file, const Device& device, std::span<const Array> inputs,
                        ProfileOptions options, const std::filesystem::path& trace);

// Reads a profile from a trace: the traced executor's own runs except the first `warmup`.
Result<Profile> read_trace(const Bytes& file, unsigned warmup);

}  // namespace nnrt::tool
