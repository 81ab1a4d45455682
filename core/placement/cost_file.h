// Measured device costs, persisted across processes.
#pragma once

#include "core/device/device_costs.h"

#include <optional>
#include <string>

namespace nnrt {

// A text file with one line per device. Any content gives either finite, positive costs or none.
class CostFile {
 public:
  explicit CostFile(std::string path) : path_(std::move(path)) {}

  // `key` is one line of text identifying a device and its driver.
  std::optional<DeviceCosts> find(const std::string& key) const;
  // Keeps other entries. Creates the folder if needed; write errors are ignored.
  void store(const std::string& key, const DeviceCosts& costs) const;

 private:
  const std::string path_;
};

}  // namespace nnrt
