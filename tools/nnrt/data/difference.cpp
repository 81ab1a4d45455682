#include "tools/nnrt/data/difference.h"

#include "core/base/counted.h"
#include "core/base/text.h"
#include "tools/nnrt/base/table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace nnrt::tool {
namespace {

double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  return std::isfinite(a) && std::isfinite(b) ? std::fabs(a - b) : std::numeric_limits<double>::infinity();
}

// Three digits.
std::string brief(double number) {
  std::array<char, 32> text;
  const int length = std::snprintf(text.data(), text.size(), "%.3g", number);
  return {text.data(), static_cast<size_t>(length)};
}

}  // namespace

double tolerances_away(const OutputDifference& output) {
  return output.difference.largest == 0 ? 0 : output.difference.largest / output.tolerance;
}

Result<Difference> compare(const Array& got, const Array& want) {
  if (got.type != want.type || got.shape != want.shape) {
    return Error{Code::failed, cat("Outputs have different types or shapes: ", describe(got.type, got.shape),
                                   " and ", describe(want.type, want.shape), ".")};
  }
  Difference difference;
  double sum = 0, product = 0, got_square = 0, want_square = 0;
  for (size_t i = 0; i < got.count(); ++i) {
    const double a = got[i], b = want[i];
    if (std::isfinite(b)) difference.magnitude = std::max(difference.magnitude, std::fabs(b));
    const double apart = distance(a, b);
    if (apart > difference.largest || i == 0) {
      difference.largest = apart;
      difference.index = i;
      difference.got = a;
      difference.want = b;
    }
    if (std::isinf(apart)) {
      ++difference.mismatches;
      continue;
    }
    sum += apart;
    if (std::isfinite(a) && std::isfinite(b)) {
      product += a * b;
      got_square += a * a;
      want_square += b * b;
    }
    if (apart > 0 && b != 0)
      difference.largest_relative = std::max(difference.largest_relative, apart / std::fabs(b));
  }
  const size_t compared = got.count() - difference.mismatches;
  if (compared > 0)
    difference.mean = sum / static_cast<double>(compared);
  else if (difference.mismatches > 0)
    difference.mean = difference.cosine = NAN;
  if (got_square > 0 || want_square > 0)
    difference.cosine =
        got_square > 0 && want_square > 0 ? product / (std::sqrt(got_square) * std::sqrt(want_square)) : 0;
  return difference;
}

double default_tolerance(OH_NN_DataType type, double magnitude, const Precision& precision) {
  constexpr double kMin = 1e-5, kOfFloats = 1e-3, kOfFp16 = 2e-2, kMinCodes = 2, kCodeRange = 255;
  const double quantized = precision.codes * std::max(precision.step, magnitude / kCodeRange);
  const double floats = std::max({magnitude * kOfFloats, quantized, kMin});
  const double fp16 = std::max(magnitude * kOfFp16, floats);
  switch (type) {
    case OH_NN_FLOAT16: return fp16;
    case OH_NN_FLOAT32:
    case OH_NN_FLOAT64: return precision.float16 ? fp16 : floats;
    case OH_NN_INT8:
    case OH_NN_UINT8: return std::max(precision.codes, kMinCodes);
    default: return 0;
  }
}

Result<OutputDifference> compare(std::string name, const Array& got, const Array& want,
                                 const Tolerance& tolerance) {
  auto difference = compare(got, want);
  if (!difference.ok()) return std::move(difference).error().during("comparing " + name);
  const double usual = default_tolerance(got.type, difference.value().magnitude, tolerance.precision);
  return OutputDifference{std::move(name), got.shape, difference.value(), tolerance.given.value_or(usual)};
}

void print(std::ostream& out, const std::string& title, std::span<const OutputDifference> outputs,
           std::string first_mark) {
  using enum Table::Align;
  Table table({{title, left, true},
               {"largest", right},
               {"tolerated", right},
               {"relative", right},
               {"mean", right, false, Style::plain, true},
               {"cosine", right},
               {"where", left, false, Style::plain, true},
               {"got", right, false, Style::plain, true},
               {"want", right, false, Style::plain, true},
               {"", left}});
  std::string mark = std::move(first_mark);
  for (const OutputDifference& output : outputs) {
    const Difference& d = output.difference;
    table.add({output.name, brief(d.largest), brief(output.tolerance), brief(d.largest_relative),
               brief(d.mean), fixed(d.cosine, 6), position(output.shape, d.index), cat(d.got), cat(d.want),
               output.differs() ? std::exchange(mark, "differs") : ""});
  }
  table.print(out);
}

nlohmann::ordered_json differences_json(std::span<const OutputDifference> outputs) {
  auto rows = nlohmann::ordered_json::array();
  for (const OutputDifference& output : outputs) {
    const Difference& difference = output.difference;
    rows.push_back({{"name", output.name},
                    {"largest", difference.largest},
                    {"tolerated", output.tolerance},
                    {"largest_relative", difference.largest_relative},
                    {"mean", difference.mean},
                    {"cosine", difference.cosine},
                    {"index", difference.index},
                    {"got", difference.got},
                    {"want", difference.want},
                    {"not_finite", difference.mismatches},
                    {"differs", output.differs()}});
  }
  return rows;
}

bool any_differs(std::span<const OutputDifference> outputs) {
  return std::ranges::any_of(outputs, &OutputDifference::differs);
}

std::string verdict(std::span<const OutputDifference> outputs, const std::string& device,
                    const std::string& other) {
  const auto differs = [](const OutputDifference& output) { return output.differs(); };
  const auto beyond = std::ranges::count_if(outputs, differs);
  if (beyond == 0) return "";
  const OutputDifference& worst =
      *std::ranges::max_element(outputs, [](const OutputDifference& a, const OutputDifference& b) {
        if (a.differs() != b.differs()) return b.differs();
        return tolerances_away(a) < tolerances_away(b);
      });
  const Difference& d = worst.difference;
  std::string text = cat("The results differ in ", beyond, " of ", counted(outputs.size(), "output"),
                         ", most in '", worst.name, "', which is ", d.got, " on ", device, " and ", d.want,
                         " ", other, " at ", position(worst.shape, d.index));
  if (d.mismatches > 0) {
    text +=
        cat(" (", counted(d.mismatches, "non-finite element differs", "non-finite elements differ"), ").");
  } else {
    text += cat(": by ", d.largest, ", and ", worst.tolerance, " is tolerated.");
  }
  return text;
}

}  // namespace nnrt::tool
