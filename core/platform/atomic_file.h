// Files that appear whole or not at all.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"

#include <span>
#include <string>

namespace nnrt {

// A new file beside the one that it is to replace, under a name of its own, which goes with it unless it is
// renamed. It is locked while its writer lives.
class TemporaryFile {
 public:
  // save_cache where it cannot be made or written (memory: not now). The bytes are on the disk afterwards.
  static Result<TemporaryFile> write(const std::string& target, std::span<const ByteView> pieces);

  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  // Becomes the target, in one step.
  Status replace_target();

 private:
  TemporaryFile(std::string target, std::string path) : target_(std::move(target)), path_(std::move(path)) {}

  static Result<TemporaryFile> create(const std::string& target);
  Status write_all(std::span<const ByteView> pieces) const;

  std::string target_, path_;
  int fd_ = -1;  // while there is none, there is no file at the path either
};

// Removes the temporary files for `target` whose writers are dead.
void remove_stale(const std::string& directory, const std::string& target);

// Makes renames in a directory last.
void sync_directory(const std::string& directory);

}  // namespace nnrt
