// A file that is deleted with its owner.
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <utility>

namespace nnrt::tool {

class TemporaryFile {
 public:
  // Reserves a unique path ending in `name`; the file is not created yet.
  static Result<TemporaryFile> create(const std::string& name);

  TemporaryFile(TemporaryFile&& other) noexcept
      : folder_(std::exchange(other.folder_, {})), name_(std::move(other.name_)) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  std::filesystem::path path() const { return folder_ / name_; }

 private:
  TemporaryFile(std::filesystem::path folder, std::string name)
      : folder_(std::move(folder)), name_(std::move(name)) {}

  std::filesystem::path folder_;
  std::string name_;
};

}  // namespace nnrt::tool
