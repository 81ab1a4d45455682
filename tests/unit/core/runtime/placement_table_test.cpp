#include "backends/cpu/engine/cpu_device.h"
#include "core/runtime/compile.h"
#include "tests/support/graph_maker.h"
#include "tests/support/reporting_device.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

TEST(PlacementTable, DescribesPlacementAndKernels) {
  const std::shared_ptr<Device> cpu = cpu::make_device();
  test::ReportingDevice reporting(cpu);
  test::GraphMaker make;
  const TensorId sum = make.op(Op::add, {make.input({2, 3}), make.input({3})}, {2, 3});
  const TensorId positive = make.op(Op::abs, {sum}, {2, 3});
  const GraphPtr graph = make.finish({make.op(Op::exp, {positive}, {2, 3})});
  EXPECT_EQ(
      compile(graph, reporting, cpu.get(), {}).value()->placement_table(),
      "node  operator       device    reason                            implementation  not taken, and why\n"
      "0     OH_NN_OPS_ADD  Partial                                     direct          vec4: Three are too "
      "few.\n"
      "                                                                                 vec8: Too.\n"
      "1     OH_NN_OPS_ABS  CPU_NNRt  The test refuses this operation.  direct\n"
      "2     OH_NN_OPS_EXP  CPU_NNRt  The test refuses this operation.  fused into 1\n"
      "Partition 0 (Partial) without fp16_pass: Float16 is not permitted.\n");
}

}  // namespace
}  // namespace nnrt
