// A model with observed values, which are read back after each run.
#pragma once

#include "tools/nnrt/data/model_file.h"
#include "tools/nnrt/session/executable.h"

#include <functional>

namespace nnrt::tool {

class ObservedModel {
 public:
  // Its outputs are observed.
  explicit ObservedModel(import::Network network) { file_.network = std::move(network); }

  std::vector<import::Tensor> inputs() const;

  // Indices of the values observed by one build, which the device's memory and the API limit.
  using Part = std::vector<size_t>;
  std::vector<Part> parts() const;
  Result<Executable> build(const Part& part, const Device& device) const;

 private:
  ModelFile file_;
};

// The elements of a FLOAT32 array; empty for other types.
std::span<const float> floats_of(const Array& array);
// The tensor as FLOAT32, dequantized if needed.
Result<Array> dequantized(const import::Tensor& tensor, const Array& array);

}  // namespace nnrt::tool
