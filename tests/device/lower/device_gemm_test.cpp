// GEMMs large enough for the paths that small ones do not take.
#include "backends/cpu/engine/cpu_device.h"
#include "core/base/text.h"
#include "tests/device/device_fixture.h"
#include "tests/support/device_agreement.h"
#include "tests/support/random/random.h"

namespace nnrt::test {
namespace {

// Small integers, so that sums are exact.
Bytes integers(Random& random, const Shape& shape) {
  std::vector<float> values;
  for (int64_t i = 0; i < *element_count(shape); ++i) values.push_back(float(int(random.below(17)) - 8));
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

TEST(Product, IsExactForFedOperands) {
  Random random(3);
  for (const auto& [rows, inner, columns] :
       std::initializer_list<std::array<int64_t, 3>>{{144, 256, 160}, {130, 260, 128}, {144, 100, 64}}) {
    SCOPED_TRACE(cat(rows, "x", inner, "x", columns));
    GraphMaker make;
    const Shape left{2, rows, inner}, right{2, inner, columns};
    const TensorId a = make.input(left), b = make.input(right);
    const GraphPtr graph = make.finish({make.op(Op::matmul, {a, b}, {2, rows, columns})});
    const std::vector<Bytes> fed{integers(random, left), integers(random, right)};
    const auto want = run_guarded(*cpu::make_device(), graph, fed, random, false);
    const auto got = run_guarded(*shared_device(""), graph, fed, random, false);
    ASSERT_TRUE(want.ok() && got.ok()) << (want.ok() ? got.error().message : want.error().message);
    EXPECT_FALSE(difference(DType::f32, got.value()[0], want.value()[0], kExact, 1));
  }
}

// A bias exported as ADD, followed by an activation and another addition.
TEST(Product, FusedRowIsExactInEachKernel) {
  Random random(5);
  for (const auto& [rows, inner, columns] :
       std::initializer_list<std::array<int64_t, 3>>{{1, 40, 72}, {3, 7, 5}, {33, 24, 40}, {70, 64, 130}}) {
    GraphMaker make;
    const Shape left{2, rows, inner}, right{inner, columns}, shape{2, rows, columns};
    const TensorId a = make.input(left), other = make.input(shape);
    const TensorId b = make.constant_bytes(right, DType::f32, integers(random, right));
    const TensorId bias = make.constant_bytes({1, columns}, DType::f32, integers(random, {columns}));
    const TensorId biased = make.op(Op::add, {bias, make.op(Op::matmul, {a, b}, shape)}, shape);
    const GraphPtr graph =
        make.finish({make.op(Op::add, {make.op(Op::relu, {biased}, shape), other}, shape)});
    const std::vector<Bytes> fed{integers(random, left), integers(random, shape)};
    const auto want = run_guarded(*cpu::make_device(), graph, fed, random, false);
    for (const std::string_view kernel :
         {"", "shared_memory_tile", "register_tile", "fast_compile", "gemv_by_group", "gemv_by_subgroups"}) {
      SCOPED_TRACE(cat(rows, "x", inner, "x", columns, " ", kernel));
      const auto device = shared_device(kernel.empty() ? "" : cat("+", kernel));
      const auto got = run_guarded(*device, graph, fed, random, false);
      ASSERT_TRUE(want.ok() && got.ok()) << (want.ok() ? got.error().message : want.error().message);
      EXPECT_FALSE(difference(DType::f32, got.value()[0], want.value()[0], kExact, 1));
    }
  }
}

}  // namespace
}  // namespace nnrt::test
