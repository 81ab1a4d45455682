// Reports results of a model for people.
#pragma once

#include "tools/nnrt/base/array.h"

#include <ostream>
#include <span>
#include <string>

namespace nnrt::tool {

struct Output {
  const import::Tensor& tensor;  // for the name and the quantization
  const Array& array;
};

// Writes the boxes of a detector (boxes, classes, scores, count), the five best classes of a classifier, else
// a line of figures for each output.
void report(std::ostream& out, std::span<const Output> outputs, std::span<const std::string> labels);

// The dequantized value of an element.
double real(const Output& output, size_t index);

}  // namespace nnrt::tool
