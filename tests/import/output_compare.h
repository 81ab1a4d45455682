// Compares results with expected ones by the rules of the network index.
#pragma once

#include "tools/import/network/network.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace nnrt::test {

using import::Bytes;
using import::Shape;

// Elements of any numeric dtype as doubles.
std::vector<double> as_numbers(OH_NN_DataType type, const Bytes& bytes);
// Every stride[d]-th element along each dimension d.
std::vector<double> strided(const std::vector<double>& values, const Shape& shape, const Shape& stride);

struct Comparison {
  double largest = 0, mean = 0;  // differences
  std::string failure;           // empty: they agree
};

// By {"abs", "rel", "mean_abs"} or {"lsb", "mean_lsb"}.
Comparison compare(const std::vector<double>& got, const std::vector<double>& want,
                   const nlohmann::json& tolerance);

// Boxes, classes and scores of the most likely detections. Each one with at least `min_score` in either
// result must have a match in the other.
struct Detections {
  std::vector<double> boxes, classes, scores;
};
Comparison compare_detections(const Detections& got, const Detections& want, const nlohmann::json& tolerance);

// Fraction of rows of `width` elements with the same argmax.
double same_argmax(const std::vector<double>& got, const std::vector<double>& positions, size_t width);
size_t argmax(const std::vector<double>& values);

}  // namespace nnrt::test
