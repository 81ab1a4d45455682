// Tensors for sessions of ONNX Runtime.
#pragma once

#include <onnxruntime_c_api.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

namespace nnrt::test {

struct Array {
  ONNXTensorElementDataType type{};
  std::vector<int64_t> shape;
  std::string bytes;
};

// The dtype and shape of a tensor, without its values.
Array header_of(const OrtValue* tensor);

size_t count_of(const Array& array);
// Bytes of an element; 0 for types that the tests do not make.
size_t size_of(ONNXTensorElementDataType type);

// Random values in the shape that the session declares; empty if the test does not make such values.
std::optional<Array> random_input(const OrtSession* session, size_t input, std::mt19937& random);

// The session's names, which live as long as the process.
std::vector<const char*> input_names(const OrtSession* session);
std::vector<const char*> output_names(const OrtSession* session);

}  // namespace nnrt::test
