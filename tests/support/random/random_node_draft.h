// A random node under construction: shapes, indices and parameters depend on each other. Only this part of
// the random tests knows individual operators.
#pragma once

#include "core/schema/schema.h"
#include "tests/support/random/random.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace nnrt::test {

struct Draft {
  const OpSchema& row;
  Random& random;
  std::optional<Shape> first{};  // shape of input 0, if fixed
  DType dtype{};                 // dtype of input 0
  DType output_dtype{};          // set if attributes or values determine it
  Format format{};
  bool wild = false;  // spatial parameters may be as large as attributes permit

  std::vector<Shape> shapes{};                        // one per input
  std::map<size_t, std::vector<int64_t>> integers{};  // contents of INT32 and INT64 inputs
  std::map<size_t, DType> dtypes{};                   // dtypes fixed for inputs other than the first
  std::set<size_t> fed{};                             // inputs that must not be constant
  std::map<size_t, Quant> quants{};                   // quantization fixed for inputs
  std::map<size_t, Quant> output_quants{};
  std::map<Attr, std::vector<double>> attrs{};  // fixed attributes; an empty list leaves one out
  size_t outputs = 1;                           // for operators with a variable number

  int64_t dimension();
  // A channel count: often less than a vector, or not a multiple of one.
  int64_t channels();
  // The shape of input 0: fixed, or drawn with up to a few thousand elements.
  Shape base(size_t min_rank = 1, size_t max_rank = 6);
  size_t rank() const { return shapes[0].size(); }
  // An axis of `rank` dimensions, sometimes negative.
  int64_t axis(size_t rank) { return random.between(-int64_t(rank), int64_t(rank) - 1); }
  // Some distinct axes.
  std::vector<int64_t> axes(size_t rank);
  std::vector<int64_t> permutation(size_t count);

  // Sets the contents of input i: a single element, or a list.
  void value(size_t i, int64_t content);
  void list(size_t i, std::vector<int64_t> contents);
  void set(Attr attr, const std::vector<int64_t>& values) {
    attrs[attr].assign(values.begin(), values.end());
  }
};

// Returns whether runs of the operator fail for some input contents.
bool may_fail(Op op);

// Draws input shapes and everything that depends on them.
void draw_shapes(Draft& draft);

// Draws the parameters: all fixed ones, and some of the others.
std::vector<Tensor> draw_params(Draft& draft);

// The range of the floats in an operator's input.
struct Domain {
  double min = -4, max = 4;
  bool nonzero = false;
};
Domain domain_of(Op op, size_t input);

}  // namespace nnrt::test
