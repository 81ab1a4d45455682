// Compares two devices' answers, and says how far they may be from each other.
#pragma once

#include "tools/nnrt/base/array.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <ostream>
#include <span>
#include <string>

namespace nnrt::tool {

struct Difference {
  // Between finite elements; infinite where one of the two is NaN or infinite and the other not the same.
  double largest = 0;
  double largest_relative = 0, mean = 0;  // for the finite ones
  size_t index = 0;                       // place of the largest
  double got = 0, want = 0;               // there
  size_t mismatches = 0;                  // elements whose difference is infinite
  double magnitude = 0;                   // the largest finite one of what is wanted
};

// Fails where type or shape differ.
Result<Difference> compare(const Array& got, const Array& want);

// What the model says about an output's precision.
struct Precision {
  bool float16 = false;  // it has FLOAT16 inside
  double codes = 0;      // that 8-bit values on the way to the output may be apart; 0: there are none
  double step = 0;       // real value of a code; 0: unknown
};

// The largest difference that is no fault by default. Floats: 1e-3 of the output's largest magnitude (2e-2
// with FLOAT16), at least 1e-5; behind quantized values also `codes` steps or 255ths of the magnitude. 8-bit
// integers: `codes`, at least 2. Other integers and BOOL: none.
double default_tolerance(OH_NN_DataType type, double magnitude, const Precision& precision);

// An output of both devices.
struct Compared {
  std::string name;
  Shape shape;
  Difference difference;
  double tolerance = 0;

  bool differs() const { return difference.largest > tolerance; }
};

// Returns the difference of an output in tolerances, infinity for one that must be the same and is not.
double tolerances_away(const Compared& output);

struct Tolerance {
  std::optional<double> given;  // instead of the default
  Precision precision = {};
};

// Fails where they differ in type or shape.
Result<Compared> compare(std::string name, const Array& got, const Array& want, const Tolerance& tolerance);

// Writes a table of them, under a title for their names. Those that differ are marked, the first of them with
// `first_mark`.
void print(std::ostream& out, const std::string& title, std::span<const Compared> outputs,
           std::string first_mark = "differs");

// The same rows as JSON.
nlohmann::ordered_json differences_json(std::span<const Compared> outputs);
bool any_differs(std::span<const Compared> outputs);

// One sentence that names the output which is farthest beyond its tolerance; empty where none is beyond.
// `other` says where the others are: "on CPU_NNRt", "in the file".
std::string verdict(std::span<const Compared> outputs, const std::string& device, const std::string& other);

}  // namespace nnrt::tool
