// Meanings of a model's outputs: boxes of a detector, classes of a classifier, figures of anything else.
#pragma once

#include "tools/nnrt/base/array.h"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace nnrt::tool {

struct Output {
  const import::Tensor& tensor;  // for the name and the quantization
  const Array& array;
};

// The dequantized value of an element.
double real(const Output& output, size_t index);

// Four outputs: boxes, classes, scores, count.
bool is_detector(std::span<const Output> outputs);
// One dimension that is not 1.
bool is_classifier(const Output& output);

inline constexpr double kSmallestScore = 0.3;  // a box worth showing has it

struct Box {
  double score = 0;
  size_t number = 0;              // number of the class
  std::array<double, 4> sides{};  // top, left, bottom, right
};
struct Boxes {
  size_t count = 0;        // boxes that the model reports
  std::vector<Box> shown;  // those with a score that is large enough
};
Boxes boxes_of(std::span<const Output> outputs);

struct ClassScore {
  double score = 0;
  size_t number = 0;
};
// The best first, of equal ones the first; NaN comes last.
std::vector<ClassScore> best_classes(const Output& output, size_t count = 5);

struct Figures {
  double min = 0, max = 0, mean = 0;  // for the finite elements
  size_t finite = 0;
  std::vector<double> first;  // elements
};
Figures figures_of(const Output& output);

// Empty where there is none.
std::string label_of(std::span<const std::string> labels, size_t number);

}  // namespace nnrt::tool
