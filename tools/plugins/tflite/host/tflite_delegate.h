// The delegate object of an interpreter, or of several.
#pragma once

#include "tools/plugins/tflite/compiled_partition.h"
#include "tools/plugins/tflite/delegate_options.h"
#include "tools/plugins/tflite/host/tensor_memory.h"

#include <tensorflow/lite/core/c/common.h>

#include <map>
#include <memory>
#include <mutex>

namespace nnrt::tflite_plugin {

class Delegate {
 public:
  static Result<std::unique_ptr<Delegate>> create(const DelegateOptions& options);

  TfLiteDelegate* handle() { return &exported_.delegate; }
  const DelegateOptions& options() const { return options_; }
  static Delegate& of(const TfLiteDelegate* handle) { return *static_cast<Delegate*>(handle->data_); }

  // Plans the interpreter's graph, compiles what has fixed shapes, and replaces the nodes.
  Status prepare(TfLiteContext* context);
  // The partition planned for exactly these nodes.
  Result<std::unique_ptr<Partition>> take(const TfLiteContext* context, const TfLiteIntArray& nodes);
  std::shared_ptr<TensorMemory> memory_of(const TfLiteContext* context);

 private:
  Delegate(const DelegateOptions& options, plugins::PluginDevice device);
  Status compile(const HostGraph& graph, std::vector<PlannedPartition> planned,
                 std::vector<std::unique_ptr<Partition>>& partitions) const;

  // Interpreters of later versions may read members that this version does not have.
  struct Exported {
    TfLiteDelegate delegate;
    void* later[16];
  };

  Exported exported_{};
  const DelegateOptions options_;
  const plugins::PluginDevice device_;
  std::mutex mutex_;
  std::map<const TfLiteContext*, std::vector<std::unique_ptr<Partition>>> planned_;
  std::map<const TfLiteContext*, std::weak_ptr<TensorMemory>> memory_;
};

}  // namespace nnrt::tflite_plugin
