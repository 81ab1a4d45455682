#include "tools/plugins/base/compiled_network.h"

#include "tools/import/model_builder.h"
#include "tools/plugins/base/api_call.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <filesystem>

namespace nnrt::plugins {
namespace {

Status extend(OH_NNCompilation* compilation, const char* name, std::string_view value) {
  if (value.empty()) return {};
  return check(OH_NNCompilation_AddExtensionConfig(compilation, name, value.data(), value.size()),
               "OH_NNCompilation_AddExtensionConfig");
}

Status set_cache(OH_NNCompilation* compilation, const std::string& folder, const std::string& name) {
  if (folder.empty() || name.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error == std::errc::not_a_directory)
    return Error{Code::invalid_path, cat("Folder ", folder, " cannot be created: ", error.message(), ".")};
  NNRT_TRY(extend(compilation, "nnrt.cache", "optional"));  // may be missing
  NNRT_TRY(check(OH_NNCompilation_SetCache(compilation, folder.c_str(), 1), "OH_NNCompilation_SetCache"));
  return extend(compilation, "ModelName", name);
}

Status set_hints(OH_NNCompilation* compilation, const PluginOptions& options) {
  if (options.float16)
    NNRT_TRY(check(OH_NNCompilation_EnableFloat16(compilation, true), "OH_NNCompilation_EnableFloat16"));
  if (options.priority != OH_NN_PRIORITY_NONE)
    NNRT_TRY(
        check(OH_NNCompilation_SetPriority(compilation, options.priority), "OH_NNCompilation_SetPriority"));
  if (options.performance != OH_NN_PERFORMANCE_NONE)
    NNRT_TRY(check(OH_NNCompilation_SetPerformanceMode(compilation, options.performance),
                   "OH_NNCompilation_SetPerformanceMode"));
  return {};
}

Status configure(OH_NNCompilation* compilation, const PluginDevice& device, const PluginOptions& options) {
  NNRT_TRY(check(OH_NNCompilation_SetDevice(compilation, device.id), "OH_NNCompilation_SetDevice"));
  NNRT_TRY(set_hints(compilation, options));
  // "off" only decides how the framework's graph is partitioned. The runtime's fallback stays enabled: a run
  // that the device refuses, such as one on empty tensors, cannot be handed back.
  if (options.fallback == "on") NNRT_TRY(extend(compilation, "nnrt.fallback", "on"));
  if (options.threads > 0) NNRT_TRY(extend(compilation, "nnrt.threads", std::to_string(options.threads)));
  NNRT_TRY(extend(compilation, "nnrt.placement", options.placement));
  return extend(compilation, "nnrt.trace", options.trace);
}

}  // namespace

Result<CompiledNetwork> CompiledNetwork::build(import::Network network, const PluginDevice& device,
                                               const PluginOptions& options, const std::string& cache_name,
                                               bool keeps_export) {
  CompiledNetwork made;
  made.device_ = device.id;
  {
    NNRT_ASSIGN(const import::ModelHandle model, import::make_model(network));
    import::release_constants(network);
    NNRT_ASSIGN(made.compilation_, own<import::CompilationHandle>(OH_NNCompilation_Construct(model.get()),
                                                                  "OH_NNCompilation_Construct"));
  }  // without the model, its constants are freed as they are packed
  OH_NNCompilation* const compilation = made.handle();
  NNRT_TRY(configure(compilation, device, options));
  NNRT_TRY(set_cache(compilation, options.cache_dir, cache_name));
  if (!keeps_export) NNRT_TRY(extend(compilation, "nnrt.export", "off"));
  if (Status built = check(OH_NNCompilation_Build(compilation), "OH_NNCompilation_Build"); !built.ok())
    return import::explain(std::move(built).error(), network);
  return made;
}

Result<CompiledNetwork> CompiledNetwork::restore(import::Bytes model, const PluginDevice& device,
                                                 const PluginOptions& options) {
  CompiledNetwork made;
  made.device_ = device.id;
  made.restored_ = std::move(model);
  NNRT_ASSIGN(made.compilation_,
              own<import::CompilationHandle>(OH_NNCompilation_ConstructWithOfflineModelBuffer(
                                                 made.restored_.data(), made.restored_.size()),
                                             "OH_NNCompilation_ConstructWithOfflineModelBuffer"));
  NNRT_TRY(configure(made.handle(), device, options));
  NNRT_TRY(check(OH_NNCompilation_Build(made.handle()), "OH_NNCompilation_Build"));
  return made;
}

Result<import::Bytes> CompiledNetwork::export_model() const {
  import::Bytes bytes(size_t{1} << 20);
  size_t size = 0;
  const auto write = [&] {
    return OH_NNCompilation_ExportCacheToBuffer(handle(), bytes.data(), bytes.size(), &size);
  };
  OH_NN_ReturnCode code = write();
  if (code != OH_NN_SUCCESS && size > bytes.size()) {
    bytes.resize(size);
    code = write();
  }
  NNRT_TRY(check(code, "OH_NNCompilation_ExportCacheToBuffer"));
  bytes.resize(size);
  return bytes;
}

}  // namespace nnrt::plugins
