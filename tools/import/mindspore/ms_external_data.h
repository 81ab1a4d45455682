// Constants in files beside the model.
#pragma once

#include "mindspore/model/source_graph.h"

#include <filesystem>
#include <span>

namespace nnrt::import::mindspore {

// Reads `size` bytes of an external_file().
Result<Bytes> read_external(const nnrt::mindspore::ExternalData& data, size_t size,
                            const std::filesystem::path& folder,
                            std::span<const std::filesystem::path> linked);

}  // namespace nnrt::import::mindspore
