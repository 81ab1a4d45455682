#include "tools/nnrt/data/output_report.h"

#include "core/base/printable.h"
#include "core/base/text.h"
#include "tools/nnrt/base/table.h"
#include "tools/nnrt/data/best_classes.h"

#include <algorithm>
#include <cmath>

namespace nnrt::tool {
namespace {

constexpr size_t kBest = 5;
constexpr size_t kShown = 8;            // first elements
constexpr double kSmallestScore = 0.3;  // of a box worth showing

bool is_detector(std::span<const Output> outputs) {
  if (outputs.size() != 4) return false;
  const size_t boxes = outputs[1].array.count();
  const Shape& shape = outputs[0].array.shape;
  return !shape.empty() && shape.back() == 4 && outputs[0].array.count() == 4 * boxes &&
         outputs[2].array.count() == boxes && outputs[3].array.count() == 1;
}

std::string label_of(std::span<const std::string> labels, size_t index) {
  return index < labels.size() ? printable(labels[index]) : "";  // they may come with the model
}

void report_boxes(std::ostream& out, std::span<const Output> outputs, std::span<const std::string> labels) {
  using enum Table::Align;
  Table table({{"score", right},
               {"class", right},
               {"label", left},
               {"top", right},
               {"left", right},
               {"bottom", right},
               {"right", right}});
  const double reported = real(outputs[3], 0);
  const size_t present = outputs[1].array.count();
  const size_t count =
      reported >= 0 && reported <= static_cast<double>(present) ? static_cast<size_t>(reported) : present;
  for (size_t i = 0; i < count; ++i) {
    const double score = real(outputs[2], i);
    if (!(score >= kSmallestScore)) continue;
    const auto number = static_cast<size_t>(std::max(real(outputs[1], i), 0.0));
    std::vector<std::string> row{fixed(score, 3), std::to_string(number), label_of(labels, number)};
    for (size_t side = 0; side < 4; ++side) row.push_back(fixed(real(outputs[0], 4 * i + side), 3));
    table.add(std::move(row));
  }
  out << count << " boxes, those with a score of " << kSmallestScore << " or more:\n";
  if (table.empty())
    out << "none\n";
  else
    table.print(out);
}

void report_classes(std::ostream& out, const Output& output, std::span<const std::string> labels) {
  using enum Table::Align;
  Table table({{"score", right}, {"class", right}, {"label", left}});
  for (const size_t index : best_classes(output, kBest)) {
    table.add({fixed(real(output, index), 4), std::to_string(index), label_of(labels, index)});
  }
  table.print(out);
}

void report_figures(std::ostream& out, const Output& output) {
  const size_t count = output.array.count();
  double smallest = INFINITY, largest = -INFINITY, sum = 0;
  size_t finite = 0;
  for (size_t i = 0; i < count; ++i) {
    const double value = real(output, i);
    if (!std::isfinite(value)) continue;
    ++finite;
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
    sum += value;
  }
  if (finite > 0) {
    out << "min " << smallest << ", max " << largest << ", mean " << sum / static_cast<double>(finite);
  }
  if (finite < count) out << (finite > 0 ? ", " : "") << count - finite << " of " << count << " not finite";
  out << "\nfirst";
  for (size_t i = 0; i < std::min(count, kShown); ++i) out << ' ' << real(output, i);
  out << (count > kShown ? " ...\n" : "\n");
}

}  // namespace

double real(const Output& output, size_t index) {
  const double code = output.array[index];
  const import::Quantization& quantization = output.tensor.quantization;
  const bool is_quantized_type = output.array.type == OH_NN_INT8 || output.array.type == OH_NN_UINT8;
  if (!is_quantized_type || quantization.empty()) return code;
  return quantization.scales[0] * (code - quantization.zero_points[0]);
}

void report(std::ostream& out, std::span<const Output> outputs, std::span<const std::string> labels) {
  if (is_detector(outputs)) return report_boxes(out, outputs, labels);
  for (const Output& output : outputs) {
    out << printable(output.tensor.name) << ": " << describe(output.array.type, output.array.shape) << '\n';
    if (output.array.count() == 0) continue;
    is_classifier(output) ? report_classes(out, output, labels) : report_figures(out, output);
  }
}

}  // namespace nnrt::tool
