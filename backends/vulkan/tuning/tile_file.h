// Measured tiles of devices, kept from process to process.
#pragma once

#include "backends/vulkan/device/tile_options.h"

#include <functional>
#include <string>

namespace nnrt::vulkan {

// A text file with a line for each device and class of shapes. Lines that are torn or foreign are none.
class TileFile {
 public:
  // `key` names a device, its driver and its kernels. It is called where there is something to read or write.
  TileFile(std::string path, std::function<std::string()> key)
      : path_(std::move(path)), key_(std::move(key)) {}

  // The file beside that of measured costs; empty where nothing is kept.
  static std::string default_path();

  MeasuredTiles read() const;
  // Beside what others have stored. What cannot be written is not.
  void store(const MeasuredTiles& tiles) const;

 private:
  std::string word() const;  // begins the device's lines

  const std::string path_;
  const std::function<std::string()> key_;
};

}  // namespace nnrt::vulkan
