#include "tools/import/onnx/reader.h"

namespace nnrt::import {

Result<Network> read_onnx(std::span<const std::byte>, const std::filesystem::path&, const Options&) {
  return Error{Code::unsupported, "This build cannot read ONNX models."};
}

}  // namespace nnrt::import
