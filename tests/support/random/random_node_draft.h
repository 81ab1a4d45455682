// A random node while it is drawn: its operator's shapes, indices and parameters depend on each other. Only
// this part of the random tests knows operators by name.
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
  std::optional<Shape> first{};  // the shape of input 0, where it is given
  DType dtype{};                 // the dtype of input 0
  DType output_dtype{};          // set if attributes or values decide it
  Format format{};
  bool wild = false;  // spatial parameters may be as large as an attribute can say

  std::vector<Shape> shapes{};                        // one for each input
  std::map<size_t, std::vector<int64_t>> integers{};  // contents of INT32 and INT64 inputs
  std::map<size_t, DType> dtypes{};                   // for inputs other than the first, decided here
  std::set<size_t> fed{};                             // inputs that must not be constants
  std::map<size_t, Quant> quants{};                   // for inputs, decided here
  std::map<size_t, Quant> output_quants{};
  std::map<Attr, std::vector<double>> attrs{};  // decided here; an empty one stays absent
  size_t outputs = 1;                           // if there are many

  int64_t dimension();
  // The count of channels, of which parameters have one element each: often fewer than a vector has, or no
  // multiple of that.
  int64_t channels();
  // The shape of input 0: given, or drawn with at most some thousand elements.
  Shape base(size_t min_rank = 1, size_t max_rank = 6);
  size_t rank() const { return shapes[0].size(); }
  // An axis of `rank` dimensions, sometimes counted from the end.
  int64_t axis(size_t rank) { return random.between(-int64_t(rank), int64_t(rank) - 1); }
  // Some axes, each once.
  std::vector<int64_t> axes(size_t rank);
  std::vector<int64_t> permutation(size_t count);

  // Input i has these contents: one element, or a list.
  void value(size_t i, int64_t content);
  void list(size_t i, std::vector<int64_t> contents);
  void set(Attr attr, const std::vector<int64_t>& values) {
    attrs[attr].assign(values.begin(), values.end());
  }
};

// Returns whether runs of the operator fail for some contents of its inputs.
bool may_fail(Op op);

// Draws the shapes of the inputs and all that hangs on them.
void draw_shapes(Draft& draft);

// Draws the parameters, those that are decided and of the others some.
std::vector<Tensor> draw_params(Draft& draft);

// The floats that an input of an operator is filled with.
struct Domain {
  double min = -4, max = 4;
  bool nonzero = false;
};
Domain domain_of(Op op, size_t input);

}  // namespace nnrt::test
