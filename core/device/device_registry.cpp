#include "core/device/device_registry.h"

#include "core/base/text.h"
#include "core/device/device_properties.h"
#include "core/platform/log.h"
#include "core/platform/settings_check.h"

#include <algorithm>
#include <mutex>

namespace nnrt {

DeviceRegistry::DeviceRegistry(Devices devices) {
  for (std::shared_ptr<Device>& device : devices) add(std::move(device));
}

DeviceRegistry::DeviceRegistry(std::shared_ptr<Device> cpu, std::function<Devices()> enumerate)
    : cpu_(std::move(cpu)), enumerate_(std::move(enumerate)) {}

// Starts over if it throws, after which std::call_once() would wait forever with the thread sanitizer.
void DeviceRegistry::enumerate_once() const {
  if (!enumerate_) return;
  const std::lock_guard lock(mutex_);
  if (is_enumerated_) return;
  devices_.clear();
  ids_.clear();
  for (std::shared_ptr<Device>& device : enumerate_()) add(std::move(device));
  is_enumerated_ = true;
}

void DeviceRegistry::add(std::shared_ptr<Device> device) const {
  const size_t id = device->info().id;
  if (device->status() == DeviceStatus::lost) return;
  const bool is_taken = std::ranges::find(ids_, id) != ids_.end();
  if (is_taken || (cpu_ != nullptr && id == cpu_->info().id && device != cpu_)) {
    log(LogLevel::warning,
        cat("Device ", device->info().name, " has the same id as another device and is ignored."));
    return;
  }
  log(LogLevel::info, cat("Device ", ids_.size(), ": ", device->info().name, "."));
  ids_.push_back(id);
  devices_.push_back(std::move(device));
}

std::span<const size_t> DeviceRegistry::ids() const {
  enumerate_once();
  return ids_;
}

Device* DeviceRegistry::find(size_t id) const {
  if (cpu_ != nullptr && id == cpu_->info().id) return cpu_.get();
  enumerate_once();
  if (devices_.empty()) return nullptr;
  if (id == 0) return devices_.front().get();
  const auto found = std::ranges::find(ids_, id);
  return found == ids_.end() ? nullptr : devices_[static_cast<size_t>(found - ids_.begin())].get();
}

Device* DeviceRegistry::first_of(DeviceType type) const {
  if (cpu_ != nullptr && type == DeviceType::cpu) return cpu_.get();
  enumerate_once();
  for (const std::shared_ptr<Device>& device : devices_) {
    const auto found = device->type();
    if (found.ok() && found.value() == type) return device.get();
  }
  return nullptr;
}

Device* DeviceRegistry::cpu() const {
  if (cpu_ != nullptr) return cpu_.get();
  enumerate_once();
  for (const std::shared_ptr<Device>& device : devices_) {
    if (is_own_cpu(*device)) return device.get();
  }
  return nullptr;
}

namespace {

struct RegisteredDevices {
  std::mutex mutex;  // guards the following members
  std::vector<std::shared_ptr<Device>> devices;
  bool taken = false;
};

RegisteredDevices& registered() {
  static RegisteredDevices all;
  return all;
}

}  // namespace

Status register_device(std::shared_ptr<Device> device) {
  RegisteredDevices& all = registered();
  const std::lock_guard lock(all.mutex);
  if (all.taken) return Error{Code::forbidden, "The list of devices is already fixed."};
  all.devices.push_back(std::move(device));
  return {};
}

std::vector<std::shared_ptr<Device>> take_registered_devices() {
  RegisteredDevices& all = registered();
  const std::lock_guard lock(all.mutex);
  all.taken = true;
  return all.devices;  // copied: if the caller runs out of memory, the list is built again
}

size_t device_id(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char character : name) {
    hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3u;
  }
  return hash == 0 ? 1 : static_cast<size_t>(hash);
}

namespace {

constexpr std::string_view kPrefix = "prefix:", kGraphExtensions = "graph_extensions";

bool is_prefix(const std::string& word) { return word.starts_with(kPrefix); }
bool selects_nothing(const std::string& word) { return is_prefix(word) || word == kGraphExtensions; }

// Words of a list of devices; "gpu" means "vulkan".
std::vector<std::string> device_words(const char* text) {
  std::vector<std::string> words = list_entries(text == nullptr ? "" : text, ',');
  std::ranges::replace(words, std::string("gpu"), std::string("vulkan"));
  return words;
}

}  // namespace

std::string name_prefix(const char* text) {
  for (const std::string& word : list_entries(text == nullptr ? "" : text, ','))
    if (is_prefix(word)) return word.substr(kPrefix.size());
  return "";
}

bool passes_graph_extensions(const char* text) {
  const std::vector<std::string> words = list_entries(text == nullptr ? "" : text, ',');
  return std::find(words.begin(), words.end(), kGraphExtensions) != words.end();
}

BuiltinSelection builtin_selection(const char* text) {
  if (text == nullptr) return {};
  check_value(row(Setting::devices), text);
  std::vector<std::string> words = device_words(text);
  const bool has_others = std::erase_if(words, selects_nothing) > 0;
  if (has_others && words.empty()) return {};
  BuiltinSelection selection{false, false, false, words};
  for (const std::string& word : words) {
    if (word == "cpu") {
      selection.cpu = true;
    } else if (word == "vulkan") {
      selection.vulkan = true;
    } else if (word == "auto") {
      selection.chooser = true;
    }
  }
  return selection;
}

namespace {

std::string_view selecting_word(const Device& device) {
  if (!device.members().empty()) return "auto";
  if (is_own_cpu(device)) return "cpu";
  return text_property(device, "vulkan").empty() ? "" : "vulkan";
}

int default_place(const Device& device) {
  if (!device.members().empty()) return 3;
  if (is_software_gpu(device)) return 2;
  return selecting_word(device) == "vulkan" ? 0 : 1;
}

}  // namespace

void sort_devices(std::vector<std::shared_ptr<Device>>& devices, const BuiltinSelection& selection) {
  std::ranges::stable_sort(devices, {}, [&](const std::shared_ptr<Device>& device) {
    if (selection.order.empty()) return default_place(*device);
    return int(std::ranges::find(selection.order, selecting_word(*device)) - selection.order.begin());
  });
}

HostedSelection hosted_selection(const char* text) {
  HostedSelection selection;
  for (std::string& word : device_words(text)) {
    if (word == "cpu") {
      selection.cpu = true;
    } else if (word == "vulkan") {
      selection.vulkan = true;
    } else if (word == "plugins") {
      selection.plugins = true;
    } else if (word.find('/') != std::string::npos) {
      selection.sockets.push_back(std::move(word));
    }
  }
  return selection;
}

}  // namespace nnrt
