#include "tools/plugins/onnxruntime/run/compiled_group.h"

#include "core/base/text.h"
#include "tools/import/model_builder.h"
#include "tools/import/network/network_check.h"
#include "tools/plugins/onnxruntime/run/runner.h"
#include "tools/plugins/onnxruntime/run/runtime_call.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <filesystem>
#include <system_error>

namespace nnrt::ep {
namespace {

Status extend(OH_NNCompilation* compilation, const char* name, const std::string& value) {
  if (value.empty()) return {};
  return called(OH_NNCompilation_AddExtensionConfig(compilation, name, value.data(), value.size()),
                "OH_NNCompilation_AddExtensionConfig");
}

Status set_cache(OH_NNCompilation* compilation, const std::string& folder, const std::string& name) {
  if (folder.empty() || name.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return Error{Code::invalid_path, cat("Folder (", folder, ") cannot be made: ", error.message(), ".")};
  NNRT_TRY(called(OH_NNCompilation_SetCache(compilation, folder.c_str(), 1), "OH_NNCompilation_SetCache"));
  return extend(compilation, "ModelName", name);
}

Status configure(OH_NNCompilation* compilation, const Device& device, const Options& options) {
  NNRT_TRY(called(OH_NNCompilation_SetDevice(compilation, device.id), "OH_NNCompilation_SetDevice"));
  if (options.float16)
    NNRT_TRY(called(OH_NNCompilation_EnableFloat16(compilation, true), "OH_NNCompilation_EnableFloat16"));
  if (options.priority != OH_NN_PRIORITY_NONE)
    NNRT_TRY(
        called(OH_NNCompilation_SetPriority(compilation, options.priority), "OH_NNCompilation_SetPriority"));
  if (options.performance != OH_NN_PERFORMANCE_NONE)
    NNRT_TRY(called(OH_NNCompilation_SetPerformanceMode(compilation, options.performance),
                    "OH_NNCompilation_SetPerformanceMode"));
  if (!device.is_auto()) NNRT_TRY(extend(compilation, "nnrt.fallback", options.fallback ? "on" : "off"));
  return extend(compilation, "nnrt.placement", options.placement);
}

}  // namespace

CompiledGroup::CompiledGroup(const Device& device, const Options& options)
    : device_(device), options_(options) {}
CompiledGroup::~CompiledGroup() = default;

Result<std::shared_ptr<CompiledGroup>> CompiledGroup::build(Network network, const Device& device,
                                                            const Options& options, const std::string& name,
                                                            bool keeps_export) {
  NNRT_ASSIGN(import::ModelHandle model, import::make_model(network));
  import::release_constants(network);
  import::CompilationHandle compilation(OH_NNCompilation_Construct(model.get()));
  if (!compilation) return made_nothing("OH_NNCompilation_Construct");
  model.reset();  // its constants are freed as soon as they are packed
  std::shared_ptr<CompiledGroup> made(new CompiledGroup(device, options));
  NNRT_TRY(made->build(std::move(compilation), name, keeps_export));
  return made;
}

Result<std::shared_ptr<CompiledGroup>> CompiledGroup::restore(ByteView model, const Device& device,
                                                              const Options& options) {
  std::shared_ptr<CompiledGroup> made(new CompiledGroup(device, options));
  made->restored_.assign(model.begin(), model.end());
  import::CompilationHandle compilation(
      OH_NNCompilation_ConstructWithOfflineModelBuffer(made->restored_.data(), made->restored_.size()));
  if (!compilation) return made_nothing("OH_NNCompilation_ConstructWithOfflineModelBuffer");
  NNRT_TRY(made->build(std::move(compilation), "", false));
  return made;
}

Status CompiledGroup::build(import::CompilationHandle compilation, const std::string& name,
                            bool keeps_export) {
  NNRT_TRY(configure(compilation.get(), device_, options_));
  NNRT_TRY(set_cache(compilation.get(), options_.cache, name));
  if (!keeps_export) NNRT_TRY(extend(compilation.get(), "nnrt.export", "off"));
  NNRT_TRY(called(OH_NNCompilation_Build(compilation.get()), "OH_NNCompilation_Build"));
  compilation_ = std::move(compilation);
  NNRT_ASSIGN(auto runner, Runner::create(compilation_.get(), device_.id));
  idle_.push_back(std::move(runner));
  return {};
}

Result<Bytes> CompiledGroup::export_model() const {
  Bytes bytes(size_t{1} << 20);
  size_t size = 0;
  const auto write = [&] {
    return OH_NNCompilation_ExportCacheToBuffer(compilation_.get(), bytes.data(), bytes.size(), &size);
  };
  OH_NN_ReturnCode code = write();
  if (code != OH_NN_SUCCESS && size > bytes.size()) {
    bytes.resize(size);
    code = write();
  }
  NNRT_TRY(called(code, "OH_NNCompilation_ExportCacheToBuffer"));
  bytes.resize(size);
  return bytes;
}

Result<std::unique_ptr<CompiledGroup::Runner>> CompiledGroup::take_runner() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto runner = std::move(idle_.back());
      idle_.pop_back();
      return runner;
    }
  }
  return Runner::create(compilation_.get(), device_.id);
}

Status CompiledGroup::run(std::span<const HostTensor> inputs, const Output& output) {
  NNRT_ASSIGN(auto runner, take_runner());
  NNRT_TRY(runner->run(inputs, output));  // a runner whose run failed is not used again
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(runner));
  return {};
}

}  // namespace nnrt::ep
