// The GPU's linear algebra against Eigen's, by the kernels it chooses and by others.
#include "tests/device/device_fixture.h"
#include "tests/support/linear_algebra/linear_algebra_cases.h"

#include <algorithm>

namespace nnrt::test {
namespace {

void expect_eigens_results(const std::vector<LinearAlgebraCase>& cases, const char* kernels = "") {
  SCOPED_TRACE(kernels);
  const auto device = shared_device(kernels);
  Random random(1);
  size_t count = 0;
  for (const LinearAlgebraCase& one : cases) {
    SCOPED_TRACE(one.name);
    if (const Refusal why = first_refusal(*device, *one.graph)) {
      EXPECT_EQ(one.dtype, DType::f64) << *why;
      continue;
    }
    const auto got = run_guarded(*device, one.graph, one.inputs, random, false);
    ASSERT_TRUE(got.ok()) << got.error().message;
    EXPECT_EQ(mismatch(one, got.value()[0]), std::nullopt);
    ++count;
  }
  EXPECT_GT(count, cases.size() / 2);
}

TEST(DeviceLinearAlgebra, MultipliesMatricesAsEigen) { expect_eigens_results(gemm_cases()); }
TEST(DeviceLinearAlgebra, ConvolvesAsEigen) { expect_eigens_results(convolution_cases()); }
TEST(DeviceLinearAlgebra, NormalizesAndReducesAsEigen) { expect_eigens_results(norm_cases()); }

const auto kKernelName = [](const testing::TestParamInfo<const char*>& kernels) {
  std::string name = kernels.param;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(uint8_t(c)) == 0; }, '_');
  return name;
};

class LinearAlgebraProducts : public testing::TestWithParam<const char*> {};

TEST_P(LinearAlgebraProducts, AreEigensByAForcedKernel) { expect_eigens_results(gemm_cases(), GetParam()); }
INSTANTIATE_TEST_SUITE_P(Ways, LinearAlgebraProducts,
                         testing::Values("+register_tile", "+small_register_tile", "+shared_memory_tile",
                                         "+fast_compile", "+gemv_by_group", "+gemv_by_subgroups",
                                         "+fp16_storage", "+int8_dot,+int8_dot_small",
                                         "+int8_dot,+int8_dot_registers",
                                         "+fp16_storage,+cooperative_matrix_emulated"),
                         kKernelName);

class LinearAlgebraConvolutions : public testing::TestWithParam<const char*> {};

TEST_P(LinearAlgebraConvolutions, AreEigensByAForcedKernel) {
  expect_eigens_results(convolution_cases(), GetParam());
}
INSTANTIATE_TEST_SUITE_P(Ways, LinearAlgebraConvolutions,
                         testing::Values("+register_tile", "+small_register_tile", "+shared_memory_tile",
                                         "+fast_compile", "+winograd2", "+winograd4", "+direct",
                                         "+fp16_storage", "+int8_dot,+int8_dot_small",
                                         "+int8_dot,+int8_dot_registers",
                                         "+fp16_storage,+cooperative_matrix_emulated"),
                         kKernelName);

}  // namespace
}  // namespace nnrt::test
