// The network that the scenarios build and run: y = reshape(relu(x w + b), shape) + 1, where `shape` is an
// input of the run. A GPU has a part with packed weights, the CPU the reshape, the GPU a part of dynamic
// shape.
#pragma once

#include "tests/shortage/retry_calls.h"

#include <string>

namespace nnrt::test {

inline constexpr int32_t kInner = 16, kOuter = 8;

// Rows of x: known in Build, or only in the run (-1).
api_tests::Model make_model(Attempts& attempts, int32_t rows);
api_tests::Model make_model(int32_t rows);

// y = softmax(square(x)): two pipelines of a GPU that compile fast.
api_tests::Model make_small_model();

// Settings before Build.
struct Settings {
  size_t device = 0;
  std::string cache;  // a directory, or empty
};
api_tests::Compilation make_compilation(Attempts& attempts, const OH_NNModel* model,
                                        const Settings& settings);
// A compilation of its own each time: one whose Build failed cannot be built again.
api_tests::Compilation build(Attempts& attempts, const OH_NNModel* model, const Settings& settings);
api_tests::Compilation build(const OH_NNModel* model, const Settings& settings);

// Inputs and output of runs with so many rows of x.
struct Tensors {
  // `offset` of the memory in bytes: at an odd one no device can bind it.
  Tensors(Attempts& attempts, int32_t rows, size_t offset = 0);
  void expect_right() const;
  void clear() const;

  int32_t rows;
  api_tests::Tensor x, shape, y;
};

void run(Attempts& attempts, const api_tests::Executor& executor, const Tensors& tensors);
void run_deferred(Attempts& attempts, const api_tests::Executor& executor, const Tensors& tensors);
// The same by the functions of API 9, of a static model.
void run_as_api_9(Attempts& attempts, const api_tests::Executor& executor, int32_t rows);
// Expects that the compilation works, with nothing short.
void expect_works(const api_tests::Compilation& compilation, int32_t rows);

}  // namespace nnrt::test
