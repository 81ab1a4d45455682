// Compares the results of two devices, and defines the tolerated differences.
#pragma once

#include "tools/nnrt/base/array.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <ostream>
#include <span>
#include <string>

namespace nnrt::tool {

struct Difference {
  // Infinite if one of two elements is NaN or infinite and the other is not the same.
  double largest = 0;
  double largest_relative = 0, mean = 0;  // of finite differences; the mean is NaN if there are none
  size_t index = 0;                       // of the largest difference
  double got = 0, want = 0;               // at `index`
  size_t mismatches = 0;                  // elements with an infinite difference
  double magnitude = 0;                   // largest finite magnitude of the expected values
  double cosine = 1;                      // of the angle between all finite elements; NaN like the mean
};

// Fails if types or shapes differ.
Result<Difference> compare(const Array& got, const Array& want);

// What the model implies for the precision of an output.
struct Precision {
  bool float16 = false;  // the model computes in FLOAT16
  double codes = 0;      // tolerated difference of quantized values before the output; 0: none are quantized
  double step = 0;       // real value of a code; 0: unknown
};

// The default tolerance. Floats: 1e-3 of the output's largest magnitude (2e-2 with FLOAT16), at least
// 1e-5; after quantized values also `codes` steps, or 255ths of the magnitude if the step is unknown.
// 8-bit integers: `codes`, at least 2. Other integers and BOOL: 0.
double default_tolerance(OH_NN_DataType type, double magnitude, const Precision& precision);

// One output on both devices.
struct OutputDifference {
  std::string name;
  Shape shape;
  Difference difference;
  double tolerance = 0;

  bool differs() const { return difference.largest > tolerance; }
};

// The difference relative to the tolerance; infinity if the tolerance is 0 and the output differs.
double tolerances_away(const OutputDifference& output);

struct Tolerance {
  std::optional<double> given;  // instead of the default
  Precision precision = {};
};

// Fails if types or shapes differ.
Result<OutputDifference> compare(std::string name, const Array& got, const Array& want,
                                 const Tolerance& tolerance);

// Prints a table with `title` above the names. Differing outputs are marked, the first one with
// `first_mark`.
void print(std::ostream& out, const std::string& title, std::span<const OutputDifference> outputs,
           std::string first_mark = "differs");

// The same rows as JSON.
nlohmann::ordered_json differences_json(std::span<const OutputDifference> outputs);
bool any_differs(std::span<const OutputDifference> outputs);

// One sentence naming the output that exceeds its tolerance the most; empty if none does. `other` is where
// the expected values come from: "on CPU_NNRt", "in the file".
std::string verdict(std::span<const OutputDifference> outputs, const std::string& device,
                    const std::string& other);

}  // namespace nnrt::tool
