// A model with a part on each of two devices concurrently: a matrix product on a GPU, and a sum of UINT32,
// which the GPU does not support, on the CPU.
#pragma once

#include "tests/shortage/retry_calls.h"

namespace nnrt::test {

api_tests::Model make_two_parts();

// Inputs and outputs of its runs.
struct PartTensors {
  PartTensors();
  std::vector<NN_Tensor*> inputs() const { return {x.get(), n.get(), shape.get()}; }
  std::vector<NN_Tensor*> outputs() const { return {y.get(), reshaped.get()}; }
  void clear() const;
  void expect_right() const;

  api_tests::Tensor x, n, shape, y, reshaped;
};

}  // namespace nnrt::test
