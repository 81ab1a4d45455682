// Files that are attached to a model, such as the names of its classes.
#pragma once

#include "tools/import/network/network.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace nnrt::import {

struct AttachedFile {
  std::string name;
  Bytes data;
};

// Behind a TensorFlow Lite model there may be a zip archive. Its files are given in its order; those that are
// compressed are left out, and so is everything that does not lie within the bytes, which may be hostile.
std::vector<AttachedFile> attached_files(std::span<const std::byte> file);

// The same of a file on disk; none where it is no TensorFlow Lite model.
std::vector<AttachedFile> attached_files(const std::filesystem::path& path);

}  // namespace nnrt::import
