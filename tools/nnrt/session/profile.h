// The times of a model's operations, by the trace that the library writes (docs/trace.md).
#pragma once

#include "tools/nnrt/session/executable.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace nnrt::tool {

// The costs of something in an average run.
struct Work {
  double ms = 0, flops = 0, bytes = 0;

  void add(const Work& other) {
    ms += other.ms;
    flops += other.flops;
    bytes += other.bytes;
  }
};

// A node that was made of the model's operations; with its post-ops: "CONV2D+ADD+RELU".
struct NodeTime {
  std::string op, device, dtype, shapes;
  Work work;
};

// The nodes that devices list under one of the model's operations.
struct OperationTime {
  size_t operation = 0;            // index in the model
  std::vector<size_t> operations;  // all that are computed: this one, and those that were fused with it
  std::vector<NodeTime> nodes;     // in the order in which they run
  Work work;

  // The one that computes the most; where none computes anything, that which takes the most time.
  const NodeTime& main_node() const;
};

struct Profile {
  std::vector<OperationTime> operations;  // in the model's order
  double run_ms = 0;                      // time of a run, as the caller sees it
  size_t runs = 0;

  double operations_ms() const;
};

struct ProfileOptions {
  BuildOptions build;
  unsigned runs = 10, warmup = 2;  // those of the warm-up do not count
};

// Builds and runs the model. The trace is written to `trace` and stays there.
Result<Profile> profile(const ModelFile& file, const Device& device, std::span<const Array> inputs,
                        ProfileOptions options, const std::filesystem::path& trace);

// Reads a profile from a trace: the executor's own runs, without the first `warmup` ones.
Result<Profile> read_trace(const Bytes& file, unsigned warmup);

}  // namespace nnrt::tool
