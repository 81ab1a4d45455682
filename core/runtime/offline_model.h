// Models in formats that only a device knows, compiled ahead of time for it.
#pragma once

#include "core/runtime/compile.h"

namespace nnrt {

// The graph has no nodes: tensors that go in and come out are all that is known of such a model.
struct OfflineModel {
  GraphPtr graph;
  std::unique_ptr<PreparedModel> prepared;
};

// The second interface of a device that may know such a format.
class OfflineLoader {
 public:
  virtual ~OfflineLoader() = default;

  // failed: the bytes are no model for this device, or it does not report the model's inputs and outputs. The
  // bytes are good for the call.
  virtual Result<OfflineModel> load(ByteView bytes, const CompileOptions& options) = 0;
};

// Makes a graph of tensors as a device describes them, which need not be true.
Result<GraphPtr> graph_of(std::vector<Tensor> inputs, std::vector<Tensor> outputs);

// Loads the model so that it runs on the device.
Result<std::shared_ptr<const CompiledModel>> load_offline(Device& device, OfflineLoader& loader,
                                                          ByteView bytes, const CompileOptions& options);

}  // namespace nnrt
