// A group of nodes as a compiled model, and its runs on the framework's tensors.
#pragma once

#include "tools/plugins/base/compiled_network.h"
#include "tools/plugins/onnxruntime/graph/plain_graph.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace nnrt::ep {

struct HostTensor {
  const void* data = nullptr;
  Dimensions shape;
};

// Gives the memory of an output; called once for each, with its shape in this run.
using Output = std::function<Result<void*>(size_t index, const Dimensions& shape)>;

class CompiledGroup {
 public:
  static Result<std::shared_ptr<CompiledGroup>> create(plugins::CompiledNetwork model);
  ~CompiledGroup();

  const plugins::CompiledNetwork& model() const { return model_; }

  // Runs of several threads overlap.
  Status run(std::span<const HostTensor> inputs, const Output& output);

  // Totals of all runs: bytes are those copied between the framework's memory and ours.
  uint64_t runs() const { return runs_; }
  uint64_t copied_bytes() const { return copied_bytes_; }

 private:
  class Runner;

  explicit CompiledGroup(plugins::CompiledNetwork model);
  Result<std::unique_ptr<Runner>> take_runner();

  plugins::CompiledNetwork model_;
  std::atomic<uint64_t> runs_ = 0, copied_bytes_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Runner>> idle_;
};

}  // namespace nnrt::ep
