// Tiles of every size agree with the CPU device, at their boundaries and with split-K. Operands are small
// integers, so sums are exact in any order.
#include "backends/cpu/engine/cpu_device.h"
#include "backends/vulkan/lower/common/tile_kinds.h"
#include "core/base/element_at.h"
#include "core/base/fp16.h"
#include "core/base/text.h"
#include "tests/device/device_fixture.h"
#include "tests/support/device_agreement.h"
#include "tests/support/random/random.h"

#include <cmath>

namespace nnrt::test {
namespace {

constexpr int kConvolutionPad = 12;  // OH_NN_CONV2D_PAD

class Tiles : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string kernels =
        cat("+gemm,-winograd4,-winograd2,-gemv_by_subgroups,-gemv_by_group,", GetParam());
    plan_ = plan_with(kernels);
    gpu_ = shared_device(kernels, plan_);
  }

  // Cooperative matrices need float16.
  DType dtype() const {
    return std::string_view(GetParam()).find("+matrix_") != std::string_view::npos ? DType::f16 : DType::f32;
  }

  // Multiplies in fp16. Exact, as the sums of 16 products are small integers.
  bool is_half() const {
    return std::string_view(GetParam()).find("+fp16_arithmetic") != std::string_view::npos;
  }

  Bytes integers(const Shape& shape, uint32_t range = 5) {
    const auto count = size_t(*element_count(shape));
    std::vector<int> values(count);
    for (int& value : values) value = int(random_.below(range)) - int(range / 2);
    Bytes bytes(count * size_of(dtype()));
    for (size_t i = 0; i < count; ++i) {
      const auto real = float(values[i]);
      const Half half = to_half(real);
      if (dtype() == DType::f32) std::memcpy(bytes.data() + i * sizeof real, &real, sizeof real);
      if (dtype() == DType::f16) std::memcpy(bytes.data() + i * sizeof half, &half, sizeof half);
    }
    return bytes;
  }

  void expect_agreement(const GraphPtr& graph, const std::vector<Bytes>& fed) {
    const GraphPtr normal = normalize(graph);
    const auto want = run_guarded(*cpu_, normal, fed, random_, false);
    const auto got = run_guarded(*gpu_, normal, fed, random_, false, {.float16 = is_half()});
    ASSERT_TRUE(want.ok() && got.ok()) << (want.ok() ? got.error().message : want.error().message);
    const auto fault = difference(dtype(), got.value()[0], want.value()[0], kExact, 1);
    EXPECT_FALSE(fault) << *fault;
  }

  void expect_product(int64_t rows, int64_t inner, int64_t columns, int64_t batch = 1) {
    SCOPED_TRACE(cat(batch, "x", rows, "x", inner, "x", columns));
    const Shape left{batch, rows, inner}, right{batch, inner, columns}, result{batch, rows, columns};
    GraphMaker make;
    const TensorId a = make.input(left, dtype()), b = make.input(right, dtype());
    const TensorId product = make.op(Op::matmul, {a, b}, result, {}, dtype());
    const TensorId sum = make.op(Op::add, {product, make.input(result, dtype())}, result, {}, dtype());
    expect_agreement(make.finish({make.op(Op::relu, {sum}, result, {}, dtype())}),
                     {integers(left), integers(right), integers(result, 9)});
  }

  void expect_convolution(int64_t side, int64_t in, int64_t out, int64_t kernel) {
    SCOPED_TRACE(cat(side, ": ", in, " to ", out, " by ", kernel));
    const Shape image{1, side, side, in}, weight{out, kernel, kernel, in}, result{1, side, side, out};
    GraphMaker make;
    const TensorId x = make.input(image, dtype(), Format::nhwc);
    const TensorId w = make.constant_bytes(weight, dtype(), integers(weight, 3));
    const TensorId bias = make.constant_bytes({out}, dtype(), integers({out}));
    const int64_t around = kernel / 2;
    const TensorId pad =
        make.parameter<int64_t>(kConvolutionPad, DType::i64, {around, around, around, around});
    const TensorId y = make.op(Op::conv2d, {x, w, bias}, result, {pad}, dtype(), Format::nhwc);
    expect_agreement(make.finish({y}), {integers(image, 3)});
  }

  Random random_{29};
  vulkan::DevicePlan plan_;
  const std::shared_ptr<Device> cpu_ = cpu::make_device();
  std::shared_ptr<Device> gpu_;
};

// Each switch forces one path. Matrices are emulated if the driver has none.
constexpr const char* kFloatTiles[] = {"+shared_memory_tile,+tile_128x128,+unsplit_k",
                                       "+shared_memory_tile,+tile_64x64,+unsplit_k",
                                       "+shared_memory_tile,+tile_32x32,+unsplit_k",
                                       "+shared_memory_tile,+tile_32x32,+split_k",
                                       "+shared_memory_tile,+tile_128x128,+split_k",
                                       "+small_register_tile",
                                       "+register_tile"};
constexpr const char* kHalfTiles[] = {
    "+fp16_storage,+fp16_arithmetic,+fp16_pass,+shared_memory_tile,+tile_128x128,+unsplit_k",
    "+fp16_storage,+fp16_arithmetic,+fp16_pass,+shared_memory_tile,+tile_64x64,+unsplit_k",
    "+fp16_storage,+fp16_arithmetic,+fp16_pass,+shared_memory_tile,+tile_32x32,+split_k",
    "+fp16_storage,+fp16_arithmetic,+fp16_pass,+small_register_tile"};
constexpr const char* kMatrixTiles[] = {
    "+fp16_storage,+khr_cooperative_matrix,+cooperative_matrix_emulated,+matrix_128x128,+unsplit_k",
    "+fp16_storage,+khr_cooperative_matrix,+flexible_matrix,+cooperative_matrix_emulated,+matrix_64x64,+"
    "unsplit_k",
    "+fp16_storage,+khr_cooperative_matrix,+cooperative_matrix_emulated,+matrix_32x32,+unsplit_k",
    "+fp16_storage,+khr_cooperative_matrix,+cooperative_matrix_emulated,+matrix_32x32,+split_k",
    "+fp16_storage,+khr_cooperative_matrix,+flexible_matrix,+cooperative_matrix_emulated,+matrix_128x128,+"
    "split_k"};

std::string name_of(const testing::TestParamInfo<const char*>& given) {
  const std::string text = given.param;
  std::string name;
  for (const char c : text.substr(text.rfind('+', text.find("x"))))
    name += std::isalnum(uint8_t(c)) != 0 ? c : '_';
  return cat(name, "_", given.index);
}
INSTANTIATE_TEST_SUITE_P(Floats, Tiles, testing::ValuesIn(kFloatTiles), name_of);
INSTANTIATE_TEST_SUITE_P(Halves, Tiles, testing::ValuesIn(kHalfTiles), name_of);
INSTANTIATE_TEST_SUITE_P(Matrices, Tiles, testing::ValuesIn(kMatrixTiles), name_of);

TEST_P(Tiles, HandlePartialTiles) {
  expect_product(127, 16, 129);
  expect_product(128, 48, 128);
  expect_product(129, 33, 127);
  expect_product(65, 17, 31);
  expect_product(63, 15, 65);
  expect_product(4, 1, 4);
  expect_product(33, 64, 32, 3);
}

TEST_P(Tiles, MultiplyLongOperands) {
  expect_product(4099, 8, 16);
  expect_product(16, 8, 4099);
  expect_product(16, 8, 4104);
  expect_product(24, 4099, 8);
  expect_product(24, 4096, 40);
}

// In fp16, a sum of ones stays at 2,048.
TEST_P(Tiles, AddProductsToFloatSums) {
  const int64_t inner = 4096, columns = 8;
  const auto run_with = [&](Device& device, const GraphPtr& graph, const Bytes& left) {
    return run_guarded(device, normalize(graph), {left}, random_, false, {.float16 = is_half()});
  };
  if (dtype() == DType::f16) GTEST_SKIP() << "It is for float results.";
  std::vector<float> ones(size_t(8 * inner), 1.0f);
  ones[6] = ones[7] = 0;  // 4,094, which fp16 has
  Bytes left(ones.size() * sizeof(float));
  std::memcpy(left.data(), ones.data(), left.size());
  GraphMaker make;
  const TensorId a = make.input({8, inner});
  const std::vector<float> weights(size_t(inner * columns), 1.0f);
  Bytes right(weights.size() * sizeof(float));
  std::memcpy(right.data(), weights.data(), right.size());
  const TensorId b = make.constant_bytes({inner, columns}, DType::f32, right);
  const GraphPtr graph = make.finish({make.op(Op::matmul, {a, b}, {8, columns})});
  const auto want = run_with(*cpu_, graph, left).value(), got = run_with(*gpu_, graph, left).value();
  const auto fault = difference(DType::f32, got[0], want[0], kExact, 1);
  EXPECT_FALSE(fault) << *fault;
}

// gemm_tile.glsl states the bound. What is not half keeps it easily.
TEST_P(Tiles, KeepTheBoundOfFp16) {
  if (dtype() == DType::f16) GTEST_SKIP() << "It is for float results.";
  const int64_t rows = 5, inner = 1032, columns = 12;
  const auto reals = [&](int64_t count) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float& value : values) value = to_float(to_half(float(random_.below(4001)) / 1000 - 2));
    return values;
  };
  const auto bytes_of = [](const std::vector<float>& values) {
    Bytes bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  };
  const std::vector<float> left = reals(rows * inner), right = reals(inner * columns);
  GraphMaker make;
  const TensorId a = make.input({rows, inner});
  const TensorId b = make.constant_bytes({inner, columns}, DType::f32, bytes_of(right));
  const GraphPtr graph = normalize(make.finish({make.op(Op::matmul, {a, b}, {rows, columns})}));
  const auto got =
      run_guarded(*gpu_, graph, {bytes_of(left)}, random_, false, {.float16 = is_half()}).value();
  for (int64_t i = 0; i < rows * columns; ++i) {
    double sum = 0, magnitudes = 0;
    for (int64_t k = 0; k < inner; ++k) {
      const double one =
          double(left[size_t(i / columns * inner + k)]) * double(right[size_t(k * columns + i % columns)]);
      sum += one;
      magnitudes += std::fabs(one);
    }
    const double result = double(element_at<float>(got[0], size_t(i)));
    EXPECT_LE(std::fabs(result - sum), 17.0 / 16 * 0x1p-7 * magnitudes + std::fabs(sum) * 0x1p-11) << i;
  }
}

TEST_P(Tiles, TransposeOperandsForAmd) {
  if (dtype() != DType::f16) GTEST_SKIP() << "It is for matrices.";
  plan_.vendor_id = vulkan::kAmd;
  gpu_ = make_device(plan_);
  expect_product(128, 48, 128);
  expect_product(129, 72, 136);
  expect_product(33, 64, 32, 3);
  expect_product(24, 4096, 40);
}

// Shapes of other devices.
TEST_P(Tiles, MatchForEveryShapeAndSubgroupSize) {
  if (dtype() != DType::f16) GTEST_SKIP() << "It is for matrices.";
  if (!plan_.matrices.emulates_fp16) GTEST_SKIP() << "The driver's matrices have shapes of their own.";
  struct Row {
    vulkan::CooperativeMatrixShape shape;
    uint32_t subgroup;
  };
  for (const Row& row : {Row{{8, 16, 16}, 16}, {{16, 16, 16}, 16}, {{16, 8, 32}, 64}}) {
    if (plan_.max_group_invocations < 4 * row.subgroup) continue;
    plan_.matrices.fp16 = row.shape;
    plan_.matrices.subgroup = row.subgroup;
    gpu_ = make_device(plan_);
    expect_product(129, 72, 136);
    expect_product(33, 64, 32, 3);
    expect_convolution(12, 16, 136, 3);
  }
}

TEST_P(Tiles, ComputeConvolutions) {
  expect_convolution(7, 64, 40, 3);
  expect_convolution(9, 3, 70, 5);
  expect_convolution(13, 6, 33, 3);
  expect_convolution(15, 128, 136, 1);
  expect_convolution(12, 16, 8, 3);
}

}  // namespace
}  // namespace nnrt::test
