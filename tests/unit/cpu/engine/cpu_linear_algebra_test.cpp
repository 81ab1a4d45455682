// The CPU device's linear algebra against Eigen's, by each implementation.
#include "backends/cpu/engine/cpu_device.h"
#include "tests/device/guarded_run.h"
#include "tests/support/kernels_variable.h"
#include "tests/support/linear_algebra/linear_algebra_cases.h"

namespace nnrt::test {
namespace {

void expect_eigens_result(const LinearAlgebraCase& one) {
  Random random(1);
  const auto got = run_guarded(*cpu::make_device(), one.graph, one.inputs, random, false);
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(mismatch(one, got.value()[0]), std::nullopt);
}

void expect_eigens_results(const std::vector<LinearAlgebraCase>& cases) {
  for (const LinearAlgebraCase& one : cases) {
    SCOPED_TRACE(one.name);
    expect_eigens_result(one);
  }
}

void expect_eigens_results_by_each_implementation(const std::vector<LinearAlgebraCase>& cases) {
  for (const LinearAlgebraCase& one : cases) {
    SCOPED_TRACE(one.name);
    for_each_implementation(one.op, [&one] { expect_eigens_result(one); });
  }
}

TEST(CpuLinearAlgebra, MultipliesMatricesAsEigen) { expect_eigens_results(gemm_cases()); }
TEST(CpuLinearAlgebra, MultipliesMatricesAsEigenByEachImplementation) {
  expect_eigens_results_by_each_implementation(gemm_cases());
}
TEST(CpuLinearAlgebra, ConvolvesAsEigen) { expect_eigens_results(convolution_cases()); }
TEST(CpuLinearAlgebra, ConvolvesAsEigenByEachImplementation) {
  expect_eigens_results_by_each_implementation(convolution_cases());
}
TEST(CpuLinearAlgebra, NormalizesAndReducesAsEigen) { expect_eigens_results(norm_cases()); }
TEST(CpuLinearAlgebra, NormalizesAndReducesAsEigenByEachImplementation) {
  expect_eigens_results_by_each_implementation(norm_cases());
}

}  // namespace
}  // namespace nnrt::test
