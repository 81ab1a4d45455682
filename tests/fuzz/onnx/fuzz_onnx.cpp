// Untrusted ONNX files: read_onnx() rejects them or returns a network that passes check().
#include "tests/fuzz/fuzz_target.h"
#include "tools/import/network/network_check.h"
#include "tools/import/onnx/onnx_reader.h"

#include <cstdint>
#include <cstdlib>

FUZZ_TARGET(onnx)(const uint8_t* data, size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  const nnrt::Result<nnrt::import::Network> network = nnrt::import::read_onnx(file, "/nonexistent", {});
  if (network.ok() && !nnrt::import::check(network.value()).ok()) std::abort();
  return 0;
}
