#include "tests/import/output_compare.h"

#include "core/base/element_types.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace nnrt::test {
namespace {

double area(const double* box) { return std::max(box[2] - box[0], 0.0) * std::max(box[3] - box[1], 0.0); }

double overlap(const double* a, const double* b) {
  const double both[] = {std::max(a[0], b[0]), std::max(a[1], b[1]), std::min(a[2], b[2]),
                         std::min(a[3], b[3])};
  const double shared = area(both), all = area(a) + area(b) - shared;
  return all > 0 ? shared / all : 0;
}

bool has_match(const Detections& in, const Detections& of, size_t i, const nlohmann::json& tolerance) {
  const double min_overlap = tolerance["iou"], max_difference = tolerance["score"];
  for (size_t j = 0; j < in.scores.size(); ++j) {
    if (in.classes[j] == of.classes[i] && std::abs(in.scores[j] - of.scores[i]) <= max_difference &&
        overlap(&in.boxes[4 * j], &of.boxes[4 * i]) >= min_overlap)
      return true;
  }
  return false;
}

}  // namespace

std::vector<double> as_numbers(OH_NN_DataType type, const Bytes& bytes) {
  return type == OH_NN_UNKNOWN ? std::vector<double>() : numbers_of<double>(static_cast<DType>(type), bytes);
}

std::vector<double> strided(const std::vector<double>& values, const Shape& shape, const Shape& stride) {
  std::vector<double> chosen;
  Shape at(shape.size(), 0);
  for (const double value : values) {
    bool is_chosen = true;
    for (size_t d = 0; d < shape.size(); ++d) is_chosen = is_chosen && at[d] % stride[d] == 0;
    if (is_chosen) chosen.push_back(value);
    for (size_t d = shape.size(); d-- > 0 && ++at[d] == shape[d];) at[d] = 0;
  }
  return chosen;
}

Comparison compare(const std::vector<double>& got, const std::vector<double>& want,
                   const nlohmann::json& tolerance) {
  Comparison result;
  if (got.size() != want.size()) {
    result.failure = std::to_string(got.size()) + " elements instead of " + std::to_string(want.size());
    return result;
  }
  const double absolute = tolerance.value("abs", tolerance.value("lsb", 0.0)),
               relative = tolerance.value("rel", 0.0);
  double sum = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(want[i])) continue;
    const double difference = got[i] == want[i] ? 0 : std::abs(got[i] - want[i]);
    if (!(difference <= absolute + relative * std::abs(want[i])) && result.failure.empty())
      result.failure = "element " + std::to_string(i) + " is " + std::to_string(got[i]) + ", not " +
                       std::to_string(want[i]);
    result.largest = std::max(result.largest, difference);
    sum += difference;
  }
  result.mean = got.empty() ? 0 : sum / static_cast<double>(got.size());
  const double max = tolerance.value("mean_abs", tolerance.value("mean_lsb", INFINITY));
  if (!(result.mean <= max) && result.failure.empty())
    result.failure =
        "the mean difference is " + std::to_string(result.mean) + ", above " + std::to_string(max);
  return result;
}

Comparison compare_detections(const Detections& got, const Detections& want,
                              const nlohmann::json& tolerance) {
  Comparison result;
  const double min = tolerance["min_score"], apart = tolerance["score"];
  const auto seek = [&](const Detections& in, const Detections& of, double from, const char* what) {
    for (size_t i = 0; i < of.scores.size(); ++i)
      if (of.scores[i] >= from && !has_match(in, of, i, tolerance))
        result.failure = std::string(what) + " of class " + std::to_string(of.classes[i]) + ", score " +
                         std::to_string(of.scores[i]);
  };
  seek(got, want, min, "missing: detection");
  seek(want, got, min + apart, "unexpected: detection");
  for (size_t i = 0; i < std::min(got.scores.size(), want.scores.size()); ++i)
    result.largest = std::max(result.largest, std::abs(got.scores[i] - want.scores[i]));
  return result;
}

double same_argmax(const std::vector<double>& got, const std::vector<double>& positions, size_t width) {
  size_t same = 0;
  for (size_t row = 0; row < positions.size() && (row + 1) * width <= got.size(); ++row) {
    const auto begin = got.begin() + static_cast<std::ptrdiff_t>(row * width);
    const auto largest = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(width));
    same += static_cast<double>(largest - begin) == positions[row] ? 1 : 0;
  }
  return static_cast<double>(same) / static_cast<double>(positions.size());
}

size_t argmax(const std::vector<double>& values) {
  return static_cast<size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

}  // namespace nnrt::test
