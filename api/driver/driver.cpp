#include "api/driver/driver.h"

#include "api/driver/driver_model.h"
#include "backends/plugin/buffer_contents.h"
#include "backends/plugin/hdi_to_graph.h"
#include "core/base/text.h"
#include "core/platform/settings.h"
#include "core/runtime/operation_refusals.h"

#include <algorithm>

namespace nnrt::driver {
namespace {

std::string text_of(Setting setting, const char* otherwise) {
  const char* const text = setting_text(setting);
  return text == nullptr ? otherwise : text;
}

// Clients may count the terminating 0 of a string.
bool may_export(const CompileOptions& options) {
  const auto found = options.extensions.find(std::string_view(row(Setting::config_export).name));
  return found == options.extensions.end() || found->second.substr(0, found->second.find('\0')) != "off";
}

Result<Bytes> joined(const std::vector<hdi::SharedBuffer>& buffers) {
  Bytes all;
  for (const hdi::SharedBuffer& buffer : buffers) {
    NNRT_ASSIGN(const SharedBytes contents, plugin::contents_of(buffer));
    all.insert(all.end(), contents->begin(), contents->end());
  }
  return all;
}

}  // namespace

int32_t read_options(const hdi::ModelConfig& config, CompileOptions& options) {
  const auto in = [](int32_t value, int32_t max, hdi::NNRT_ReturnCode code, std::string_view what) {
    return answer("ModelConfig", code, [&]() -> Status {
      if (value >= 0 && value <= max) return {};
      return invalid("The ", what, " (", value, ") is outside [0, ", max, "].");
    });
  };
  if (const int32_t code =
          in(config.mode, hdi::PERFORMANCE_EXTREME, hdi::NNRT_INVALID_PERFORMANCE_MODE, "performance mode"))
    return code;
  if (const int32_t code = in(config.priority, hdi::PRIORITY_HIGH, hdi::NNRT_INVALID_PRIORITY, "priority"))
    return code;
  options.float16 = config.enableFloat16;
  options.performance = static_cast<PerformanceMode>(config.mode);
  options.priority = static_cast<Priority>(config.priority);
  for (const auto& [name, value] : config.extensions)
    options.extensions.emplace(name, std::string(value.begin(), value.end()));
  return hdi::NNRT_SUCCESS;
}

Driver::Driver(std::vector<std::shared_ptr<Device>> devices) : devices_(std::move(devices)) {
  const auto cpu = std::ranges::find_if(devices_, [](const auto& device) { return is_own_cpu(*device); });
  if (cpu != devices_.end() && cpu != devices_.begin()) fallback_ = cpu->get();
}

std::string Driver::device_name() const { return text_of(Setting::driver_name, "Vulkan"); }
std::string Driver::vendor_name() const { return text_of(Setting::driver_vendor, "NNRt"); }

Result<std::vector<bool>> Driver::supported(const hdi::Model& model) const {
  std::vector<bool> supported(model.nodes.size(), false);
  NNRT_ASSIGN(const plugin::ModelGraph read, plugin::to_graph(model));
  if (read.graph == nullptr) return supported;
  NNRT_ASSIGN(const OperationRefusals refusals, OperationRefusals::of(read.graph));
  NNRT_ASSIGN(const std::vector<Refusal> chosen, refusals.by(device()));
  std::vector<Refusal> others(chosen.size(), "There is no other device.");
  if (fallback_ != nullptr) {
    NNRT_ASSIGN(others, refusals.by(*fallback_));
  }
  for (size_t i = 0; i < chosen.size(); ++i) supported[read.nodes[i]] = !chosen[i] || !others[i];
  return supported;
}

Result<ModelPtr> Driver::made(std::shared_ptr<const CompiledModel> compiled,
                              const CompileOptions& options) const {
  NNRT_ASSIGN(auto for_runs, compiled->for_runs());
  if (!may_export(options)) compiled = nullptr;
  return ModelPtr(std::make_shared<DriverModel>(memory_, std::move(compiled), std::move(for_runs)));
}

Result<ModelPtr> Driver::prepare(const hdi::Model& model, const CompileOptions& options) const {
  NNRT_ASSIGN(plugin::ModelGraph read, plugin::to_graph(model));
  for (const auto& refusal : read.refusals)
    if (refusal) return *refusal;
  const ModelData data = may_export(options) ? ModelData::kept : ModelData::released;
  NNRT_ASSIGN(auto compiled, compile(std::move(read.graph), device(), fallback_, options, data));
  return made(std::move(compiled), options);
}

Result<ModelPtr> Driver::restore(const std::vector<hdi::SharedBuffer>& cache,
                                 const CompileOptions& options) const {
  NNRT_ASSIGN(const Bytes bytes, joined(cache));
  NNRT_ASSIGN(auto restored, restore_from_buffer(bytes, target(options)));
  return made(std::move(restored), options);
}

Result<ModelPtr> Driver::load(const std::vector<hdi::SharedBuffer>& models,
                              const CompileOptions& options) const {
  NNRT_ASSIGN(const Bytes bytes, joined(models));
  auto loaded = load_offline_model(bytes, target(options));
  if (loaded.ok()) return made(std::move(loaded).value(), options);
  Error error = std::move(loaded).error();
  if (error.code == Code::failed) error.code = Code::invalid_parameter;
  return error;
}

Result<hdi::SharedBuffer> Driver::allocate(uint32_t length) const {
  NNRT_ASSIGN(auto memory, device().allocate(length));
  return memory_->keep(std::move(memory));
}

}  // namespace nnrt::driver
