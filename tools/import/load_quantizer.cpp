#include "tools/import/load_quantizer.h"

#include "core/base/text.h"
#include "tools/import/load_network.h"
#include "tools/import/mindspore/ms_reader.h"
#include "tools/import/mindspore/quantizer/ms_quantizer.h"
#include "tools/import/onnx/quantizer/onnx_quantizer.h"
#include "tools/import/tflite/quantizer/tflite_quantizer.h"
#include "tools/import/write_network.h"

#include <fstream>

namespace nnrt::import {

Result<std::unique_ptr<ModelQuantizer>> read_quantizer(const std::filesystem::path& path,
                                                       const std::vector<std::string>& float_nodes,
                                                       const Options& options) {
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) return Error{Code::invalid_path, cat("The file (", path.string(), ") cannot be read.")};
  const auto view = std::as_bytes(std::span(bytes));
  if (path.extension() == ".tflite" || is_tflite(view)) return read_tflite_quantizer(bytes, float_nodes);
  const std::filesystem::path folder = folder_of(path);
  std::vector<std::filesystem::path> linked = folders_with_link(path, options.external_folders);
  if (path.extension() == ".ms" || is_mindspore(view)) {
    Options reading;
    reading.external_folders = std::move(linked);
    return read_mindspore_quantizer(bytes, folder, reading, float_nodes);
  }
  return read_onnx_quantizer(bytes, {folder, std::move(linked)}, float_nodes);
}

Result<std::unique_ptr<ModelQuantizer>> read_quantizer_to(const std::filesystem::path& output,
                                                          const std::filesystem::path& path,
                                                          const std::vector<std::string>& float_nodes,
                                                          const Options& options) {
  if (path.extension() == output.extension()) return read_quantizer(path, float_nodes, options);
  NNRT_ASSIGN(const Network network, load(path, options));
  NNRT_ASSIGN(const Bytes file, write_network(network, output));
  const std::string text(reinterpret_cast<const char*>(file.data()), file.size());
  if (is_tflite(file)) return read_tflite_quantizer(text, float_nodes);
  return read_mindspore_quantizer(text, {}, {}, float_nodes);
}

Result<std::string> with_outputs(const std::string& file, std::span<const std::string> values) {
  const auto view = std::as_bytes(std::span(file));
  if (is_tflite(view)) return with_tflite_outputs(file, values);
  return is_mindspore(view) ? with_mindspore_outputs(file, values) : with_onnx_outputs(file, values);
}

}  // namespace nnrt::import
