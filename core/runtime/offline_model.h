// Precompiled models in device-specific formats.
#pragma once

#include "core/runtime/compile.h"

namespace nnrt {

// The graph has no nodes: only the inputs and outputs of such a model are known.
struct OfflineModel {
  GraphPtr graph;
  std::unique_ptr<PreparedModel> prepared;
};

// Additional interface of a device that supports such a format.
class OfflineLoader {
 public:
  virtual ~OfflineLoader() = default;

  // failed: not a model for this device, or the device does not report the model's inputs and outputs. The
  // bytes are only valid during the call.
  virtual Result<OfflineModel> load(ByteView bytes, const CompileOptions& options) = 0;
};

// A graph of tensors as described by a device, which is not trusted.
Result<GraphPtr> graph_of(std::vector<Tensor> inputs, std::vector<Tensor> outputs);

// Loads the model for runs on the device.
Result<std::shared_ptr<const CompiledModel>> load_offline(Device& device, OfflineLoader& loader,
                                                          ByteView bytes, const CompileOptions& options);

}  // namespace nnrt
