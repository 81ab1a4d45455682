// The two files of a model in a cache directory: <name>0.nncache is the complete container,
// <name>cache_info.nncache describes it.
//
// Only the container is restored, and each file is replaced by an atomic rename: whenever a writer is killed,
// and however writers interleave, readers see one complete container, old or new. An info file that disagrees
// with the container (its writer was killed between the two renames) is repaired; a missing or foreign one is
// not.
#pragma once

#include "core/cache/cache_image.h"
#include "core/cache/stored_model.h"

#include <optional>
#include <string>

namespace nnrt {

class CacheDirectory {
 public:
  // invalid_parameter: the model name is too long or leads to another directory. invalid_path: the directory
  // is missing or not searchable.
  static Result<CacheDirectory> open(std::string path, const std::string& model_name);

  bool has_info() const;
  // Empty if there is no info file. invalid_file: damaged, foreign or unreadable.
  Result<std::optional<StoredModel>> read() const;

  // `note` may be empty. save_cache: writing failed; existing files are unchanged and nothing else is left
  // behind.
  Status save(const CacheImage& image, ByteView note) const;

  std::string container_path() const { return path_ + "/" + container_; }

 private:
  CacheDirectory(std::string path, const std::string& model_name)
      : path_(std::move(path)),
        container_(model_name + "0.nncache"),
        info_(model_name + "cache_info.nncache") {}

  Status save_files(const CacheImage& image, ByteView note) const;
  void repair_info(const StoredModel& stored) const;

  std::string path_, container_, info_;  // names of the files
};

}  // namespace nnrt
