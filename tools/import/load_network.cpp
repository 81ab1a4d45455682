#include "tools/import/load_network.h"

#include "core/base/shape.h"
#include "core/base/text.h"
#include "tools/import/onnx/onnx_reader.h"
#include "tools/import/tflite/tflite_reader.h"

#include <algorithm>
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
  return is_tflite(file) ? read_tflite(file, options) : read_onnx(file, folder, options);
}

// Gives a shape without a name to the file's only input.
template <typename Read>
Result<Options> named(const Read& read_with, Options options) {
  const auto nameless = options.input_shapes.find("");
  if (nameless == options.input_shapes.end()) return options;
  const Shape shape = std::move(nameless->second);
  options.input_shapes.erase(nameless);
  NNRT_ASSIGN(const Network network, read_with(options));
  if (network.inputs.size() != 1) {
    return invalid("Shape ", to_string(nnrt::Shape(shape.begin(), shape.end())),
                   " names no input; the model has ", network.inputs.size(), ".");
  }
  options.input_shapes.insert_or_assign(network.tensors[network.inputs[0]].name, shape);
  return options;
}

template <typename Read>
Result<Network> load_with(const Read& read_with, const Options& given) {
  NNRT_ASSIGN(const Options options, named(read_with, given));
  NNRT_ASSIGN(Network network, read_with(options));
  for (const auto& entry : options.input_shapes) {
    const bool is_known = std::ranges::any_of(
        network.inputs, [&](TensorId id) { return network.tensors[id].name == entry.first; });
    if (!is_known) return invalid("The model has no input of the given name (", entry.first, ").");
  }
  return network;
}

}  // namespace

bool is_tflite(std::span<const std::byte> file) {
  return file.size() >= 8 && std::memcmp(file.data() + 4, "TFL3", 4) == 0;
}

Result<Network> load(const std::filesystem::path& path, const Options& given) {
  NNRT_ASSIGN(const Bytes file, read_file(path));
  const std::filesystem::path parent = path.parent_path(), folder = parent.empty() ? "." : parent;
  const auto read_with = [&](const Options& options) -> Result<Network> {
    if (path.extension() == ".tflite") return read_tflite(file, options);
    if (is_tflite(file) || path.extension() == ".onnx") return read(file, folder, options);
    return Error{Code::invalid_file,
                 "The file is neither TensorFlow Lite nor ONNX, by its first bytes and its extension (" +
                     path.extension().string() + ")."};
  };
  return load_with(read_with, given);
}

Result<Network> load(std::span<const std::byte> file, const std::filesystem::path& folder,
                     const Options& given) {
  return load_with([&](const Options& options) { return read(file, folder, options); }, given);
}

}  // namespace nnrt::import
