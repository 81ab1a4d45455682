#include "tools/import/write_network.h"

#include "core/base/text.h"
#include "tools/import/mindspore/writer/ms_writer.h"
#include "tools/import/onnx/writer/write_onnx.h"
#include "tools/import/tflite/write_tflite.h"

namespace nnrt::import {

bool is_written(const std::filesystem::path& path) {
  return path.extension() == ".ms" || path.extension() == ".onnx" || path.extension() == ".tflite";
}

Result<Bytes> write_network(const Network& network, const std::filesystem::path& path) {
  if (path.extension() == ".ms") return write_mindspore(network);
  if (path.extension() == ".onnx") return write_onnx(network);
  if (path.extension() == ".tflite") return write_tflite(network);
  return invalid("A network is written as .ms, .onnx or .tflite, not as ", path.extension().string(), ".");
}

}  // namespace nnrt::import
