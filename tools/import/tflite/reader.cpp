#include "tools/import/tflite/reader.h"

namespace nnrt::import {

Result<Network> read_tflite(std::span<const std::byte>, const Options&) {
  return Error{Code::unsupported, "This build cannot read TensorFlow Lite models."};
}

}  // namespace nnrt::import
