// Files attached to a model, such as its class labels.
#pragma once

#include "tools/import/network/network.h"

#include <span>
#include <string>
#include <vector>

namespace nnrt::import {

struct AttachedFile {
  std::string name;
  Bytes data;
};

// Reads the zip archive that may follow a TensorFlow Lite model, in archive order. Damaged files are skipped,
// and so is everything beyond a total of 64 MiB or the size of the model file, whichever is larger. The bytes
// may be hostile.
std::vector<AttachedFile> attached_files(std::span<const std::byte> file);

}  // namespace nnrt::import
