// Tensor data that a reader has not in memory: parts of the model file, and of files beside it.
#pragma once

#include "core/base/bytes.h"
#include "core/memory/byte_source.h"
#include "tools/import/network/files/source_files.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace nnrt::import {

// Where a model's external data may be.
struct DataFolders {
  std::filesystem::path model;  // paths are relative to it; if empty, external data is rejected
  std::vector<std::filesystem::path> linked{};  // symlinks below `model` may also point into these
  SourceFiles* sources = nullptr;               // records opened files
};

struct DataPart {
  std::optional<std::string> file{};  // as the model names it; none: the model file
  uint64_t offset = 0, size = 0;
};

// Opens each file once, and shares data that several tensors refer to while one of them exists.
class DataFiles {
 public:
  explicit DataFiles(DataFolders folders) : folders_(std::move(folders)) {}
  // `file` must outlive this. Unless `retained`, its parts are used where they are, in memory.
  DataFiles(DataFolders folders, const ByteSource& file, bool retained)
      : folders_(std::move(folders)), retained_(retained) {
    model_.source = &file;
  }

  Result<SharedBytes> read(const DataPart& part);
  // Reads parts that will be read soon, with several threads. Parts that fail are left to read().
  void read_ahead(std::span<const DataPart> parts);

  // Fails if a file was written while it was read.
  Status check_unchanged() const;

 private:
  using Range = std::pair<uint64_t, uint64_t>;  // offset, size
  struct File {
    std::unique_ptr<ByteSource> opened;
    const ByteSource* source = nullptr;
    std::map<Range, SharedBytes> ahead;  // not used yet
    std::map<Range, std::pair<std::weak_ptr<const void>, ByteView>> parts;
    uint64_t taken = 0;  // bytes read
  };

  // The file, if the part is in it.
  Result<File*> find(const DataPart& part);
  Result<File*> open(const std::string& name);
  Result<SharedBytes> read(File& file, const Range& range) const;
  // Limits what a file is read for: untrusted models can refer to overlapping parts many times.
  static Status take(File& file, uint64_t bytes);

  DataFolders folders_;
  File model_;
  std::map<std::string, File> external_;  // by name
  bool retained_ = true;
};

}  // namespace nnrt::import
