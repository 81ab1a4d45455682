#include "backends/plugin/plugin_device.h"

#include "backends/plugin/hdi_enums.h"
#include "backends/plugin/hdi_to_model.h"
#include "backends/plugin/plugin_model.h"
#include "core/device/cache_traits.h"
#include "core/device/device_registry.h"
#include "core/graph/subgraph.h"
#include "core/platform/log.h"
#include "core/runtime/offline_model.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace nnrt::plugin {
namespace {

// PAD's constant is a float in the driver interface.
Refusal refuse_constant(const nnrt::Node& node) {
  if (node.op != Op::pad || !node.attrs.has(Attr::constant_value)) return std::nullopt;
  const AttrValue& value = node.attrs.at(Attr::constant_value);
  constexpr int64_t kMaxExact = 1 << 24;
  if (is_float(value.dtype)) {
    const double real = value.floats.at(0);
    if (std::isnan(real) || double(float(real)) == real) return std::nullopt;
    return cat("The constant of PAD (", real, ") is not a FLOAT32, which the driver interface requires.");
  }
  const int64_t integer = value.integers.at(0);
  const int64_t min = value.dtype == DType::u64 ? 0 : -kMaxExact;
  if (integer >= min && integer <= kMaxExact) return std::nullopt;
  return cat("The constant of PAD (", integer, ") is not a FLOAT32, which the driver interface requires.");
}

using Prepared = Result<std::unique_ptr<nnrt::PreparedModel>>;
using ModelPtr = std::shared_ptr<hdi::IPreparedModel>;

hdi::ModelConfig config_of(const CompileOptions& options) {
  hdi::ModelConfig config;
  config.enableFloat16 = options.float16;
  config.mode = static_cast<hdi::PerformanceMode>(options.performance);
  config.priority = static_cast<hdi::Priority>(options.priority);
  for (const auto& [name, value] : options.extensions)
    config.extensions[name] = std::vector<int8_t>(value.begin(), value.end());
  return config;
}

bool has_dynamic_input(const Graph& graph) {
  return std::ranges::any_of(graph.inputs, [&](TensorId id) { return !is_static(graph.tensors[id].shape); });
}

std::vector<nnrt::Tensor> tensors_of(const std::vector<hdi::IOTensor>& described) {
  std::vector<nnrt::Tensor> tensors;
  for (const hdi::IOTensor& one : described) {
    nnrt::Tensor& made = tensors.emplace_back();
    made.name = one.name;
    made.dtype = from_hdi(one.dataType);
    made.format = from_hdi(one.format);
    made.shape = {one.dimensions.begin(), one.dimensions.end()};
  }
  return tensors;
}

// A driver gets no constants when it restores a model from a cache.
class PluginDevice final : public Device, public OfflineLoader, public DeferredReader {
 public:
  PluginDevice(std::shared_ptr<Driver> driver, Version version, DeviceInfo info, std::string file)
      : driver_(std::move(driver)), version_(version), info_(std::move(info)), file_(std::move(file)) {}

  const DeviceInfo& info() const override { return info_; }
  std::vector<DeviceProperty> properties() const override {
    std::vector<DeviceProperty> properties{{"plugin", true}};
    if (!file_.empty()) properties.push_back({"plugin_file", file_});
    properties.push_back({"interface", cat(version_.major, ".", version_.minor)});
    return properties;
  }
  DeviceStatus status() const override;
  Result<DeviceType> type() const override;
  Result<bool> has(Feature feature) const override;
  bool is_plugin() const override { return true; }
  bool is_exclusive() const override;

  Result<std::vector<Refusal>> supports(const Graph& graph, const CompileOptions& options) const override;
  Prepared prepare(GraphPtr graph, const CompileOptions& options) override;

  std::string cache_key() const override { return cat("HDI ", version_.major, ".", version_.minor); }
  Prepared restore(GraphPtr graph, const CompileOptions& options, const SharedBytes& cached) override;

  Result<OfflineModel> load(ByteView bytes, const CompileOptions& options) override;

  uint64_t max_tensor_bytes() const override { return std::numeric_limits<uint32_t>::max(); }
  Result<std::shared_ptr<SharedMemory>> allocate(size_t bytes) override { return driver_->allocate(bytes); }

 private:
  hdi::INnrtDevice& device() const { return driver_->device(); }
  Result<bool> flag(const Method& method, int32_t (hdi::INnrtDevice::*question)(bool&)) const;
  Refusal refusal_unasked(const Graph& graph, const nnrt::Node& node) const;
  Result<std::vector<bool>> supported(const Graph& graph) const;
  Status with_model(const Graph& graph, const std::function<Status(const hdi::Model&)>& use) const;
  Prepared made(ModelPtr model, GraphPtr graph, const Method& method) const;

  const std::shared_ptr<Driver> driver_;
  const Version version_;
  const DeviceInfo info_;
  const std::string file_;
};

Result<bool> PluginDevice::flag(const Method& method, int32_t (hdi::INnrtDevice::*question)(bool&)) const {
  bool answer = false;
  NNRT_TRY(call(method, [&] { return (device().*question)(answer); }));
  return answer;
}

DeviceStatus PluginDevice::status() const {
  auto status = hdi::UNKNOWN;
  const Status asked = call(kGetDeviceStatus, [&] { return device().GetDeviceStatus(status); });
  if (!asked.ok()) {
    log(LogLevel::warning, cat(asked.error().message, " While querying ", info_.name, "."));
    return DeviceStatus::lost;
  }
  if (status == hdi::AVAILABLE) return DeviceStatus::available;
  return status == hdi::BUSY ? DeviceStatus::busy : DeviceStatus::lost;
}

Result<DeviceType> PluginDevice::type() const {
  auto type = hdi::OTHER;
  NNRT_TRY(call(kGetDeviceType, [&] { return device().GetDeviceType(type); }));
  if (type >= hdi::OTHER && type <= hdi::ACCELERATOR) return static_cast<DeviceType>(type);
  return Error{Code::unavailable_device,
               cat("Device ", info_.name, " has an unknown type (", int32_t(type), ").")};
}

Result<bool> PluginDevice::has(Feature feature) const {
  switch (feature) {
    case Feature::caching: return flag(kIsCache, &hdi::INnrtDevice::IsModelCacheSupported);
    case Feature::float16: return flag(kIsFloat16, &hdi::INnrtDevice::IsFloat16PrecisionSupported);
    case Feature::performance: return flag(kIsPerformance, &hdi::INnrtDevice::IsPerformanceModeSupported);
    case Feature::priority: return flag(kIsPriority, &hdi::INnrtDevice::IsPrioritySupported);
  }
  return false;
}

bool PluginDevice::is_exclusive() const {
  bool is_exclusive = false;
  static_cast<void>(call({"IsExclusive", Code::failed}, [&] {
    if (driver_->traits() != nullptr) is_exclusive = driver_->traits()->IsExclusive();
    return 0;
  }));
  return is_exclusive;
}

// Refuses what the interface cannot express for this driver.
Refusal PluginDevice::refusal_unasked(const Graph& graph, const nnrt::Node& node) const {
  const bool knows_v2_1 = version_.major > 2 || (version_.major == 2 && version_.minor >= 1);
  const NodeRow* row = find_row(node.op);
  if (row == nullptr) return cat(name(node.op), " has no node in the driver interface.");
  if (row->needs_v2_1 && !knows_v2_1)
    return cat(name(node.op), " is of version 2.1; ", info_.name, " is of ", version_.major, ".",
               version_.minor, ".");
  for (const ParamRow& param : schema(node.op).params) {
    const bool differs = node.attrs.has(param.attr) && !is_default(param, node.attrs.at(param.attr));
    if (param.is_extension() && differs)
      return cat(param.type_name(), " has no field in the driver interface.");
  }
  if (node.op == Op::range && node.inputs.size() > 1)
    return "Bounds of a range that are inputs have no field in the driver interface.";
  if (Refusal refusal = refuse_constant(node)) return refusal;
  if (node.attrs.is_set(Attr::ties_to_even))
    return cat(ties_param().type_name(), " has no field in the driver interface.");
  const nnrt::Tensor& first = graph.tensors[node.inputs.front()];
  if (!node.diagnosis && schema(node.op).layout_dependent && first.format == Format::nchw &&
      first.shape.size() >= 3) {
    return "Plugins only support NHWC data.";
  }
  return std::nullopt;
}

// Passes the graph to the driver; the constants' memory lives for the duration of the call.
Status PluginDevice::with_model(const Graph& graph,
                                const std::function<Status(const hdi::Model&)>& use) const {
  const ConstantPlan plan = plan_constants(graph);
  std::shared_ptr<SharedMemory> memory;
  DescriptorLoan loan;
  hdi::SharedBuffer buffer;
  if (plan.bytes > 0) {
    NNRT_ASSIGN(memory, driver_->allocate(plan.bytes));
    copy_constants(graph, plan, memory->data());
    NNRT_ASSIGN(buffer, driver_->lend(loan, *memory, 0, 0));
  }
  hdi::Model model = to_model(graph, plan, buffer, version_.major == 2 ? version_.minor : 0);
  bool is_first = true;
  for (hdi::Tensor& tensor : model.allTensors) {
    // A separate descriptor per constant, as a driver in another process would get.
    if (tensor.data.fd < 0 || std::exchange(is_first, false)) continue;
    NNRT_ASSIGN(const hdi::SharedBuffer own, driver_->lend(loan, *memory, 0, 0));
    tensor.data.fd = own.fd;
  }
  if (driver_->traits() != nullptr) {
    NNRT_TRY(call({"WriteNodeAttr", Code::failed, Phase::build}, [&] {
      for (hdi::Node& node : model.nodes) {
        if (!driver_->traits()->WriteNodeAttr(node)) node.nodeAttr.clear();
      }
      return 0;
    }));
  }
  return use(model);
}

Result<std::vector<bool>> PluginDevice::supported(const Graph& graph) const {
  std::vector<bool> answers;
  NNRT_TRY(with_model(graph, [&](const hdi::Model& model) {
    return call(kGetSupportedOperation, [&] { return device().GetSupportedOperation(model, answers); });
  }));
  answers.resize(std::min(answers.size(), graph.nodes.size()));
  return answers;
}

Result<std::vector<Refusal>> PluginDevice::supports(const Graph& graph, const CompileOptions&) const {
  if (has_dynamic_input(graph)) {
    NNRT_ASSIGN(const bool supports, flag(kIsDynamic, &hdi::INnrtDevice::IsDynamicInputSupported));
    if (!supports)
      return std::vector<Refusal>(graph.nodes.size(), cat(info_.name, " does not support dynamic inputs."));
  }
  std::vector<Refusal> refusals(graph.nodes.size());
  std::vector<NodeId> asked;
  for (NodeId node = 0; node < graph.nodes.size(); ++node) {
    refusals[node] = refusal_unasked(graph, graph.nodes[node]);
    if (!refusals[node]) asked.push_back(node);
  }
  if (asked.empty()) return refusals;
  const bool is_whole = asked.size() == graph.nodes.size();
  NNRT_ASSIGN(const std::vector<bool> answers,
              supported(is_whole ? graph : *Subgraphs(graph).cut(asked).graph));
  for (size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) refusals[asked[i]] = cat(info_.name, " does not support it.");
  }
  // A wrong number of answers is passed on for the caller to check.
  if (is_whole) refusals.resize(answers.size());
  return refusals;
}

Prepared PluginDevice::made(ModelPtr model, GraphPtr graph, const Method& method) const {
  if (model == nullptr)
    return Error{method.on_error, cat(method.name, " of the plugin succeeded without a model.")};
  return make_prepared_model(driver_, std::move(model), std::move(graph), version_);
}

Prepared PluginDevice::prepare(GraphPtr graph, const CompileOptions& options) {
  ModelPtr model;
  const hdi::ModelConfig config = config_of(options);
  NNRT_TRY(with_model(*graph, [&](const hdi::Model& given) {
    return call(kPrepareModel, [&] { return device().PrepareModel(given, config, model); });
  }));
  return made(std::move(model), std::move(graph), kPrepareModel);
}

Prepared PluginDevice::restore(GraphPtr graph, const CompileOptions& options, const SharedBytes& cached) {
  NNRT_TRY(ensure_read(cached));
  NNRT_ASSIGN(const std::vector<ByteView> contents, cached_buffers(*cached));
  std::vector<std::shared_ptr<SharedMemory>> memories;
  DescriptorLoan loan;
  std::vector<hdi::SharedBuffer> buffers;
  for (const ByteView bytes : contents) {
    NNRT_ASSIGN(auto memory, driver_->allocate_with(bytes));
    NNRT_ASSIGN(const hdi::SharedBuffer buffer, driver_->lend(loan, *memory, 0, bytes.size()));
    memories.push_back(std::move(memory));
    buffers.push_back(buffer);
  }
  ModelPtr model;
  const hdi::ModelConfig config = config_of(options);
  NNRT_TRY(
      call(kPrepareFromCache, [&] { return device().PrepareModelFromModelCache(buffers, config, model); }));
  return made(std::move(model), std::move(graph), kPrepareFromCache);
}

Result<OfflineModel> PluginDevice::load(ByteView bytes, const CompileOptions& options) {
  ModelPtr model;
  const hdi::ModelConfig config = config_of(options);
  {
    NNRT_ASSIGN(const auto memory, driver_->allocate_with(bytes));
    DescriptorLoan loan;
    NNRT_ASSIGN(const hdi::SharedBuffer buffer, driver_->lend(loan, *memory, 0, bytes.size()));
    NNRT_TRY(call(kPrepareOffline, [&] { return device().PrepareOfflineModel({buffer}, config, model); }));
  }
  if (model == nullptr)
    return Error{Code::failed, "PrepareOfflineModel of the plugin succeeded without a model."};
  if (driver_->traits() == nullptr)
    return Error{Code::failed,
                 cat(info_.name, " does not report the inputs and outputs of its offline models.")};
  std::vector<hdi::IOTensor> inputs, outputs;
  NNRT_TRY(call(kDescribeOffline,
                [&] { return driver_->traits()->DescribeOfflineModel(*model, inputs, outputs); }));
  auto graph = graph_of(tensors_of(inputs), tensors_of(outputs));
  if (!graph.ok())
    return Error{Code::failed, cat("DescribeOfflineModel of the plugin reported an invalid model. ",
                                   graph.error().message)};
  return OfflineModel{graph.value(), make_prepared_model(driver_, std::move(model), graph.value(), version_)};
}

}  // namespace

Result<std::shared_ptr<Device>> make_device(std::shared_ptr<hdi::INnrtDevice> device, std::string file) {
  auto driver = std::make_shared<Driver>(std::move(device));
  std::string name, vendor;
  Version version;
  hdi::INnrtDevice& asked = driver->device();
  NNRT_TRY(call(kGetDeviceName, [&] { return asked.GetDeviceName(name); }));
  NNRT_TRY(call(kGetVendorName, [&] { return asked.GetVendorName(vendor); }));
  NNRT_TRY(call(kGetVersion, [&] { return asked.GetVersion(version.major, version.minor); }));
  const std::string full = cat(name, "_", vendor, "_v", version.major, "_", version.minor);
  DeviceInfo info{.id = device_id(full), .name = full, .vendor = std::move(vendor)};
  return std::shared_ptr<Device>(
      std::make_shared<PluginDevice>(std::move(driver), version, std::move(info), std::move(file)));
}

}  // namespace nnrt::plugin
