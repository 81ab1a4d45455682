// Constants in files beside the model.
#pragma once

#include "mindspore/model/source_graph.h"

#include <filesystem>
#include <span>

namespace nnrt::import::mindspore {

// Reads `size` bytes. The file must be in one of the folders, after resolving symlinks; `location` is
// relative to the first. An empty first folder has no files.
Result<Bytes> read_external(const nnrt::mindspore::ExternalData& data, size_t size,
                            std::span<const std::filesystem::path> folders);

}  // namespace nnrt::import::mindspore
