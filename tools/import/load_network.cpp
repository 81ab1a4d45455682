#include "tools/import/load_network.h"

#include "tools/import/mindspore/ms_reader.h"
#include "tools/import/onnx/onnx_reader.h"
#include "tools/import/tflite/tflite_reader.h"

#include <cstring>
#include <fstream>

namespace nnrt::import {
namespace {

Result<Bytes> read_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error)
    return Error{Code::invalid_path,
                 "The file (" + path.string() + ") cannot be read: " + error.message() + "."};
  Bytes bytes(size);
  std::ifstream stream(path, std::ios::binary);
  if (!stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
    return Error{Code::invalid_path, "The file (" + path.string() + ") cannot be read."};
  return bytes;
}

Result<Network> read(std::span<const std::byte> file, const std::filesystem::path& folder,
                     const Options& options) {
  if (is_tflite(file)) return read_tflite(file, options);
  return is_mindspore(file) ? read_mindspore(file, folder, options) : read_onnx(file, folder, options);
}

Result<LoadedFile> with_attached(Result<Network> network, std::span<const std::byte> file) {
  if (!network.ok()) return std::move(network).error();
  return LoadedFile{std::move(network).value(), attached_files(file)};
}

}  // namespace

std::filesystem::path folder_of(const std::filesystem::path& model) {
  return model.has_parent_path() ? model.parent_path() : ".";
}

std::vector<std::filesystem::path> folders_with_link(const std::filesystem::path& model,
                                                     std::vector<std::filesystem::path> folders) {
  std::error_code error;
  if (std::filesystem::is_symlink(model, error)) {
    const auto target = std::filesystem::canonical(model, error);
    if (!error) folders.push_back(target.parent_path());
  }
  return folders;
}

bool is_tflite(std::span<const std::byte> file) {
  return file.size() >= 8 && std::memcmp(file.data() + 4, "TFL3", 4) == 0;
}

Result<LoadedFile> load_all(const std::filesystem::path& path, const Options& given) {
  NNRT_ASSIGN(const Bytes file, read_file(path));
  if (path.extension() == ".tflite") return with_attached(read_tflite(file, given), file);
  Options options = given;
  options.external_folders = folders_with_link(path, std::move(options.external_folders));
  if (path.extension() == ".ms") return with_attached(read_mindspore(file, folder_of(path), options), file);
  if (is_tflite(file) || is_mindspore(file) || path.extension() == ".onnx")
    return load_all(file, folder_of(path), options);
  return Error{Code::invalid_file,
               "The file is neither TensorFlow Lite nor ONNX nor MindSpore Lite, by its first bytes and its "
               "extension (" +
                   path.extension().string() + ")."};
}

Result<LoadedFile> load_all(std::span<const std::byte> file, const std::filesystem::path& folder,
                            const Options& given) {
  return with_attached(read(file, folder, given), file);
}

Result<Network> load(const std::filesystem::path& path, const Options& given) {
  NNRT_ASSIGN(LoadedFile loaded, load_all(path, given));
  return std::move(loaded.network);
}

Result<Network> load(std::span<const std::byte> file, const std::filesystem::path& folder,
                     const Options& given) {
  return read(file, folder, given);
}

}  // namespace nnrt::import
