#include "tools/import/load_quantizer.h"

#include "core/base/text.h"
#include "tools/import/load_network.h"
#include "tools/import/onnx/quantizer/onnx_quantizer.h"
#include "tools/import/tflite/quantizer/tflite_quantizer.h"

#include <fstream>

namespace nnrt::import {

Result<std::unique_ptr<ModelQuantizer>> read_quantizer(
    const std::filesystem::path& path, const std::vector<std::string>& float_nodes,
    const std::vector<std::filesystem::path>& external_folders) {
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) return Error{Code::invalid_path, cat("The file (", path.string(), ") cannot be read.")};
  if (path.extension() == ".tflite" || is_tflite(std::as_bytes(std::span(bytes))))
    return read_tflite_quantizer(bytes, float_nodes);
  return read_onnx_quantizer(bytes, {folder_of(path), folders_with_link(path, external_folders)},
                             float_nodes);
}

Result<std::string> with_outputs(const std::string& file, std::span<const std::string> values) {
  return is_tflite(std::as_bytes(std::span(file))) ? with_tflite_outputs(file, values)
                                                   : with_onnx_outputs(file, values);
}

}  // namespace nnrt::import
