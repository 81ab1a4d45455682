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

bool is_tflite(std::span<const std::byte> file) {
  return file.size() >= 8 && std::memcmp(file.data() + 4, "TFL3", 4) == 0;
}

Result<Network> read(const Bytes& file, const std::filesystem::path& path, const Options& options) {
  if (is_tflite(file) || path.extension() == ".tflite") return read_tflite(file, options);
  if (path.extension() == ".onnx") return read_onnx(file, path.parent_path(), options);
  return Error{Code::invalid_file,
               "The file is neither TensorFlow Lite nor ONNX, by its first bytes and its extension (" +
                   path.extension().string() + ")."};
}

// Gives a shape without a name to the file's only input.
Result<Options> named(const Bytes& file, const std::filesystem::path& path, Options options) {
  const auto nameless = options.input_shapes.find("");
  if (nameless == options.input_shapes.end()) return options;
  const Shape shape = std::move(nameless->second);
  options.input_shapes.erase(nameless);
  NNRT_ASSIGN(const Network network, read(file, path, options));
  if (network.inputs.size() != 1) {
    return invalid("Shape ", to_string(nnrt::Shape(shape.begin(), shape.end())),
                   " names no input; the model has ", network.inputs.size(), ".");
  }
  options.input_shapes.insert_or_assign(network.tensors[network.inputs[0]].name, shape);
  return options;
}

}  // namespace

Result<Network> load(const std::filesystem::path& path, const Options& given) {
  NNRT_ASSIGN(const Bytes file, read_file(path));
  NNRT_ASSIGN(const Options options, named(file, path, given));
  NNRT_ASSIGN(Network network, read(file, path, options));
  for (const auto& entry : options.input_shapes) {
    const bool is_known = std::ranges::any_of(
        network.inputs, [&](TensorId id) { return network.tensors[id].name == entry.first; });
    if (!is_known) return invalid("The model has no input of the given name (", entry.first, ").");
  }
  return network;
}

}  // namespace nnrt::import
