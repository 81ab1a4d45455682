// The functions that ONNX Runtime looks up.
#include "core/base/text.h"
#include "tools/plugins/onnxruntime/ep/execution_provider.h"
#include "tools/plugins/onnxruntime/ep/ort_api.h"
#include "tools/plugins/onnxruntime/run/device_facts.h"
#include "tools/plugins/onnxruntime/run/shared_buffers.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <mutex>

namespace nnrt::ep {
namespace {

constexpr uint32_t kVendorId = 0x4e4e;

// ONNX Runtime's interface to shared buffers.
class HostAllocator : public OrtAllocator {
 public:
  // `memory` must outlive this.
  explicit HostAllocator(const OrtMemoryInfo* memory);

 private:
  static void* ORT_API_CALL alloc(OrtAllocator*, size_t bytes) noexcept;
  static void ORT_API_CALL free(OrtAllocator*, void* data) noexcept;
  static const OrtMemoryInfo* ORT_API_CALL info(const OrtAllocator* self) noexcept;

  const OrtMemoryInfo* memory_;
};

// Creates execution providers, and lists devices.
class EpFactory : public OrtEpFactory {
 public:
  EpFactory();

 private:
  static const char* ORT_API_CALL name(const OrtEpFactory*) noexcept { return kEpName; }
  static const char* ORT_API_CALL vendor(const OrtEpFactory*) noexcept { return "NNRt"; }
  static uint32_t ORT_API_CALL vendor_id(const OrtEpFactory*) noexcept { return kVendorId; }
  static const char* ORT_API_CALL version(const OrtEpFactory*) noexcept;
  static OrtStatus* ORT_API_CALL get_supported_devices(OrtEpFactory* self,
                                                       const OrtHardwareDevice* const* hardware,
                                                       size_t hardware_count, OrtEpDevice** devices,
                                                       size_t capacity, size_t* count) noexcept;
  static OrtStatus* ORT_API_CALL create_ep(OrtEpFactory* self, const OrtHardwareDevice* const* hardware,
                                           const OrtKeyValuePairs* const* metadata, size_t count,
                                           const OrtSessionOptions* session, const OrtLogger* logger,
                                           OrtEp** ep) noexcept;
  static void ORT_API_CALL release_ep(OrtEpFactory*, OrtEp* ep) noexcept;
  static OrtStatus* ORT_API_CALL create_allocator(OrtEpFactory* self, const OrtMemoryInfo* memory,
                                                  const OrtKeyValuePairs*, OrtAllocator** allocator) noexcept;
  static void ORT_API_CALL release_allocator(OrtEpFactory*, OrtAllocator* allocator) noexcept;
  static OrtStatus* ORT_API_CALL create_data_transfer(OrtEpFactory*, OrtDataTransferImpl** transfer) noexcept;
  static bool ORT_API_CALL is_stream_aware(const OrtEpFactory*) noexcept { return false; }

  Result<Released<OrtEpDevice>> make_device(const plugins::PluginDevice& device, Facts facts,
                                            const OrtHardwareDevice* hardware);
  static Result<std::unique_ptr<ExecutionProvider>> make_ep(const OrtKeyValuePairs* const* metadata,
                                                            size_t count, const OrtSessionOptions* session,
                                                            const OrtLogger* logger);

  Released<OrtMemoryInfo> memory_;
};

// Memory that host and device share. Other providers treat its tensors as CPU tensors.
Result<OrtMemoryInfo*> make_memory_info() {
  OrtMemoryInfo* made = nullptr;
  NNRT_TRY(
      taken(ort().CreateMemoryInfo_V2("NNRt", OrtMemoryInfoDeviceType_GPU, kVendorId, 0,
                                      OrtDeviceMemoryType_HOST_ACCESSIBLE, 0, OrtDeviceAllocator, &made)));
  return made;
}

HostAllocator::HostAllocator(const OrtMemoryInfo* memory) : OrtAllocator{}, memory_(memory) {
  version = ORT_API_VERSION;
  Alloc = alloc;
  Free = free;
  Info = info;
  Reserve = alloc;
}

void* HostAllocator::alloc(OrtAllocator*, size_t bytes) noexcept {
  return SharedBuffers::instance().allocate(bytes);
}

void HostAllocator::free(OrtAllocator*, void* data) noexcept { SharedBuffers::instance().free(data); }

const OrtMemoryInfo* HostAllocator::info(const OrtAllocator* self) noexcept {
  return static_cast<const HostAllocator*>(self)->memory_;
}

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

// Never destroyed: a session that outlives ONNX Runtime's environment still calls its provider's factory.
// Registering the library again makes another factory.
OrtEpFactory* make_factory() {
  static std::mutex mutex;
  static auto* const factories = new std::vector<std::unique_ptr<EpFactory>>;
  const std::lock_guard lock(mutex);
  return factories->emplace_back(std::make_unique<EpFactory>()).get();
}

// 23 for "1.23.2".
int minor_version(std::string_view version) {
  const size_t dot = version.find('.');
  int minor = 0;
  if (dot != std::string_view::npos)
    std::from_chars(version.data() + dot + 1, version.data() + version.size(), minor);
  return minor;
}

}  // namespace
}  // namespace nnrt::ep

extern "C" {

__attribute__((visibility("default"))) OrtStatus* CreateEpFactories(const char*, const OrtApiBase* base,
                                                                    const OrtLogger*,
                                                                    OrtEpFactory** factories, size_t capacity,
                                                                    size_t* count) {
  const OrtApi* const api = base->GetApi(ORT_API_VERSION);
  if (api == nullptr) {
    // Every version since the first has CreateStatus.
    return base->GetApi(1)->CreateStatus(ORT_FAIL, nnrt::cat("NNRt needs ONNX Runtime 1.", ORT_API_VERSION,
                                                             " or later, not ", base->GetVersionString(), ".")
                                                       .c_str());
  }
  nnrt::ep::tables() = {api, api->GetEpApi(), api->GetModelEditorApi(),
                        nnrt::ep::minor_version(base->GetVersionString())};
  return nnrt::ep::guarded([&]() -> nnrt::Status {
    if (capacity == 0) return nnrt::invalid("There is no room for a factory.");
    factories[0] = nnrt::ep::make_factory();
    *count = 1;
    return {};
  });
}

__attribute__((visibility("default"))) OrtStatus* ReleaseEpFactory(OrtEpFactory*) { return nullptr; }
}
