#include "core/runtime/operation_kernels.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

TEST(OperationKernels, AreThoseOfAllNodes) {
  KernelReport report;
  report.operations = {{3, {{"view", {}}}, {2, 5}}, {3, {{"direct", {}}}, {2, 3, 4}}, {6, {}, {}}};
  const auto kernels = kernels_of_operations({report});
  EXPECT_EQ(kernels.at(3).kernels, (KernelLog{{"view", {}}, {"direct", {}}}));
  EXPECT_EQ(kernels.at(3).fused, (std::vector<uint32_t>{2, 4, 5})) << "Each once, without the operation.";
  EXPECT_TRUE(kernels.at(6).kernels.empty());
}

}  // namespace
}  // namespace nnrt
