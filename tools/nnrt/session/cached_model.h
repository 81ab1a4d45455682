// Compiled models in a cache directory (`--cache`), found without reading the model file.
#pragma once

#include "tools/import/cache_note.h"
#include "tools/nnrt/session/executable.h"

#include <filesystem>
#include <optional>
#include <string>

namespace nnrt::tool {

// Prefix of the cache files of one model and device: the model's file name, a hash of its path, and the
// device's name.
std::string cache_name(const std::filesystem::path& model, const Device& device);

// What a cache of the model depends on.
import::CacheKey cache_key(const std::filesystem::path& model, const import::Options& reading,
                           const BuildOptions& build);

// The model as it is cached for the device; empty if there is no cache or it is not of the current file.
std::optional<ModelFile> find_cached(const import::CacheKey& key, const Device& device,
                                     const BuildOptions& build);

}  // namespace nnrt::tool
