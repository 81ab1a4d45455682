// Interprets outputs: boxes of a detector, classes of a classifier, statistics of anything else.
#pragma once

#include "tools/nnrt/base/array.h"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace nnrt::tool {

struct Output {
  const import::Tensor& tensor;  // gives name and quantization
  const Array& array;
};

// The dequantized value of an element.
double real(const Output& output, size_t index);

// Has four outputs: boxes, classes, scores, count.
bool is_detector(std::span<const Output> outputs);
// Whether the output has a score for each class: exactly one dimension is larger than 1, and it counts
// neither the sides of a box nor the rows of another output, such as the boxes of a detector.
bool is_classifier(std::span<const Output> outputs, size_t index);

inline constexpr double kSmallestScore = 0.3;  // of boxes that are shown

struct Box {
  double score = 0;
  size_t number = 0;              // class index
  std::array<double, 4> sides{};  // top, left, bottom, right
};
struct Boxes {
  size_t count = 0;        // reported by the model
  std::vector<Box> shown;  // with a score of kSmallestScore or more
};
Boxes boxes_of(std::span<const Output> outputs);

struct ClassScore {
  double score = 0;
  size_t number = 0;
};
// Best first; ties by index, NaN last.
std::vector<ClassScore> best_classes(const Output& output, size_t count = 5);

struct Statistics {
  double min = 0, max = 0, mean = 0;  // of the finite elements
  size_t finite = 0;
  std::vector<double> first;  // the first elements
};
Statistics statistics_of(const Output& output);

// Empty if there is none.
std::string label_of(std::span<const std::string> labels, size_t number);

}  // namespace nnrt::tool
