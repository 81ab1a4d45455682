#include "tools/import/load_network.h"

#include "core/memory/byte_source.h"
#include "core/memory/deferred_bytes.h"
#include "core/memory/lending_buffer.h"
#include "tools/import/mindspore/ms_reader.h"
#include "tools/import/network/files/parallel_reads.h"
#include "tools/import/onnx/onnx_reader.h"
#include "tools/import/tflite/tflite_reader.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace nnrt::import {
namespace {

constexpr size_t kSignatureBytes = 8;

// The first bytes of the file, or all of them if they are fewer.
Result<Bytes> start_of(const ByteSource& file) {
  Bytes start(std::min<uint64_t>(kSignatureBytes, file.size()));
  NNRT_TRY(file.read(0, start));
  return start;
}

Result<LendingBuffer> all_of(const ByteSource& file) {
  LendingBuffer bytes(file.size());
  const Read whole{&file, 0, bytes.bytes()};
  NNRT_TRY(read_in_parallel({&whole, 1}));
  NNRT_TRY(file.check_unchanged());
  return bytes;
}

// The zip archive of attached files is read in the same bytes.
Result<LoadedFile> load_tflite(const ByteSource& file, const Options& options) {
  NNRT_ASSIGN(const LendingBuffer bytes, all_of(file));
  NNRT_ASSIGN(Network network, read_tflite(bytes, options));
  return LoadedFile{std::move(network), attached_files(bytes.bytes())};
}

Result<LoadedFile> load_mindspore(const ByteSource& file, const std::filesystem::path& folder,
                                  const Options& options) {
  NNRT_ASSIGN(const LendingBuffer bytes, all_of(file));
  NNRT_ASSIGN(Network network, read_mindspore(bytes, folder, options));
  return LoadedFile{std::move(network), {}};
}

Result<LoadedFile> load_onnx(const ByteSource& file, const std::filesystem::path& folder,
                             const Options& options) {
  NNRT_ASSIGN(Network network, read_onnx_in_file_order(file, folder, options));
  return LoadedFile{std::move(network), {}};
}

Result<Network> transposed(Network network) {
  NNRT_TRY(read_weights(network));
  return network;
}

}  // namespace

Status read_weights(const Network& network) {
  for (const Tensor& tensor : network.tensors) NNRT_TRY(ensure_read(tensor.data));
  return {};
}

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

Result<Interface> read_interface(const std::filesystem::path& path) {
  if (path.extension() != ".onnx") return Interface();
  NNRT_ASSIGN(const auto file, source_of_file(path.string(), Code::invalid_path));
  return read_onnx_interface(*file);
}

bool is_tflite(std::span<const std::byte> file) {
  return file.size() >= kSignatureBytes && std::memcmp(file.data() + 4, "TFL3", 4) == 0;
}

Result<LoadedFile> load_all(const std::filesystem::path& path, const Options& given) {
  NNRT_ASSIGN(const auto file, source_of_file(path.string(), Code::invalid_path));
  NNRT_ASSIGN(const Bytes start, start_of(*file));
  const auto extension = path.extension();
  if (is_tflite(start) || extension == ".tflite") return load_tflite(*file, given);
  Options options = given;
  options.external_folders = folders_with_link(path, std::move(options.external_folders));
  if (is_mindspore(start) || extension == ".ms") return load_mindspore(*file, folder_of(path), options);
  if (extension == ".onnx") return load_onnx(*file, folder_of(path), options);
  return Error{Code::invalid_file,
               "The file is neither TensorFlow Lite nor ONNX nor MindSpore Lite, by its first bytes and its "
               "extension (" +
                   extension.string() + ")."};
}

Result<LoadedFile> load_all(std::span<const std::byte> file, const std::filesystem::path& folder,
                            const Options& given) {
  const auto source = source_of(file);
  if (is_tflite(file)) return load_tflite(*source, given);
  return is_mindspore(file) ? load_mindspore(*source, folder, given) : load_onnx(*source, folder, given);
}

Result<Network> load(const std::filesystem::path& path, const Options& given) {
  NNRT_ASSIGN(LoadedFile loaded, load_all(path, given));
  return transposed(std::move(loaded.network));
}

Result<Network> load(std::span<const std::byte> file, const std::filesystem::path& folder,
                     const Options& given) {
  NNRT_ASSIGN(LoadedFile loaded, load_all(file, folder, given));
  return transposed(std::move(loaded.network));
}

}  // namespace nnrt::import
