// Quantizes a float model file to INT8, in the same format.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nnrt::import {

// Larger values are masks; nodes that read or write them stay float.
inline constexpr float kLargestMagnitude = 1e6f;

struct ValueRange {
  double low = 0, high = 0;
};

using Ranges = std::map<std::string, ValueRange>;  // by value

// A quantized node, and its result in both models.
struct QuantizedLayer {
  std::string label;  // "Conv /features/0/conv + Relu"
  std::string value, quantized;
};

struct QuantizedModel {
  std::string file;
  std::vector<QuantizedLayer> layers;
  std::vector<std::string> float_layers;  // labels of nodes left unchanged
};

class ModelQuantizer {
 public:
  virtual ~ModelQuantizer() = default;

  // Values whose ranges are needed, by the names with_outputs() uses.
  virtual std::vector<std::string> values() const = 0;
  // The model before quantization, with foldable operators folded into its weights.
  virtual std::string float_file() const = 0;
  // Size of the original model in bytes.
  virtual uint64_t size() const = 0;
  // Nodes that read or write a value without a range stay unchanged.
  virtual Result<QuantizedModel> quantize(const Ranges& ranges) const = 0;
};

// Errors shared by the quantizers of all formats.
inline Error nothing_to_quantize() {
  return {
      Code::unsupported,
      "The model has no convolution and no product of FLOAT32 with constant weights that can be quantized."};
}
inline Error no_ranges() {
  return {Code::unsupported, "No value has a finite range: nothing can be quantized."};
}

}  // namespace nnrt::import
