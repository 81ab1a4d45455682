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
  // The same, but the system writes the bytes to the disk when it likes, and the file has the permissions of
  // the one that it replaces.
  static Result<TemporaryFile> write_plain(const std::string& target, ByteView bytes);

  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  // Becomes the target, in one step.
  Status replace_target();

 private:
  TemporaryFile(std::string target, std::string path) : target_(std::move(target)), path_(std::move(path)) {}

  static Result<TemporaryFile> create(const std::string& target, const std::string& beginning,
                                      unsigned permissions);
  Status write_all(std::span<const ByteView> pieces) const;
  Error cannot(std::string_view what) const;

  std::string target_, path_;
  int fd_ = -1;  // while there is none, there is no file at the path either
};

// Makes or replaces a file, which has all of `bytes` afterwards or is what it was. Follows links. What is no
// regular file, such as a pipe or /dev/stdout, is written as it stands. invalid_path where it fails.
Status replace_file(const std::string& path, ByteView bytes);

// Removes the temporary files for `target` whose writers are dead.
void remove_stale(const std::string& directory, const std::string& target);

// Makes renames in a directory last.
void sync_directory(const std::string& directory);

}  // namespace nnrt
