// Turns a model file of floats into one of INT8, of the same format.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nnrt::import {

// Beyond it are masks, not numbers: what reads or writes them stays floats.
inline constexpr float kLargestMagnitude = 1e6f;

struct ValueRange {
  double low = 0, high = 0;
};

using Ranges = std::map<std::string, ValueRange>;  // by value

// A node that is computed on quantized values, and its result in both models.
struct QuantizedLayer {
  std::string label;  // "Conv /features/0/conv + Relu"
  std::string value, quantized;
};

struct QuantizedModel {
  std::string file;
  std::vector<QuantizedLayer> layers;
  std::vector<std::string> float_layers;  // nodes that stay as they are, by label
};

class ModelQuantizer {
 public:
  virtual ~ModelQuantizer() = default;

  // The values whose ranges are asked for. They have names that with_outputs() knows.
  virtual std::vector<std::string> values() const = 0;
  // The model as it is quantized: what can be computed before is within its weights.
  virtual std::string float_file() const = 0;
  // The bytes of the model before.
  virtual uint64_t size() const = 0;
  // A node that reads or writes a value without a range stays as it is.
  virtual Result<QuantizedModel> quantize(const Ranges& ranges) const = 0;
};

// The refusals that quantizers of all formats share.
inline Error nothing_to_quantize() {
  return {
      Code::unsupported,
      "The model has no convolution and no product of FLOAT32 with constant weights that can be quantized."};
}
inline Error no_ranges() {
  return {Code::unsupported, "No value has a finite range: nothing can be quantized."};
}

}  // namespace nnrt::import
