// Atomic file replacement.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"

#include <span>
#include <string>

namespace nnrt {

// A new file next to the one it will replace, with a unique name; deleted unless renamed. Locked while its
// writer lives.
class TemporaryFile {
 public:
  // save_cache if it cannot be created or written (memory: temporarily). The bytes are synced to disk.
  static Result<TemporaryFile> write(const std::string& target, std::span<const ByteView> pieces);
  // The same without syncing; the file gets the permissions of the one it replaces.
  static Result<TemporaryFile> write_plain(const std::string& target, ByteView bytes);

  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  // Atomically renames it to the target.
  Status replace_target();

 private:
  TemporaryFile(std::string target, std::string path) : target_(std::move(target)), path_(std::move(path)) {}

  static Result<TemporaryFile> create(const std::string& target, const std::string& beginning,
                                      unsigned permissions);
  Status write_all(std::span<const ByteView> pieces) const;
  Error cannot(std::string_view what) const;

  std::string target_, path_;
  int fd_ = -1;  // -1: no file exists at the path
};

// Creates or replaces a file atomically. Follows links. Anything but a regular file, such as a pipe or
// /dev/stdout, is written in place. invalid_path on failure.
Status replace_file(const std::string& path, ByteView bytes);

// Removes temporary files for `target` whose writers are dead.
void remove_stale(const std::string& directory, const std::string& target);

// Makes renames in a directory durable.
void sync_directory(const std::string& directory);

}  // namespace nnrt
