// Bytes as class labels, which the tool prints next to numbers.
#include "core/base/printable.h"
#include "tests/fuzz/fuzz_target.h"
#include "tools/nnrt/data/labels.h"
#include "tools/nnrt/data/output_report.h"

#include <cstdlib>
#include <sstream>

FUZZ_TARGET(labels)(const uint8_t* data, size_t size) {
  using namespace nnrt::tool;
  const std::vector<std::string> labels = parse_labels(std::as_bytes(std::span(data, size)));
  auto scores = make_array(OH_NN_FLOAT32, {1, 8});
  if (!scores.ok()) std::abort();
  for (size_t i = 0; i < 8; ++i) scores.value().set(i, double(i) / 28);
  nnrt::import::Tensor tensor;
  tensor.name = labels.empty() ? "" : labels.back();  // model names are untrusted too
  tensor.type = OH_NN_FLOAT32;
  tensor.shape = {1, 8};
  const Output output{tensor, scores.value()};
  std::ostringstream out;
  report(out, std::span(&output, 1), labels);
  if (nnrt::printable_lines(out.str()) != out.str()) std::abort();  // a terminal would interpret it
  return 0;
}
