// Turns an ONNX model of floats into one of INT8, in ONNX's form QDQ.
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nnrt::import {

// Beyond it are masks, not numbers: what reads or writes them stays floats.
inline constexpr float kLargestMagnitude = 1e6f;

struct ValueRange {
  double low = 0, high = 0;
};

// A node that is computed on quantized values, and its result in both models.
struct QuantizedLayer {
  std::string label;  // "Conv /features/0/conv + Relu"
  std::string value, dequantized;
};

struct QuantizedOnnx {
  std::string file;
  std::vector<QuantizedLayer> layers;
  std::vector<std::string> float_layers;  // nodes that stay as they are, by label
};

class OnnxQuantizer {
 public:
  // `float_nodes` are names of nodes, or types of operators, that stay floats. Fails where the file is no
  // ONNX model of floats, where it is quantized already, or where it has nothing that could be.
  static Result<OnnxQuantizer> read(const std::filesystem::path& path, std::vector<std::string> float_nodes);

  OnnxQuantizer(OnnxQuantizer&&) noexcept;
  OnnxQuantizer& operator=(OnnxQuantizer&&) noexcept;
  ~OnnxQuantizer();

  // The values whose ranges are asked for.
  std::vector<std::string> values() const;
  // The model as it is quantized: batch normalization is within convolutions.
  std::string float_file() const;
  // A node that reads or writes a value without a range stays as it is.
  Result<QuantizedOnnx> quantize(const std::map<std::string, ValueRange>& ranges) const;

 private:
  struct State;
  explicit OnnxQuantizer(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

// The ONNX model with these values as its outputs instead of its own.
Result<std::string> with_outputs(const std::string& onnx, std::span<const std::string> values);

}  // namespace nnrt::import
