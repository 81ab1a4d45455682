// Bytes as a MindSpore Lite model of either schema. Networks that can be read go on to the C API, which may
// reject them, and to the writer.
#include "tests/fuzz/fuzz_target.h"
#include "tools/import/mindspore/ms_reader.h"
#include "tools/import/mindspore/writer/ms_writer.h"
#include "tools/import/model_builder.h"

FUZZ_TARGET(mindspore)(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  static_cast<void>(nnrt::import::is_mindspore(bytes));
  const auto network = nnrt::import::read_mindspore(bytes, {}, {});
  if (!network.ok()) return 0;
  static_cast<void>(nnrt::import::make_model(network.value()));
  static_cast<void>(nnrt::import::write_mindspore(network.value()));
  return 0;
}
