#include "tools/plugins/onnxruntime/ep/ep_factory.h"

#include "core/base/text.h"

#include <algorithm>
#include <cctype>

namespace nnrt::ep {
namespace {

using Pairs = std::map<std::string, std::string>;

constexpr const char* kDeviceKey = "nnrt_device";  // in the metadata of a device: its name

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
  const auto entry = [&](const char* key, const char* fallback) {
    const auto found = entries.find(key);
    return found == entries.end() ? std::string(fallback) : found->second;
  };
  return {entry("ep.context_enable", "0") == "1", entry("ep.context_embed_mode", "0") == "1",
          entry("ep.context_file_path", "")};
}

// The framework's device of the same hardware. Software drivers, and hardware that it does not list, are
// reached through its CPU.
const OrtHardwareDevice* hardware_of(const Device& device, const OrtHardwareDevice* const* all,
                                     size_t count) {
  const OrtHardwareDevice* cpu = nullptr;
  const OrtHardwareDevice* gpu = nullptr;
  const auto vendor = device.facts.find("vendor");
  for (size_t i = 0; i < count; ++i) {
    const OrtHardwareDeviceType type = ort().HardwareDevice_Type(all[i]);
    if (type == OrtHardwareDeviceType_CPU && cpu == nullptr) cpu = all[i];
    if (type != OrtHardwareDeviceType_GPU) continue;
    const bool is_same =
        vendor != device.facts.end() &&
        lower(ort().HardwareDevice_Vendor(all[i])).find(lower(vendor->second)) != std::string::npos;
    if (gpu == nullptr || is_same) gpu = all[i];
  }
  const bool is_hardware = device.type == OH_NN_GPU && !device.is_software();
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

Result<Device> chosen_device(const Options& options, const OrtKeyValuePairs* const* metadata, size_t count) {
  NNRT_ASSIGN(const std::vector<Device> devices, list_devices());
  if (!options.device.empty()) return find_device(devices, options.device);
  if (count != 1) return find_device(devices, "auto");  // several were selected
  const Pairs facts = from_ort(metadata[0]);
  const auto name = facts.find(kDeviceKey);
  return find_device(devices, name == facts.end() ? "auto" : name->second);
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

Result<OrtEpDevice*> EpFactory::make_device(const Device& device, const OrtHardwareDevice* hardware) {
  Pairs facts = device.facts;
  facts.erase("name");
  facts["type"] = type_name(device.type);
  facts[kDeviceKey] = device.name;
  const auto metadata = to_ort(facts);
  OrtEpDevice* made = nullptr;
  NNRT_TRY(taken(tables().ep->CreateEpDevice(this, hardware, metadata.get(), nullptr, &made)));
  NNRT_TRY(taken(tables().ep->EpDevice_AddAllocatorInfo(made, memory_.get())));
  return made;
}

OrtStatus* EpFactory::get_supported_devices(OrtEpFactory* self, const OrtHardwareDevice* const* hardware,
                                            size_t hardware_count, OrtEpDevice** devices, size_t capacity,
                                            size_t* count) noexcept {
  auto* const factory = static_cast<EpFactory*>(self);
  return guarded([&]() -> Status {
    *count = 0;
    if (!factory->memory_) {
      NNRT_ASSIGN(OrtMemoryInfo* const memory, make_memory_info());
      factory->memory_.reset(memory);
    }
    NNRT_ASSIGN(const std::vector<Device> found, list_devices());
    for (const Device& device : found) {
      const OrtHardwareDevice* const place = hardware_of(device, hardware, hardware_count);
      if (place == nullptr || *count == capacity) continue;
      NNRT_ASSIGN(devices[*count], factory->make_device(device, place));
      ++*count;
    }
    return {};
  });
}

Result<std::unique_ptr<ExecutionProvider>> EpFactory::make_ep(const OrtKeyValuePairs* const* metadata,
                                                              size_t count, const OrtSessionOptions* session,
                                                              const OrtLogger* logger) {
  NNRT_ASSIGN(const Pairs entries, entries_of(session));
  NNRT_ASSIGN(Options options, read_options(options_of(entries)));
  NNRT_ASSIGN(Device device, chosen_device(options, metadata, count));
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
