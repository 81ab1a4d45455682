// A group of nodes as a compiled model, and its runs on the framework's tensors.
#pragma once

#include "tools/import/network/network.h"
#include "tools/import/nn_handles.h"
#include "tools/plugins/onnxruntime/graph/plain_graph.h"
#include "tools/plugins/onnxruntime/run/devices.h"
#include "tools/plugins/onnxruntime/run/options.h"

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace nnrt::ep {

using import::Bytes;
using import::Network;

struct HostTensor {
  const void* data = nullptr;
  Dimensions shape;
};

// Gives the memory of an output; called once for each, with its shape in this run.
using Output = std::function<Result<void*>(size_t index, const Dimensions& shape)>;

class CompiledGroup {
 public:
  ~CompiledGroup();
  // Frees the network's constants. `name` identifies the group in the cache. `keeps_export`: export_model()
  // is called later.
  static Result<std::shared_ptr<CompiledGroup>> build(Network network, const Device& device,
                                                      const Options& options, const std::string& name,
                                                      bool keeps_export);
  // From the bytes of export_model().
  static Result<std::shared_ptr<CompiledGroup>> restore(ByteView model, const Device& device,
                                                        const Options& options);

  Result<Bytes> export_model() const;

  // Runs of several threads overlap.
  Status run(std::span<const HostTensor> inputs, const Output& output);

 private:
  class Runner;

  CompiledGroup(const Device& device, const Options& options);

  Status build(import::CompilationHandle compilation, const std::string& name, bool keeps_export);
  Result<std::unique_ptr<Runner>> take_runner();

  Device device_;
  Options options_;
  Bytes restored_;  // the compilation may read it
  import::CompilationHandle compilation_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Runner>> idle_;
};

}  // namespace nnrt::ep
