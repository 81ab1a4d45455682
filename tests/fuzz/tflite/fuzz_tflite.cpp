// Bytes as a TensorFlow Lite model. Networks that can be read go on to the C API, which may reject them, and
// to the writer. Attached files must lie within the bytes.
#include "tests/fuzz/fuzz_target.h"
#include "tools/import/attached_files.h"
#include "tools/import/model_builder.h"
#include "tools/import/tflite/tflite_reader.h"
#include "tools/import/write_network.h"

FUZZ_TARGET(tflite)(const uint8_t* data, size_t size) {
  const auto network = nnrt::import::read_tflite(std::as_bytes(std::span(data, size)), {});
  static_cast<void>(nnrt::import::attached_files(std::as_bytes(std::span(data, size))));
  if (!network.ok()) return 0;
  static_cast<void>(nnrt::import::make_model(network.value()));
  static_cast<void>(nnrt::import::write_network(network.value(), "x.tflite"));
  return 0;
}
