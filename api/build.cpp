#include "api/build.h"

#include "api/enums.h"
#include "core/device_registry.h"
#include "core/log.h"
#include "core/text.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace nnrt {
namespace {

constexpr std::string_view kFallback = "nnrt.fallback";
constexpr std::string_view kPlacement = "nnrt.placement";

// An option of the runtime: the extension config, else the environment, else empty. Clients may have counted
// the 0 behind a string.
std::string option(const OH_NNCompilation& compilation, std::string_view name, const char* variable) {
  const auto found = compilation.extensions.find(name);
  if (found == compilation.extensions.end()) {
    const char* value = std::getenv(variable);
    return value == nullptr ? "" : value;
  }
  return found->second.substr(0, found->second.find('\0'));
}

Result<Device*> find_device(size_t id) {
  Device* device = DeviceRegistry::instance().find(id);
  if (device == nullptr) return Error{Code::failed, cat("Device (", id, ") does not exist.")};
  if (device->status() == DeviceStatus::lost) {
    return Error{Code::unavailable_device, cat("Device ", device->info().name, " is lost.")};
  }
  return device;
}

Result<CompileOptions> options_of(const OH_NNCompilation& compilation) {
  CompileOptions options;
  options.float16 = compilation.float16;
  NNRT_ASSIGN(options.performance, performance_from(compilation.performance));
  NNRT_ASSIGN(options.priority, priority_from(compilation.priority));
  return options;
}

struct GraphOf {
  Result<GraphPtr> operator()(std::monostate) const {
    return invalid("The compilation has no model, and no cache was given.");
  }
  Result<GraphPtr> operator()(const std::shared_ptr<SharedModel>& model) const {
    const std::lock_guard lock(model->mutex);
    if (!model->builder.finished()) return invalid("The model is not finished.");
    return model->builder.graph();
  }
  Result<GraphPtr> operator()(const OfflineFile& file) const {
    // To open a pipe could wait for ever.
    std::error_code error;
    if (!std::filesystem::is_regular_file(file.path, error) || !std::ifstream(file.path, std::ios::binary)) {
      return Error{Code::invalid_file, cat("Offline model (", file.path, ") is no file that can be opened.")};
    }
    return unknown_format();
  }
  Result<GraphPtr> operator()(const OfflineBuffer&) const { return unknown_format(); }

  static Error unknown_format() {
    return {Code::failed, "The offline model has a format that no device knows."};
  }
};

// The device that takes what the chosen one refuses; null where there is none or the client forbids it.
Device* fallback_of(const OH_NNCompilation& compilation, const Device* chosen) {
  const std::string fallback = option(compilation, kFallback, "NNRT_FALLBACK");
  if (fallback == "off") return nullptr;
  if (!fallback.empty() && fallback != "on") {
    log(LogLevel::warning, cat("Option ", kFallback, " (", fallback, ") is neither on nor off."));
  }
  Device* cpu = DeviceRegistry::instance().cpu();
  return cpu == chosen ? nullptr : cpu;
}

// Where it cannot be written there is a warning: the model is none the worse for it.
void write_placement(const OH_NNCompilation& compilation, const CompiledModel& model) {
  const std::string path = option(compilation, kPlacement, "NNRT_PLACEMENT");
  if (path.empty()) return;
  if (path == "-") {
    std::cout << model.placement_table() << std::flush;
    return;
  }
  std::ofstream file(path, std::ios::app);
  file << model.placement_table() << std::flush;
  if (!file) log(LogLevel::warning, cat("Placement table (", path, ") cannot be written."));
}

}  // namespace

Result<std::shared_ptr<const CompiledModel>> build(const OH_NNCompilation& compilation) {
  NNRT_ASSIGN(Device * device, find_device(compilation.device_id));
  NNRT_ASSIGN(const CompileOptions options, options_of(compilation));
  NNRT_ASSIGN(const GraphPtr graph, std::visit(GraphOf{}, compilation.source));
  NNRT_ASSIGN(auto model, compile(graph, *device, fallback_of(compilation, device), options));
  write_placement(compilation, *model);
  return model;
}

bool is_known_extension(std::string_view name) {
  constexpr std::string_view kKnown[] = {kFallback, kPlacement, "ModelName", "NPU_FM_SHARED",
                                         "isExceedRamLimit"};
  return std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown);
}

}  // namespace nnrt
