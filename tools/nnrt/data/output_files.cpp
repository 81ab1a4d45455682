#include "tools/nnrt/data/output_files.h"

#include "core/base/text.h"
#include "tools/nnrt/data/npy.h"

#include <cctype>

namespace nnrt::tool {
namespace {

// A file name of a tensor's name: what is no letter, digit, dot or hyphen becomes an underscore.
std::string file_name(size_t index, const std::string& tensor) {
  std::string name = cat(index, '_', tensor);
  for (char& c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    if (!plain) c = '_';
  }
  return name + ".npy";
}

}  // namespace

Result<std::vector<std::string>> write_outputs(const std::filesystem::path& directory,
                                               std::span<const Output> outputs) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return Error{Code::invalid_path,
                 cat("Directory (", directory.string(), ") cannot be made: ", error.message(), ".")};
  }
  std::vector<std::string> files;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto path = directory / file_name(i, outputs[i].tensor.name);
    NNRT_TRY(write_npy(path, outputs[i].array));
    files.push_back(path.string());
  }
  return files;
}

}  // namespace nnrt::tool
