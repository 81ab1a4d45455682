// Files that are attached to a model, such as the names of its classes.
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

// Behind a TensorFlow Lite model there may be a zip archive. Its files are given in its order; those that are
// damaged, or more than 64 MiB or the file's size in all, are left out. The bytes may be hostile.
std::vector<AttachedFile> attached_files(std::span<const std::byte> file);

}  // namespace nnrt::import
