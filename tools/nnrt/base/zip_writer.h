// Writes zip archives: stored entries, up to 4 GiB in total.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace nnrt::tool {

class ZipWriter {
 public:
  void add(std::string_view name, std::string_view contents);
  // Fails if the archive would exceed 4 GiB or 65534 entries.
  Result<std::string> finish();

 private:
  std::string file_, directory_;
  size_t entries_ = 0;
};

}  // namespace nnrt::tool
