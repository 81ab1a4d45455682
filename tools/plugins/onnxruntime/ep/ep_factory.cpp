#include "tools/plugins/onnxruntime/ep/ep_factory.h"

#include "core/base/text.h"

#include <algorithm>
#include <cctype>

namespace nnrt::ep {
namespace {

using plugins::PluginDevice;
using plugins::PluginOptions;
using Pairs = Facts;

// In the metadata of a device.
constexpr const char* kNameKey = "nnrt_device";
constexpr const char* kIdKey = "id";

Released<OrtKeyValuePairs> to_ort(const Pairs& pairs) {
  OrtKeyValuePairs* made = nullptr;
  ort().CreateKeyValuePairs(&made);
  for (const auto& [key, value] : pairs) ort().AddKeyValuePair(made, key.c_str(), value.c_str());
  return {made, ort().ReleaseKeyValuePairs};
}

Pairs from_ort(const OrtKeyValuePairs* pairs) {
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  if (pairs != nullptr) ort().GetKeyValuePairs(pairs, &keys, &values, &count);
  Pairs made;
  for (size_t i = 0; i < count; ++i) made[keys[i]] = values[i];
  return made;
}

std::string value_of(const Pairs& pairs, const std::string& key) {
  const auto found = pairs.find(key);
  return found == pairs.end() ? "" : found->second;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// The session's entries.
Result<Pairs> entries_of(const OrtSessionOptions* session) {
  OrtKeyValuePairs* entries = nullptr;
  NNRT_TRY(taken(ort().GetSessionOptionsConfigEntries(session, &entries)));
  const Released<OrtKeyValuePairs> owned(entries, ort().ReleaseKeyValuePairs);
  return from_ort(entries);
}

// Options of this provider: "ep.nnrtexecutionprovider.device".
Pairs options_of(const Pairs& entries) {
  const std::string prefix = "ep." + lower(kEpName) + ".";
  Pairs options;
  for (const auto& [key, value] : entries)
    if (lower(key).starts_with(prefix)) options[key.substr(prefix.size())] = value;
  return options;
}

ContextModels contexts_of(const Pairs& entries) {
  return {value_of(entries, "ep.context_enable") == "1", value_of(entries, "ep.context_embed_mode") == "1",
          value_of(entries, "ep.context_file_path")};
}

// The framework's device for the hardware: its GPU of the same vendor, or else its first one. Its CPU for
// other devices and software drivers, and if it lists no GPU.
const OrtHardwareDevice* hardware_of(const PluginDevice& device, const Facts& facts,
                                     const OrtHardwareDevice* const* all, size_t count) {
  const OrtHardwareDevice* cpu = nullptr;
  const OrtHardwareDevice* gpu = nullptr;
  const std::string vendor = lower(value_of(facts, "vendor"));
  for (size_t i = 0; i < count; ++i) {
    const OrtHardwareDeviceType type = ort().HardwareDevice_Type(all[i]);
    if (type == OrtHardwareDeviceType_CPU && cpu == nullptr) cpu = all[i];
    if (type != OrtHardwareDeviceType_GPU) continue;
    const bool is_same =
        !vendor.empty() && lower(ort().HardwareDevice_Vendor(all[i])).find(vendor) != std::string::npos;
    if (gpu == nullptr || is_same) gpu = all[i];
  }
  const bool is_hardware = device.type == OH_NN_GPU && value_of(facts, "kind") != "software";
  return is_hardware && gpu != nullptr ? gpu : cpu;
}

const char* type_name(OH_NN_DeviceType type) {
  switch (type) {
    case OH_NN_CPU: return "cpu";
    case OH_NN_GPU: return "gpu";
    case OH_NN_ACCELERATOR: return "accelerator";
    default: return "auto";
  }
}

Result<PluginOptions> read_options(const Pairs& given, const OrtKeyValuePairs* const* metadata,
                                   size_t count) {
  PluginOptions options;
  options.fallback = "off";  // ONNX Runtime runs what the device declines
  if (count == 1)
    options.device = value_of(from_ort(metadata[0]), kIdKey);  // of several selected devices: auto
  for (const auto& [name, value] : given) NNRT_TRY(plugins::set_option(options, name, value));
  return options;
}

}  // namespace

EpFactory::EpFactory() : OrtEpFactory{}, memory_(nullptr, ort().ReleaseMemoryInfo) {
  ort_version_supported = ORT_API_VERSION;
  GetName = name;
  GetVendor = vendor;
  GetVendorId = vendor_id;
  GetVersion = version;
  GetSupportedDevices = get_supported_devices;
  CreateEp = create_ep;
  ReleaseEp = release_ep;
  CreateAllocator = create_allocator;
  ReleaseAllocator = release_allocator;
  CreateDataTransfer = create_data_transfer;
  IsStreamAware = is_stream_aware;
}

const char* EpFactory::version(const OrtEpFactory*) noexcept { return NNRT_PLUGIN_VERSION; }

Result<Released<OrtEpDevice>> EpFactory::make_device(const PluginDevice& device, Facts facts,
                                                     const OrtHardwareDevice* hardware) {
  facts.erase("name");
  facts["type"] = type_name(device.type);
  facts[kNameKey] = device.name;
  facts[kIdKey] = std::to_string(device.id);
  const auto metadata = to_ort(facts);
  OrtEpDevice* made = nullptr;
  NNRT_TRY(taken(tables().ep->CreateEpDevice(this, hardware, metadata.get(), nullptr, &made)));
  Released<OrtEpDevice> owned(made, tables().ep->ReleaseEpDevice);
  NNRT_TRY(taken(tables().ep->EpDevice_AddAllocatorInfo(made, memory_.get())));
  return owned;
}

OrtStatus* EpFactory::get_supported_devices(OrtEpFactory* self, const OrtHardwareDevice* const* hardware,
                                            size_t hardware_count, OrtEpDevice** devices, size_t capacity,
                                            size_t* count) noexcept {
  auto* const factory = static_cast<EpFactory*>(self);
  return guarded([&]() -> Status {
    *count = 0;
    std::vector<Released<OrtEpDevice>> made;
    if (!factory->memory_) {
      NNRT_ASSIGN(OrtMemoryInfo* const memory, make_memory_info());
      factory->memory_.reset(memory);
    }
    NNRT_ASSIGN(const std::vector<PluginDevice> found, plugins::list_devices());
    for (const PluginDevice& device : found) {
      Facts facts = facts_of(device);
      const OrtHardwareDevice* const place = hardware_of(device, facts, hardware, hardware_count);
      if (place == nullptr || made.size() == capacity) continue;
      NNRT_ASSIGN(auto listed, factory->make_device(device, std::move(facts), place));
      made.push_back(std::move(listed));
    }
    for (auto& device : made) devices[(*count)++] = device.release();
    return {};
  });
}

Result<std::unique_ptr<ExecutionProvider>> EpFactory::make_ep(const OrtKeyValuePairs* const* metadata,
                                                              size_t count, const OrtSessionOptions* session,
                                                              const OrtLogger* logger) {
  NNRT_ASSIGN(const Pairs entries, entries_of(session));
  NNRT_ASSIGN(PluginOptions options, read_options(options_of(entries), metadata, count));
  NNRT_ASSIGN(PluginDevice device, plugins::find_device(options.device));
  return std::make_unique<ExecutionProvider>(std::move(device), std::move(options), contexts_of(entries),
                                             logger);
}

OrtStatus* EpFactory::create_ep(OrtEpFactory*, const OrtHardwareDevice* const*,
                                const OrtKeyValuePairs* const* metadata, size_t count,
                                const OrtSessionOptions* session, const OrtLogger* logger,
                                OrtEp** ep) noexcept {
  *ep = nullptr;
  return guarded([&]() -> Status {
    NNRT_ASSIGN(auto made, make_ep(metadata, count, session, logger));
    *ep = made.release();
    return {};
  });
}

void EpFactory::release_ep(OrtEpFactory*, OrtEp* ep) noexcept { delete static_cast<ExecutionProvider*>(ep); }

OrtStatus* EpFactory::create_allocator(OrtEpFactory* self, const OrtMemoryInfo*, const OrtKeyValuePairs*,
                                       OrtAllocator** allocator) noexcept {
  *allocator = nullptr;
  return guarded([&]() -> Status {
    *allocator = std::make_unique<HostAllocator>(static_cast<EpFactory*>(self)->memory_.get()).release();
    return {};
  });
}

void EpFactory::release_allocator(OrtEpFactory*, OrtAllocator* allocator) noexcept {
  delete static_cast<HostAllocator*>(allocator);
}

OrtStatus* EpFactory::create_data_transfer(OrtEpFactory*, OrtDataTransferImpl** transfer) noexcept {
  *transfer = nullptr;  // the host can access all tensors
  return nullptr;
}

}  // namespace nnrt::ep
