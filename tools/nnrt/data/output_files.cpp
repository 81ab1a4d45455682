#include "tools/nnrt/data/output_files.h"

#include "core/base/text.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/data/npy.h"
#include "tools/nnrt/data/npz.h"

namespace nnrt::tool {

std::string output_file_name(size_t index, const std::string& tensor) {
  constexpr size_t kMaxBytes = 200;  // file systems allow 143 (eCryptfs) to 255
  return file_name_of(cat(index, '_', tensor)).substr(0, kMaxBytes) + ".npy";
}

namespace {

Result<std::vector<std::string>> write_folder(const std::filesystem::path& directory,
                                              std::span<const Output> outputs) {
  NNRT_TRY(make_directory(directory));
  std::vector<std::string> files;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto path = directory / output_file_name(i, outputs[i].tensor.name);
    NNRT_TRY(write_npy(path, outputs[i].array));
    files.push_back(path.string());
  }
  return files;
}

Result<std::vector<std::string>> write_archive(const std::filesystem::path& path,
                                               std::span<const Output> outputs) {
  std::vector<NamedArray> arrays;
  for (const Output& output : outputs) arrays.emplace_back(output.tensor.name, &output.array);
  NNRT_TRY(write_npz(path, arrays));
  return std::vector{path.string()};
}

}  // namespace

Status check_output_path(const std::filesystem::path& path) {
  return path.extension() == ".npz" ? check_writable(path) : check_directory(path);
}

Result<std::vector<std::string>> write_outputs(const std::filesystem::path& path,
                                               std::span<const Output> outputs) {
  return path.extension() == ".npz" ? write_archive(path, outputs) : write_folder(path, outputs);
}

}  // namespace nnrt::tool
