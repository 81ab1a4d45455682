// Measured costs of devices, kept from process to process.
#pragma once

#include "core/device/device_costs.h"

#include <optional>
#include <string>

namespace nnrt {

// A text file with a line for each device. Whatever stands in it gives costs that are finite and positive, or
// none.
class CostFile {
 public:
  explicit CostFile(std::string path) : path_(std::move(path)) {}

  // `key` names a device and its driver; one line of text.
  std::optional<DeviceCosts> find(const std::string& key) const;
  // Beside what others have stored. The folder is made where it is missing; what cannot be written is not.
  void store(const std::string& key, const DeviceCosts& costs) const;

 private:
  const std::string path_;
};

}  // namespace nnrt
