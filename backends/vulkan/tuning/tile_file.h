// Stores measured tiles across processes.
#pragma once

#include "backends/vulkan/device/tile_options.h"

#include <functional>
#include <string>

namespace nnrt::vulkan {

// A text file with one line per device and class of shapes. Malformed and foreign lines are ignored.
class TileFile {
 public:
  // `key` identifies device, driver and kernels; it is called only if the file is read or written.
  TileFile(std::string path, std::function<std::string()> key)
      : path_(std::move(path)), key_(std::move(key)) {}

  // Next to the file of measured costs; empty if nothing is stored.
  static std::string default_path();

  MeasuredTiles read() const;
  // Merges with what others have stored. Write errors are ignored.
  void store(const MeasuredTiles& tiles) const;

 private:
  std::string word() const;  // prefix of the device's lines

  const std::string path_;
  const std::function<std::string()> key_;
};

}  // namespace nnrt::vulkan
