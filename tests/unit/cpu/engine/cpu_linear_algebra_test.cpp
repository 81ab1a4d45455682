// The CPU device's linear algebra against Eigen's, by each implementation.
#include "backends/cpu/engine/cpu_device.h"
#include "tests/device/guarded_run.h"
#include "tests/support/kernels_variable.h"
#include "tests/support/linear_algebra/linear_algebra_cases.h"

namespace nnrt::test {
namespace {

void expect_eigens_result(const LinearAlgebraCase& one) {
  Random random(1);
  const auto got = run_guarded(*cpu::make_device(), one.graph, one.inputs, random, false).value();
  EXPECT_EQ(mismatch(one, got[0]), std::nullopt);
}

using Cases = std::vector<LinearAlgebraCase>;

class CpuLinearAlgebra : public testing::TestWithParam<Cases (*)()> {};

TEST_P(CpuLinearAlgebra, HasEigensResults) {
  for (const LinearAlgebraCase& one : GetParam()()) {
    SCOPED_TRACE(one.name);
    expect_eigens_result(one);
    for_each_implementation(one.op, [&one] { expect_eigens_result(one); });
  }
}

INSTANTIATE_TEST_SUITE_P(Gemms, CpuLinearAlgebra, testing::Values(gemm_cases, cpu_gemm_cases));
INSTANTIATE_TEST_SUITE_P(Convolutions, CpuLinearAlgebra,
                         testing::Values(convolution_cases, cpu_convolution_cases));
INSTANTIATE_TEST_SUITE_P(Norms, CpuLinearAlgebra, testing::Values(norm_cases));

}  // namespace
}  // namespace nnrt::test
