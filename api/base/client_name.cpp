#include "api/base/client_name.h"

#include "core/device/device_registry.h"
#include "core/platform/settings.h"

#include <mutex>
#include <set>
#include <string>

namespace nnrt {

// Names with a prefix are kept for good, as clients hold the pointers.
const char* client_name(const Device& device) {
  const std::string prefix = name_prefix(setting_text(Setting::devices));
  if (prefix.empty()) return device.info().name.c_str();
  static std::mutex mutex;
  static auto* const names = new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return names->insert(prefix + device.info().name).first->c_str();
}

}  // namespace nnrt
