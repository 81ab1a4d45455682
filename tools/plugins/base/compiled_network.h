// A network compiled for a device.
#pragma once

#include "tools/import/network/network.h"
#include "tools/import/nn_handles.h"
#include "tools/plugins/base/chosen_device.h"
#include "tools/plugins/base/plugin_options.h"

#include <string>

namespace nnrt::plugins {

class CompiledNetwork {
 public:
  // Frees the network's constants. `cache_name`: identifies the network in options.cache_dir; if empty,
  // nothing is cached. `keeps_export`: export_model() is called later.
  static Result<CompiledNetwork> build(import::Network network, const PluginDevice& device,
                                       const PluginOptions& options, const std::string& cache_name,
                                       bool keeps_export = false);
  // From the bytes of export_model().
  static Result<CompiledNetwork> restore(import::Bytes model, const PluginDevice& device,
                                         const PluginOptions& options);

  Result<import::Bytes> export_model() const;

  OH_NNCompilation* handle() const { return compilation_.get(); }
  size_t device() const { return device_; }

 private:
  size_t device_ = 0;
  import::Bytes restored_;  // the compilation may read it
  import::CompilationHandle compilation_;
};

}  // namespace nnrt::plugins
