#include "api/compilation/build.h"

#include "api/base/api_enums.h"
#include "backends/devices.h"
#include "core/base/text.h"
#include "core/cache/build_cache.h"
#include "core/placement/auto_device.h"
#include "core/platform/compat.h"
#include "core/platform/log.h"
#include "core/platform/settings.h"
#include "core/platform/settings_check.h"
#include "core/platform/trace.h"
#include "core/runtime/placement_report.h"

#include <algorithm>
#include <optional>

namespace nnrt {
namespace {

// Clients may count the terminating 0 of a string.
std::optional<std::string> extension(const OH_NNCompilation& compilation, Setting config) {
  const auto found = compilation.extensions.find(std::string_view(row(config).name));
  if (found == compilation.extensions.end()) return {};
  return found->second.substr(0, found->second.find('\0'));
}

// An option of the runtime: the extension config, otherwise the environment variable, otherwise empty.
std::string option(const OH_NNCompilation& compilation, Setting config, Setting variable) {
  const std::optional<std::string> value = extension(compilation, config);
  const char* const text = value ? value->c_str() : setting_text(variable);
  if (text == nullptr) return "";
  check_value(row(value ? config : variable), text);
  return text;
}

Result<Device*> find_device(size_t id) {
  Device* device = device_registry().find(id);
  if (device == nullptr) return Error{Code::failed, cat("Device (", id, ") does not exist.")};
  if (device->status() == DeviceStatus::lost) {
    return Error{Code::unavailable_device, cat("Device ", device->info().name, " is lost.")};
  }
  return device;
}

std::string_view name(Feature feature) {
  constexpr std::string_view kNames[] = {"caches", "float16", "performance modes", "priorities"};
  return kNames[static_cast<size_t>(feature)];
}

// Unknown names only give a warning: a driver may know them.
void check_extensions(const OH_NNCompilation& compilation) {
  for (const auto& [name, value] : compilation.extensions) check_extension(name);
  for (const Setting config : {Setting::config_cache, Setting::config_device_local, Setting::config_export,
                               Setting::config_threads}) {
    if (const auto value = extension(compilation, config)) check_value(row(config), value->c_str());
  }
}

// Checks in the order that clients observe; all features are queried, even those not requested.
Result<CompileOptions> options_of(const OH_NNCompilation& compilation, const Device& device) {
  CompileOptions options;
  if (!compilation.cache_directory.empty()) NNRT_TRY(require_feature(device, Feature::caching, true));
  NNRT_TRY(require_feature(device, Feature::float16, compilation.float16));
  options.float16 = compilation.float16;
  const bool has_mode = compilation.performance != OH_NN_PERFORMANCE_NONE;
  NNRT_TRY(require_feature(device, Feature::performance, has_mode));
  NNRT_ASSIGN(options.performance, performance_from(compilation.performance));
  NNRT_TRY(require_feature(device, Feature::priority, compilation.priority != OH_NN_PRIORITY_NONE));
  NNRT_ASSIGN(options.priority, priority_from(compilation.priority));
  options.extensions = compilation.extensions;
  for (const Setting ours : {Setting::config_cache, Setting::config_export})
    options.extensions.erase(std::string(row(ours).name));  // do not concern drivers
  if (!device.is_plugin()) check_extensions(compilation);
  return options;
}

// Names the nodes of a client's graph that have no equivalent.
Status check_complete(const ClientGraph& client) {
  std::string message;
  for (const auto& refusal : client.refusals)
    if (refusal) message += cat(message.empty() ? "" : " ", refusal->message);
  if (!message.empty()) return Error{Code::unsupported, std::move(message)};
  return {};
}

// Builds from each type of source.
struct Builder {
  const OH_NNCompilation& compilation;
  const BuildTarget& target;
  bool reports_placement;

  BuiltModel operator()(std::monostate) const {
    // The buffer takes precedence.
    if (!compilation.imported_cache.empty()) return restore_from_buffer(compilation.imported_cache, target);
    if (!compilation.cache_directory.empty()) return restore_from_directory(cache(), target);
    return invalid("The compilation has no model, and no cache was given.");
  }
  BuiltModel operator()(std::shared_ptr<SharedModel>& model) const {
    auto finished = finished_graph(*model);
    model = nullptr;
    NNRT_ASSIGN(GraphPtr graph, std::move(finished));
    if (!compilation.cache_directory.empty()) return build_through_cache(cache(), graph, target);
    const bool keeps_data = may_export(compilation) || reports_placement;
    return compile(std::move(graph), target.chosen, target.fallback, target.options,
                   keeps_data ? ModelData::kept : ModelData::released);
  }
  BuiltModel operator()(const OfflineFile& file) const { return load_offline_model(file.path, target); }
  BuiltModel operator()(const OfflineBuffer& buffer) const {
    return load_offline_model(buffer.bytes, target);
  }

 private:
  static Result<GraphPtr> finished_graph(SharedModel& model) {
    const std::lock_guard lock(model.mutex);
    if (!model.builder.finished()) return invalid("The model is not finished.");
    if (model.client) NNRT_TRY(check_complete(*model.client));
    return model.builder.graph();
  }
  CacheRequest cache() const {
    return {compilation.cache_directory, extension(compilation, Setting::config_model_name).value_or(""),
            compilation.cache_version, compilation.note,
            extension(compilation, Setting::config_cache) == "optional"};
  }
};

// The device that runs what the chosen one refuses; null if there is none or the client disabled it.
Device* fallback_of(const OH_NNCompilation& compilation, const Device* chosen) {
  if (chosen->is_exclusive() || !compat::has_fallback()) return nullptr;
  if (option(compilation, Setting::config_fallback, Setting::fallback) == "off") return nullptr;
  Device* cpu = chosen->members().empty() ? device_registry().cpu() : cpu_of(chosen->members());
  return cpu == chosen ? nullptr : cpu;
}

// Null if no trace was requested or the file cannot be written, which does not affect the model.
std::shared_ptr<trace::Session> trace_of(const OH_NNCompilation& compilation) {
  const auto path = extension(compilation, Setting::config_trace);
  if (!path) return nullptr;
  auto session = trace::start(*path);
  if (session.ok()) return std::move(session).value();
  log(LogLevel::warning, session.error().message);
  return nullptr;
}

}  // namespace

bool may_export(const OH_NNCompilation& compilation) {
  return extension(compilation, Setting::config_export) != "off";
}

Result<BuildResult> build(OH_NNCompilation& compilation) {
  auto session = trace_of(compilation);
  const trace::Span span("compile", "build");
  const bool has_source = !std::holds_alternative<std::monostate>(compilation.source);
  if (has_source && !compilation.imported_cache.empty())
    return invalid("The compilation has both a model and an imported cache.");
  NNRT_ASSIGN(Device * device, find_device(compilation.device_id));
  NNRT_ASSIGN(const CompileOptions options, options_of(compilation, *device));
  const BuildTarget target{*device, fallback_of(compilation, device), options};
  const std::string placement = option(compilation, Setting::config_placement, Setting::placement);
  NNRT_ASSIGN(auto model, std::visit(Builder{compilation, target, !placement.empty()}, compilation.source));
  write_placement(placement, *model);
  NNRT_ASSIGN(auto released, model->for_runs());
  if (!may_export(compilation)) model = released;
  return BuildResult{std::move(session), std::move(model), std::move(released)};
}

Status require_feature(const Device& device, Feature feature, bool wanted) {
  NNRT_ASSIGN(const bool has, device.has(feature));
  if (has || !wanted) return {};
  return Error{compat::lacking_feature(),
               cat("Device ", device.info().name, " does not support ", name(feature), ".")};
}

}  // namespace nnrt
