// Runs test models on the CPU.
#pragma once

#include "tests/import/inference_session.h"
#include "tests/import/onnx/onnx_model_writer.h"

#include <cstring>

namespace nnrt::test {

template <typename T>
Value value_of(import::Shape shape, const std::vector<T>& elements) {
  Value value{std::move(shape), import::Bytes(elements.size() * sizeof(T))};
  if (!elements.empty()) std::memcpy(value.bytes.data(), elements.data(), value.bytes.size());
  return value;
}

// The leading elements, as many as the shape has, of a possibly larger buffer.
template <typename T>
std::vector<T> elements_of(const Value& value) {
  size_t count = 1;
  for (const int32_t length : value.shape) count *= static_cast<size_t>(length);
  std::vector<T> elements(std::min(count, value.bytes.size() / sizeof(T)));
  if (!elements.empty()) std::memcpy(elements.data(), value.bytes.data(), elements.size() * sizeof(T));
  return elements;
}

// `rooms` are the shapes the output buffers are allocated for.
inline Result<std::vector<Value>> run_on_cpu(const OnnxModel& model, const std::vector<Value>& inputs,
                                             const std::vector<import::Shape>& rooms) {
  NNRT_ASSIGN(const import::Network network, model.read());
  return run_on_cpu(network, inputs, rooms);
}

// Ends the test on an error.
inline List<Value> results_of(const import::Network& network, const std::vector<Value>& inputs,
                              const std::vector<import::Shape>& rooms) {
  return run_on_cpu(network, inputs, rooms).value();
}
inline List<Value> results_of(const OnnxModel& model, const std::vector<Value>& inputs,
                              const std::vector<import::Shape>& rooms) {
  return results_of(model.network(), inputs, rooms);
}

}  // namespace nnrt::test
