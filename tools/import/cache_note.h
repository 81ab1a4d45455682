// The note of a cached model (OH_NNRt_SetModelNote): the identity of the files it was read from, and what
// clients need of them besides the compiled model. With it, a later start does not read the files.
#pragma once

#include "tools/import/description.h"
#include "tools/import/network/files/source_files.h"
#include "tools/import/network/import_options.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nnrt::import {

// Everything besides the files' contents that must be the same.
struct CacheKey {
  std::filesystem::path model;
  Options options{};
  bool by_contents = false;  // the files are recognized by their contents, not by path and time stamps
  std::string variant{};     // chosen by the client, for options of its build
};

// A cached model without operations and constants.
struct CachedImport {
  Description description;
  std::vector<std::string> operations;  // their names
  uint64_t bytes = 0;                   // of the files, once read
};

// Empty if the files may have changed while they were read, or shortly before.
Bytes make_cache_note(const CacheKey& key, const SourceFiles& files, const CachedImport& import);

// Empty unless the note was made with the same key by the same build of this library, and the files are
// unchanged. The bytes may be hostile.
std::optional<CachedImport> read_cache_note(std::span<const std::byte> note, const CacheKey& key);

}  // namespace nnrt::import
