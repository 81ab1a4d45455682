// Models of one node, drawn from bytes: the operator, its attributes, and the rank, shape and dtype of each
// operand, which may also be missing, constant or given twice.
#pragma once

#include "mindspore/model/source_graph.h"
#include "tools/import/onnx/messages/onnx_messages.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace nnrt::test {

// Reads choices from bytes; after their end, always the first.
class Choices {
 public:
  explicit Choices(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool is_empty() const { return bytes_.empty(); }
  uint8_t byte();
  size_t below(size_t count);
  bool one_in(size_t count) { return below(count) == count - 1; }
  template <typename T>
  T of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  // Mostly small; the limits of integer types are possible.
  int64_t integer();
  float real();
  // Few dimensions, few elements; some are 0, and -1 if `may_be_open`.
  std::vector<int64_t> shape(bool may_be_open);
  template <typename T, typename Make>
  std::vector<T> list(const Make& make) {
    std::vector<T> values(below(7));
    for (T& value : values) value = static_cast<T>(make());
    return values;
  }

 private:
  std::span<const uint8_t> bytes_;
};

// Bytes of a constant: small integers if the elements are integers.
std::string small_elements(Choices& choices, const std::vector<int64_t>& shape, size_t element_bytes);

onnx_file::ModelProto draft_onnx(Choices& choices);
std::vector<uint8_t> draft_tflite(Choices& choices);
mindspore::SourceGraph draft_mindspore(Choices& choices);

}  // namespace nnrt::test
