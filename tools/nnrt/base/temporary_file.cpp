#include "tools/nnrt/base/temporary_file.h"

#include <stdlib.h>

namespace nnrt::tool {

Result<TemporaryFile> TemporaryFile::create(const std::string& name) {
  std::error_code error;
  std::string folder = (std::filesystem::temp_directory_path(error) / "nnrt_XXXXXX").string();
  if (error || mkdtemp(folder.data()) == nullptr) {
    return Error{Code::invalid_path, "A temporary directory (" + folder + ") cannot be created."};
  }
  return TemporaryFile(folder, name);
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

}  // namespace nnrt::tool
