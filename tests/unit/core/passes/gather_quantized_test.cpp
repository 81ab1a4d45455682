#include "core/passes/gather_quantized.h"

#include "backends/cpu/engine/cpu_device.h"
#include "core/passes/check_rewrite.h"
#include "core/runtime/compile.h"
#include "core/runtime/execution.h"
#include "tests/support/graph_maker.h"
#include "tests/support/tensor_views.h"
#include "tests/unit/core/passes/simplify/simplified_graph.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

using test::GraphMaker;
using test::text_of;
using test::values_of;
using test::view_of;

// Rows of a table [3, 2], selected by the client.
struct Embedding {
  GraphMaker make;
  TensorId indices = make.input({2}, DType::i32);
  TensorId table = 0;

  TensorId gathered(const Quant& quant) {
    const TensorId stored = make.constant<int8_t>({3, 2}, DType::i8, {1, 2, 3, 4, 5, 6});
    EXPECT_TRUE(make.builder().set_quant(stored, quant).ok());
    const std::vector parameters{make.parameter<int64_t>(72, DType::i64, {int64_t(DType::i8)}),
                                 make.parameter<int64_t>(73, DType::i64, {int64_t(DType::f32)})};
    table = make.op(Op::quant_dtype_cast, {stored}, {3, 2}, parameters);
    return make.op(Op::gather, {table, indices, make.ints({0})}, {2, 2});
  }
};

TEST(GatherQuantized, KeepsAnEmbeddingQuantized) {
  Embedding embedding;
  const GraphPtr graph = embedding.make.finish({embedding.gathered({{0.5}, {1}})});
  const GraphPtr changed = gather_quantized(graph);
  EXPECT_EQ(text_of(*changed), "GATHER QUANT_DTYPE_CAST");
  EXPECT_TRUE(find_fault("gather_quantized", *graph, *changed).ok());
  const auto cpu = cpu::make_device();
  const auto compiled = compile(graph, *cpu, nullptr, {}).value();
  EXPECT_EQ(text_of(*compiled->lowered), "GATHER QUANT_DTYPE_CAST");
  Execution execution(compiled);
  const std::vector inputs{view_of<int32_t>({2}, {2, 0})};
  std::vector<OutputSlot> outputs{{test::empty_view(16, {2, 2})}};
  ASSERT_TRUE(execution.run(inputs, outputs, {}).ok());
  EXPECT_EQ(values_of<float>(outputs[0].view), (std::vector<float>{2, 2.5, 0, 0.5}));
}

TEST(GatherQuantized, KeepsSharedTables) {
  for (const bool is_output : {false, true}) {
    Embedding embedding;
    const TensorId rows = embedding.gathered({{0.5}, {1}});
    const TensorId other =
        is_output ? embedding.table : embedding.make.op(Op::neg, {embedding.table}, {3, 2});
    const GraphPtr graph = embedding.make.finish({rows, other});
    EXPECT_EQ(gather_quantized(graph), graph);
  }
}

TEST(GatherQuantized, LeavesTablesWithAScaleForEachRow) {
  Embedding embedding;
  const GraphPtr graph = embedding.make.finish({embedding.gathered({{0.5, 1, 2}, {0, 0, 0}})});
  EXPECT_EQ(gather_quantized(graph), graph);
}

}  // namespace
}  // namespace nnrt
