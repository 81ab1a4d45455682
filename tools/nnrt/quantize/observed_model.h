// A model some of whose values are looked at in each run.
#pragma once

#include "tools/nnrt/data/model_file.h"
#include "tools/nnrt/session/executable.h"

#include <functional>

namespace nnrt::tool {

class ObservedModel {
 public:
  // `model` is the file's bytes; `values` are those that are looked at, in the order in which they are given.
  static Result<ObservedModel> read(const std::string& model, std::span<const std::string> values,
                                    const InputShapes& shapes);

  std::vector<import::Tensor> inputs() const;

  // The values of a part, by their positions in the list, that one build gives: what a device and the API
  // have room for.
  using Part = std::vector<size_t>;
  std::vector<Part> parts() const;
  Result<Executable> build(const Part& part, const Device& device) const;

 private:
  ModelFile file_;
};

// Elements of FLOAT32; empty for other types.
std::span<const float> floats_of(const Array& array);
// The elements of a tensor, dequantized.
Result<Array> dequantized(const import::Tensor& tensor, const Array& array);

}  // namespace nnrt::tool
