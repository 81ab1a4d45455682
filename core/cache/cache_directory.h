// The two files of a model in a cache directory: <name>0.nncache is the whole container,
// <name>cache_info.nncache says so.
//
// The container alone decides what is restored, and each file is replaced by a rename: whatever moment a
// writer is killed at, and however writers interleave, readers see one whole container, the old one or the
// new. An info file that disagrees with the container (its writer was killed between the two renames) is put
// right; none, or one of foreign bytes, stands for what it is.
#pragma once

#include "core/cache/cache_image.h"
#include "core/cache/stored_model.h"

#include <optional>
#include <string>

namespace nnrt {

class CacheDirectory {
 public:
  // invalid_parameter: the model's name would lead elsewhere or is too long. invalid_path: the directory is
  // missing or may not be searched.
  static Result<CacheDirectory> open(std::string path, const std::string& model_name);

  bool has_info() const;
  // Nothing: there is no info file. invalid_file: damaged, foreign or unreadable.
  Result<std::optional<StoredModel>> read() const;

  // save_cache: it cannot be written; what was there still is, and nothing else.
  Status save(const CacheImage& image) const;

  std::string container_path() const { return path_ + "/" + container_; }

 private:
  CacheDirectory(std::string path, const std::string& model_name)
      : path_(std::move(path)),
        container_(model_name + "0.nncache"),
        info_(model_name + "cache_info.nncache") {}

  Status save_files(const CacheImage& image) const;
  void repair_info(const StoredModel& stored) const;

  std::string path_, container_, info_;  // names of the files
};

}  // namespace nnrt
