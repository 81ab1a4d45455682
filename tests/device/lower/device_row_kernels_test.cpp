// Kernels with rows shared by workgroups agree with the CPU device, at the boundaries of workgroups, vectors
// and kernel choices.
#include "backends/cpu/engine/cpu_device.h"
#include "backends/vulkan/runtime/vulkan_kernel_names.h"
#include "core/base/bytes_of.h"
#include "core/base/text.h"
#include "tests/device/device_fixture.h"
#include "tests/support/device_agreement.h"
#include "tests/support/random/random.h"

#include <algorithm>
#include <limits>

namespace nnrt::test {
namespace {

// OH_NN_*_AXIS and OH_NN_MATMUL_TRANSPOSE_B.
enum : int { kTransposeB = 34, kSoftmaxAxis = 46, kArgMaxAxis = 75, kLogSoftmaxAxis = 144 };

// Parameter: the suffix of the kernel names, as in softmax_by_group.
class RowKernels : public testing::TestWithParam<const char*> {
 protected:
  // Forces the kernels of these families; some graph must use the first one.
  void force(const std::vector<std::string>& families) {
    vulkan::DevicePlan plan = first_plan();
    plan.cores = 132;  // large, so that few workgroups choose larger groups
    for (const std::string& family : families) plan.kernels.force(family + GetParam());
    wanted_ = families[0] + GetParam();
    gpu_ = make_device(plan);
  }

  Bytes floats(const Shape& shape) {
    std::vector<float> values;
    for (int64_t i = 0; i < *element_count(shape); ++i)
      values.push_back(float(int(random_.below(4001)) - 2000) / 500.0F);
    return bytes_of(values);
  }

  void expect_agreement(const GraphPtr& graph, const std::vector<Bytes>& fed, DType dtype = DType::f32) {
    const GraphPtr normal = normalize(graph);
    const auto model = prepare(*gpu_, normal);
    for (const OperationKernels& operation : model->kernels(normal).operations)
      for (const KernelChoice& choice : operation.kernels) taken_ += choice.name == wanted_;
    const auto want = run_guarded(*cpu_, normal, fed, random_, false);
    const auto got = run_guarded(*gpu_, normal, fed, random_, false);
    ASSERT_TRUE(want.ok() && got.ok()) << (want.ok() ? got.error().message : want.error().message);
    const bool is_float = dtype == DType::f32;
    const double scale = is_float ? std::max(1.0, largest_magnitude(dtype, want.value()[0])) : 1;
    const auto fault =
        difference(dtype, got.value()[0], want.value()[0], is_float ? tolerance_of(dtype) : kExact, scale);
    EXPECT_FALSE(fault) << *fault;
  }

  void TearDown() override {
    if (!vulkan::take_snapshot(first_physical_device()).subgroup_arithmetic) return;
    EXPECT_GT(taken_, 0u) << wanted_;
  }

  Random random_{17};
  const std::shared_ptr<Device> cpu_ = cpu::make_device();
  std::shared_ptr<Device> gpu_;
  std::string wanted_;
  size_t taken_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Ways, RowKernels, testing::Values("_by_subgroups", "_by_group"),
                         [](const auto& given) { return std::string(given.param + 1); });

// (outer, length, inner) with the length reduced.
const Shape kShapes[] = {{1, 1000, 1}, {3, 1, 1},    {2, 31, 1},   {2, 33, 1},   {5, 4099, 1},
                         {2, 4096, 1}, {2, 49, 12},  {2, 9, 40},   {3, 100, 9},  {1, 4099, 3},
                         {7, 3, 5},    {300, 64, 1}, {1, 9001, 1}, {1, 3000, 16}};

TEST_P(RowKernels, ComputeSoftmax) {
  force({"softmax"});
  for (const Shape& shape : kShapes) {
    for (const bool logarithm : {false, true}) {
      SCOPED_TRACE(to_string(shape));
      GraphMaker make;
      const TensorId x = make.input(shape);
      const int axis = logarithm ? kLogSoftmaxAxis : kSoftmaxAxis;
      const TensorId along = make.parameter<int64_t>(axis, DType::i64, {1});
      const TensorId y = make.op(logarithm ? Op::log_softmax : Op::softmax, {x}, shape, {along});
      expect_agreement(make.finish({y}), {floats(shape)});
    }
  }
}

TEST_P(RowKernels, ReduceNumbers) {
  force({"reduce"});
  for (const Shape& shape : kShapes) {
    for (const Op op : {Op::reduce_sum, Op::reduce_mean, Op::reduce_max, Op::reduce_min, Op::reduce_l2}) {
      SCOPED_TRACE(cat(name(op), " ", to_string(shape)));
      GraphMaker make;
      const TensorId x = make.input(shape);
      const TensorId y = make.op(op, {x, make.ints({1})}, {shape[0], shape[2]});
      expect_agreement(make.finish({y}), {floats(shape)});
    }
  }
}

// Powers of two, so that the product is exact in any order.
TEST_P(RowKernels, ReduceProducts) {
  force({"reduce"});
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(to_string(shape));
    std::vector<float> values;
    for (int64_t i = 0; i < *element_count(shape); ++i)
      values.push_back(std::array{-1.0F, 1.0F, 2.0F, 0.5F}[random_.below(4)]);
    GraphMaker make;
    const TensorId x = make.input(shape);
    const TensorId y = make.op(Op::reduce_prod, {x, make.ints({1})}, {shape[0], shape[2]});
    expect_agreement(make.finish({y}), {bytes_of(values)});
  }
}

TEST_P(RowKernels, ReduceIntegers) {
  force({"reduce"});
  for (const Shape& shape : kShapes) {
    for (const Op op : {Op::reduce_sum, Op::reduce_mean, Op::reduce_max}) {
      SCOPED_TRACE(cat(name(op), " ", to_string(shape)));
      std::vector<int32_t> values;
      for (int64_t i = 0; i < *element_count(shape); ++i)
        values.push_back(int32_t(random_.below(2001)) - 1000);
      GraphMaker make;
      const TensorId x = make.input(shape, DType::i32);
      const TensorId y = make.op(op, {x, make.ints({1})}, {shape[0], shape[2]}, {}, DType::i32);
      expect_agreement(make.finish({y}), {bytes_of(values)}, DType::i32);
    }
  }
}

TEST_P(RowKernels, ReduceAll) {
  force({"reduce"});
  if (wanted_ == "reduce_by_subgroups") {
    ++taken_;
    GTEST_SKIP() << "They reduce no booleans.";
  }
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(to_string(shape));
    std::vector<uint8_t> values(size_t(*element_count(shape)), 1);
    for (size_t i = 0; i < values.size(); i += 1 + random_.below(3000)) values[i] = 0;
    GraphMaker make;
    const TensorId x = make.input(shape, DType::boolean);
    const TensorId y = make.op(Op::reduce_all, {x, make.ints({1})}, {shape[0], shape[2]}, {}, DType::boolean);
    expect_agreement(make.finish({y}), {bytes_of(values)}, DType::boolean);
  }
}

// Few distinct values, to test that the first maximum is found. NaN does not count.
TEST_P(RowKernels, FindTheFirstOfTheLargest) {
  force({"arg_max"});
  for (const Shape& shape : kShapes) {
    for (const bool has_nan : {false, true}) {
      SCOPED_TRACE(to_string(shape));
      std::vector<float> values;
      for (int64_t i = 0; i < *element_count(shape); ++i) values.push_back(float(random_.below(5)) - 4.0F);
      if (has_nan) {
        for (size_t i = 0; i < values.size(); i += 1 + random_.below(50))
          values[i] = std::numeric_limits<float>::quiet_NaN();
      }
      GraphMaker make;
      const TensorId x = make.input(shape);
      const TensorId axis = make.parameter<int64_t>(kArgMaxAxis, DType::i64, {1});
      const TensorId y = make.op(Op::arg_max, {x}, {shape[0], shape[2]}, {axis}, DType::i64);
      expect_agreement(make.finish({y}), {bytes_of(values)}, DType::i64);
    }
  }
}

TEST_P(RowKernels, ComputeNorms) {
  force({"norm"});
  for (const int64_t length : {1, 7, 31, 33, 64, 768, 1000, 1001, 4099}) {
    SCOPED_TRACE(length);
    const Shape shape{5, length}, row{length};
    GraphMaker make;
    const TensorId x = make.input(shape), scale = make.input(row), shift = make.input(row);
    const TensorId layer = make.op(Op::layer_norm, {x, scale, shift}, shape);
    const TensorId rms = make.op(Op::rms_norm, {layer, scale}, shape);
    expect_agreement(make.finish({rms}), {floats(shape), floats(row), floats(row)});
  }
}

TEST_P(RowKernels, ComputeNormsOfChannels) {
  force({"norm"});
  if (wanted_ == "norm_by_subgroups") ++taken_;  // has no adjacent rows
  for (const int64_t channels : {1, 3, 4, 8, 20, 64}) {
    SCOPED_TRACE(channels);
    const Shape shape{2, 9, 7, channels}, row{channels};
    GraphMaker make;
    const TensorId x = make.input(shape, DType::f32, Format::nhwc);
    const TensorId scale = make.input(row), shift = make.input(row);
    const TensorId y = make.op(Op::instance_norm, {x, scale, shift}, shape, {}, DType::f32, Format::nhwc);
    expect_agreement(make.finish({y}), {floats(shape), floats(row), floats(row)});
  }
}

// Columns and K at vector boundaries, and up to one row more than the kernels support.
TEST_P(RowKernels, MultiplyFewRows) {
  force({"gemv"});
  for (const auto& [rows, inner, columns] : std::initializer_list<std::array<int64_t, 3>>{{1, 1, 1},
                                                                                          {1, 4, 3},
                                                                                          {1, 2048, 1000},
                                                                                          {2, 129, 77},
                                                                                          {3, 64, 4099},
                                                                                          {5, 4099, 8},
                                                                                          {8, 768, 37},
                                                                                          {8, 36, 64},
                                                                                          {9, 64, 64},
                                                                                          {1, 100, 4096}}) {
    for (const bool transposed : {true, false}) {
      SCOPED_TRACE(cat(rows, "x", inner, "x", columns, transposed ? " transposed" : ""));
      const Shape left{rows, inner};
      const Shape right = transposed ? Shape{columns, inner} : Shape{inner, columns};
      GraphMaker make;
      const TensorId a = make.input(left), b = make.input(right);
      const TensorId flag = make.parameter<uint8_t>(kTransposeB, DType::boolean, {transposed});
      const TensorId y = make.op(Op::matmul, {a, b}, {rows, columns}, {flag});
      const TensorId shifted = make.op(Op::add, {y, make.input({rows, columns})}, {rows, columns});
      expect_agreement(make.finish({make.op(Op::relu, {shifted}, {rows, columns})}),
                       {floats(left), floats(right), floats({rows, columns})});
    }
  }
}

// Each of the two kernels takes one order of the second operand.
TEST_P(RowKernels, MultiplyFewRowsOfManyMatrices) {
  force({"gemv"});
  const bool transposed = wanted_ == "gemv_by_subgroups";
  const Shape left{3, 2, 1, 64}, result{3, 2, 1, 20};
  const Shape right = transposed ? Shape{3, 1, 20, 64} : Shape{3, 1, 64, 20};
  GraphMaker make;
  const TensorId a = make.input(left), b = make.input(right);
  const TensorId flag = make.parameter<uint8_t>(kTransposeB, DType::boolean, {transposed});
  expect_agreement(make.finish({make.op(Op::matmul, {a, b}, result, {flag})}), {floats(left), floats(right)});
}

TEST_P(RowKernels, ComputeFullConnectionsAndPointwiseConvolutions) {
  force({"gemv"});
  if (wanted_ == "gemv_by_group") ++taken_;  // weights are stored by columns
  GraphMaker make;
  const Shape weight{24, 1, 1, 36}, pixel{1, 1, 1, 36};
  const TensorId x = make.input(pixel, DType::f32, Format::nhwc);
  const auto constant = [&](const Shape& shape) {
    std::vector<float> values(size_t(*element_count(shape)));
    for (float& value : values) value = float(int(random_.below(41)) - 20) / 8.0F;
    return make.floats(shape, values);
  };
  const TensorId squeezed =
      make.op(Op::conv2d, {x, constant(weight), constant({24})}, {1, 1, 1, 24}, {}, DType::f32, Format::nhwc);
  const TensorId flat = make.op(Op::reshape, {squeezed, make.ints({1, 24})}, {1, 24});
  const TensorId y = make.op(Op::full_connection, {flat, constant({11, 24}), constant({11})}, {1, 11});
  expect_agreement(make.finish({y}), {floats(pixel)});
}

}  // namespace
}  // namespace nnrt::test
