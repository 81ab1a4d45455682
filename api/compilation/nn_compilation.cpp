#include "api/base/api_enums.h"
#include "api/base/api_handles.h"
#include "api/base/boundary.h"
#include "api/compilation/build.h"
#include "backends/devices.h"
#include "core/base/exceptions.h"
#include "core/cache/build_cache.h"
#include "core/passes/drop_weights.h"
#include "core/platform/compat.h"
#include "core/platform/log.h"

#include <neural_network_runtime/neural_network_core.h>

#include <limits>

namespace nnrt {
namespace {

using NewCompilation = Result<std::unique_ptr<OH_NNCompilation>>;

NewCompilation make_compilation(Source source) {
  auto compilation = std::make_unique<OH_NNCompilation>();
  compilation->source = std::move(source);
  return compilation;
}

// Runs a setter on a compilation that has not been built.
template <typename Setter>
OH_NN_ReturnCode configure(const char* function, OH_NNCompilation* compilation,
                           std::initializer_list<Argument> arguments, const Setter& set) noexcept {
  return guard(function, [&]() -> Status {
    NNRT_TRY(require({{"compilation", compilation}}));
    NNRT_TRY(require(arguments));
    if (compilation->state != BuildState::configuring) {
      if (compat::ignores_late_calls()) return {};
      return forbidden("The compilation cannot be changed after Build.");
    }
    return set();
  });
}

// If the client has chosen a device, setters fail immediately for features it lacks; Build checks again.
Status ask_device(const OH_NNCompilation& compilation, Feature feature, bool wanted) {
  if (!wanted || !compilation.device_is_set || !compat::setters_ask_device()) return {};
  const Device* device = device_registry().find(compilation.device_id);
  return device == nullptr ? Status() : require_feature(*device, feature, wanted);
}

bool is_offline(const Source& source) {
  return std::holds_alternative<OfflineFile>(source) || std::holds_alternative<OfflineBuffer>(source);
}

Status check_exportable(const Device& device) {
  if (device.is_plugin() && !compat::exports_plugin_caches())
    return unsupported("Plugin caches cannot be exported in upstream mode.");
  NNRT_ASSIGN(const bool can, device.has(Feature::caching));
  if (can) return {};
  return unsupported("Device ", device.info().name, " does not support caches.");
}

// Setting a name again appends to its value (api.md OH_NNCompilation_AddExtensionConfig).
void add_extension(OH_NNCompilation& compilation, std::string_view name, std::string_view value) {
  const auto [entry, is_new] = compilation.extensions.try_emplace(std::string(name), value);
  if (!is_new) entry->second = cat(entry->second, '|', value);
}

}  // namespace
}  // namespace nnrt

using namespace nnrt;

OH_NNCompilation* OH_NNCompilation_Construct(const OH_NNModel* model) {
  return guard_new(__func__, [&]() -> NewCompilation {
    NNRT_TRY(require({{"model", model}}));
    return make_compilation(model->shared);
  });
}

OH_NNCompilation* OH_NNCompilation_ConstructWithOfflineModelFile(const char* modelPath) {
  return guard_new(__func__, [&]() -> NewCompilation {
    NNRT_TRY(require({{"modelPath", modelPath}}));
    return make_compilation(OfflineFile{modelPath});
  });
}

OH_NNCompilation* OH_NNCompilation_ConstructWithOfflineModelBuffer(const void* modelBuffer,
                                                                   size_t modelSize) {
  return guard_new(__func__, [&]() -> NewCompilation {
    NNRT_TRY(require({{"modelBuffer", modelBuffer}}));
    if (modelSize == 0) return invalid("The size of the offline model is 0.");
    return make_compilation(OfflineBuffer{{static_cast<const std::byte*>(modelBuffer), modelSize}});
  });
}

OH_NNCompilation* OH_NNCompilation_ConstructForCache() {
  return guard_new(__func__, []() -> NewCompilation { return make_compilation(std::monostate{}); });
}

OH_NN_ReturnCode OH_NNCompilation_ExportCacheToBuffer(OH_NNCompilation* compilation, const void* buffer,
                                                      size_t length, size_t* modelSize) {
  return guard(__func__, {{"compilation", compilation}, {"buffer", buffer}, {"modelSize", modelSize}},
               [&]() -> Status {
                 if (compilation->state != BuildState::built) return invalid("The compilation is not built.");
                 if (length == 0) return invalid("The length of the buffer is 0.");
                 if (is_offline(compilation->source))
                   return unsupported("Offline models cannot be exported.");
                 if (!may_export(*compilation))
                   return unsupported("The compilation was built with extension config nnrt.export=off.");
                 NNRT_TRY(check_exportable(*compilation->compiled->device));
                 // The API declares the buffer const although it is written (api.md
                 // OH_NNCompilation_ExportCacheToBuffer).
                 auto* bytes = static_cast<std::byte*>(const_cast<void*>(buffer));
                 return export_cache(*compilation->compiled, compilation->cache_version, compilation->note,
                                     {bytes, length}, *modelSize);
               });
}

OH_NN_ReturnCode OH_NNCompilation_ImportCacheFromBuffer(OH_NNCompilation* compilation, const void* buffer,
                                                        size_t modelSize) {
  return configure(__func__, compilation, {{"buffer", buffer}}, [&]() -> Status {
    if (modelSize == 0) return invalid("The size of the cache is 0.");
    compilation->imported_cache = {static_cast<const std::byte*>(buffer), modelSize};
    return {};
  });
}

OH_NN_ReturnCode OH_NNCompilation_AddExtensionConfig(OH_NNCompilation* compilation, const char* configName,
                                                     const void* configValue, const size_t configValueSize) {
  return configure(
      __func__, compilation, {{"configName", configName}, {"configValue", configValue}}, [&]() -> Status {
        if (*configName == '\0') return invalid("The name of the extension config is empty.");
        if (configValueSize == 0) return invalid("The size of ", configName, " is 0.");
        add_extension(*compilation, configName, {static_cast<const char*>(configValue), configValueSize});
        return {};
      });
}

OH_NN_ReturnCode OH_NNCompilation_SetDevice(OH_NNCompilation* compilation, size_t deviceID) {
  return configure(__func__, compilation, {}, [&]() -> Status {
    compilation->device_id = deviceID;
    compilation->device_is_set = true;
    return {};
  });
}

OH_NN_ReturnCode OH_NNCompilation_SetCache(OH_NNCompilation* compilation, const char* cachePath,
                                           uint32_t version) {
  return configure(__func__, compilation, {{"cachePath", cachePath}}, [&]() -> Status {
    if (version == std::numeric_limits<uint32_t>::max())
      return invalid("The version (", version, ") is reserved.");
    NNRT_TRY(ask_device(*compilation, Feature::caching, *cachePath != '\0'));
    compilation->cache_directory = cachePath;
    compilation->cache_version = version;
    return {};
  });
}

OH_NN_ReturnCode OH_NNCompilation_SetPerformanceMode(OH_NNCompilation* compilation,
                                                     OH_NN_PerformanceMode performanceMode) {
  return configure(__func__, compilation, {}, [&]() -> Status {
    const int mode = number_of(performanceMode);
    NNRT_TRY(ask_device(*compilation, Feature::performance, mode != OH_NN_PERFORMANCE_NONE));
    compilation->performance = mode;
    return {};
  });
}

OH_NN_ReturnCode OH_NNCompilation_SetPriority(OH_NNCompilation* compilation, OH_NN_Priority priority) {
  return configure(__func__, compilation, {}, [&]() -> Status {
    const int number = number_of(priority);
    NNRT_TRY(ask_device(*compilation, Feature::priority, number != OH_NN_PRIORITY_NONE));
    compilation->priority = number;
    return {};
  });
}

OH_NN_ReturnCode OH_NNCompilation_EnableFloat16(OH_NNCompilation* compilation, bool enableFloat16) {
  return configure(__func__, compilation, {}, [&]() -> Status {
    NNRT_TRY(ask_device(*compilation, Feature::float16, enableFloat16));
    compilation->float16 = enableFloat16;
    return {};
  });
}

OH_NN_ReturnCode OH_NNCompilation_Build(OH_NNCompilation* compilation) {
  return guard(__func__, {{"compilation", compilation}}, [&]() -> Status {
    if (compilation->state != BuildState::configuring) return invalid("Build was already called.");
    compilation->state = BuildState::failed;  // until it succeeds
    auto built = build(*compilation);
    // Also if Build failed before it used the model.
    if (auto* model = std::get_if<std::shared_ptr<SharedModel>>(&compilation->source)) *model = nullptr;
    if (!built.ok()) return std::move(built).error();
    compilation->trace = std::move(built.value().trace);
    compilation->compiled = std::move(built.value().compiled);
    compilation->for_runs = std::move(built.value().for_runs);
    compilation->state = BuildState::built;
    return {};
  });
}

void OH_NNCompilation_Destroy(OH_NNCompilation** compilation) {
  const bool was_built =
      compilation != nullptr && *compilation != nullptr && (*compilation)->compiled != nullptr;
  const size_t constants = was_built ? data_bytes(*(*compilation)->compiled->graph) : 0;
  destroy_or_warn(__func__, compilation);
  trim_heap(constants);
}
