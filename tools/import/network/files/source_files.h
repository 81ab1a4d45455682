// The files that a model is read from, and how a later process recognizes that they are unchanged.
#pragma once

#include "core/base/byte_io.h"
#include "core/base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace nnrt::import {

// A file in a directory entry's view. Equal states mean equal contents if the state was settled: changing the
// contents, replacing the file or restoring its time stamps all change one of these.
struct FileState {
  uint64_t device = 0, inode = 0, size = 0;
  int64_t modified_ns = 0, changed_ns = 0;

  bool operator==(const FileState&) const = default;
};

// Follows links. Empty if it is not a readable regular file. Reads nothing.
std::optional<FileState> file_state(const std::filesystem::path& path);

// False if the file was changed so recently that another change may not show in its time stamps.
bool is_settled(const FileState& state, int64_t now_ns);

class SourceFiles {
 public:
  // `model` is the model file itself; `name` in add() is relative to its folder.
  explicit SourceFiles(std::filesystem::path model);

  // Call before the file is opened. Repeated names are ignored.
  void add(const std::string& name);
  // After the last read: false if a file may have changed since it was added.
  bool is_unchanged() const;
  // The size of all files.
  uint64_t bytes() const;

  // With `with_contents` also a checksum of each file's contents, which are read again. Fails if a file
  // cannot be read.
  Status write(ByteWriter& writer, bool with_contents) const;
  // The size of the files written by write(); empty unless they have the same state now, or with
  // `by_contents` the same contents.
  static std::optional<uint64_t> match(ByteReader& reader, const std::filesystem::path& model,
                                       bool by_contents);

 private:
  struct File {
    std::string name;  // empty: the model
    std::optional<FileState> state;
    bool settled = false;
  };

  std::filesystem::path path_of(const std::string& name) const;

  std::filesystem::path model_;
  std::vector<File> files_;
};

}  // namespace nnrt::import
