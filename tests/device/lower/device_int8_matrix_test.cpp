// INT8 GEMMs and convolutions by cooperative matrices, emulated if the driver has none, agree bit for bit
// with the CPU and with the other INT8 kernels: at tile boundaries, with zero points of both operands per
// tensor and per channel, and with split-K.
#include "backends/cpu/engine/cpu_device.h"
#include "core/base/text.h"
#include "tests/device/device_fixture.h"
#include "tests/support/device_agreement.h"
#include "tests/support/random/random.h"

namespace nnrt::test {
namespace {

enum : int { kPad = 12, kStride = 11, kActivation = 15, kGroup = 16, kTransposeB = 34 };

struct Product {
  int64_t rows, inner, columns, batch = 1;
  bool is_fed = false;  // the second operand is an input and transposed; else a constant and not transposed
};

struct Convolution {
  int64_t side, in, out, kernel, groups = 1, stride = 1;
};

class Int8Matrices : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string dots = "+int8_dot,-int8_gemv_by_subgroups";
    const vulkan::DevicePlan with_dots = plan_with(dots);
    if (with_dots.int8_dot) dots_ = shared_device(dots, with_dots);
    const std::string matrices =
        cat("+khr_cooperative_matrix,+int8_matrix,+int8_matrix_emulated,-int8_dot,-dequantize,", GetParam());
    plan_ = plan_with(matrices);
    gpu_ = shared_device(matrices, plan_);
  }

  Bytes drawn(const Shape& shape, int range) {
    Bytes bytes(size_t(*element_count(shape)));
    for (std::byte& one : bytes) one = std::byte(int8_t(int(random_.below(uint32_t(range))) - range / 2));
    return bytes;
  }

  // With power-of-two scales only results are rounded; sums of few values are exact in float.
  Quant left_quant() const { return {{0.25}, {has_zeros_ ? 3 : 0}}; }
  Quant right_quant(int64_t channels) const {
    Quant quant;
    for (int64_t c = 0; c < channels; ++c) {
      quant.scales.push_back(c % 3 == 0 ? 0.5 : 0.125);
      quant.zero_points.push_back(has_zeros_ ? int32_t(c % 5) - 2 : 0);
    }
    return quant;
  }
  TensorId quantized(GraphMaker& make, TensorId id, const Quant& quant) {
    EXPECT_TRUE(make.builder().set_quant(id, quant).ok());
    return id;
  }
  TensorId biases(GraphMaker& make, int64_t channels) {
    std::vector<int32_t> values;
    for (int64_t c = 0; c < channels; ++c) values.push_back(int32_t(random_.below(2000)) - 1000);
    return make.ints(values);
  }

  void expect_product(const Product& sizes) {
    SCOPED_TRACE(cat(sizes.batch, "x", sizes.rows, "x", sizes.inner, "x", sizes.columns));
    const Shape left{sizes.batch, sizes.rows, sizes.inner}, result{sizes.batch, sizes.rows, sizes.columns};
    GraphMaker make;
    const TensorId a = quantized(make, make.input(left, DType::i8), left_quant());
    std::vector<Bytes> fed{drawn(left, range_)};
    std::vector<TensorId> parameters;
    const Quant quant{{0.5}, {has_zeros_ ? -2 : 0}};
    const Shape right =
        sizes.is_fed ? Shape{sizes.batch, sizes.columns, sizes.inner} : Shape{1, sizes.inner, sizes.columns};
    TensorId b = 0;
    if (sizes.is_fed) {
      b = quantized(make, make.input(right, DType::i8), quant);
      fed.push_back(drawn(right, range_));
      parameters.push_back(make.parameter<uint8_t>(kTransposeB, DType::boolean, {1}));
    } else {
      b = quantized(make, make.constant_bytes(right, DType::i8, drawn(right, range_)), quant);
    }
    const TensorId y = quantized(make, make.op(Op::matmul, {a, b}, result, parameters, DType::i8), result_);
    compare(make.finish({y}), fed);
  }

  void expect_full_connection(int64_t rows, int64_t inner, int64_t columns) {
    SCOPED_TRACE(cat(rows, "x", inner, "x", columns, " with biases"));
    GraphMaker make;
    const TensorId a = quantized(make, make.input({rows, inner}, DType::i8), left_quant());
    const Shape weights{columns, inner};
    const TensorId b = quantized(make, make.constant_bytes(weights, DType::i8, drawn(weights, range_)),
                                 right_quant(columns));
    const TensorId y =
        make.op(Op::full_connection, {a, b, biases(make, columns)}, {rows, columns}, {}, DType::i8);
    compare(make.finish({quantized(make, y, result_)}), {drawn({rows, inner}, range_)});
  }

  void expect_convolution(const Convolution& sizes) {
    SCOPED_TRACE(cat(sizes.side, ": ", sizes.in, " to ", sizes.out, " by ", sizes.kernel));
    const int64_t around = sizes.kernel / 2, side = (sizes.side - 1) / sizes.stride + 1;
    const Shape image{2, sizes.side, sizes.side, sizes.in}, result{2, side, side, sizes.out},
        weights{sizes.out, sizes.kernel, sizes.kernel, sizes.in / sizes.groups};
    GraphMaker make;
    const TensorId x = quantized(make, make.input(image, DType::i8, Format::nhwc), left_quant());
    const TensorId w = quantized(make, make.constant_bytes(weights, DType::i8, drawn(weights, range_)),
                                 right_quant(sizes.out));
    const std::vector<TensorId> parameters{
        make.parameter<int64_t>(kPad, DType::i64, {around, around, around, around}),
        make.parameter<int64_t>(kStride, DType::i64, {sizes.stride, sizes.stride}),
        make.parameter<int64_t>(kGroup, DType::i64, {sizes.groups}),
        make.parameter<int8_t>(kActivation, DType::i8, {1})};
    const TensorId y =
        make.op(Op::conv2d, {x, w, biases(make, sizes.out)}, result, parameters, DType::i8, Format::nhwc);
    compare(make.finish({quantized(make, y, result_)}), {drawn(image, range_)});
  }

  Bytes results(const std::shared_ptr<Device>& device, const GraphPtr& graph, const std::vector<Bytes>& fed) {
    const auto results = run_guarded(*device, graph, fed, random_, false);
    EXPECT_TRUE(results.ok()) << results.error().message;
    return results.ok() ? results.value()[0] : Bytes();
  }

  void compare(const GraphPtr& graph, const std::vector<Bytes>& fed) {
    const GraphPtr normal = normalize(graph);
    const Bytes got = results(gpu_, normal, fed);
    if (dots_ != nullptr) {
      EXPECT_EQ(got, results(dots_, normal, fed)) << "by dot products";
    }
    const auto fault = difference(DType::i8, got, results(cpu_, normal, fed), kExact, 1);
    EXPECT_FALSE(fault) << *fault;
  }

  Random random_{43};
  vulkan::DevicePlan plan_;
  const std::shared_ptr<Device> cpu_ = cpu::make_device();
  std::shared_ptr<Device> gpu_, dots_;
  const Quant result_{{64}, {-5}};
  bool has_zeros_ = true;
  int range_ = 256;
};

std::string name_of(const testing::TestParamInfo<const char*>& given) {
  std::string name = given.param;
  std::erase_if(name, [](char c) { return std::isalnum(uint8_t(c)) == 0; });
  return name;
}
INSTANTIATE_TEST_SUITE_P(Tiles, Int8Matrices,
                         testing::Values("+matrix_128x128,+unsplit_k", "+matrix_64x64,+unsplit_k",
                                         "+matrix_32x32,+unsplit_k", "+matrix_32x32,+split_k",
                                         "+matrix_128x128,+split_k"),
                         name_of);

TEST_P(Int8Matrices, HandlePartialTiles) {
  for (const bool is_fed : {false, true}) {
    for (const Product& sizes : std::initializer_list<Product>{{127, 16, 132},
                                                               {128, 48, 128},
                                                               {129, 144, 124},
                                                               {65, 272, 32},
                                                               {63, 128, 68},
                                                               {33, 64, 32, 3},
                                                               {16, 16, 4}}) {
      Product product = sizes;
      product.is_fed = is_fed;
      expect_product(product);
    }
  }
}

TEST_P(Int8Matrices, MultiplyLongOperands) {
  range_ = 31;
  expect_product({4099, 16, 16});
  expect_product({16, 16, 4100});
  expect_product({24, 4112, 8});
  expect_product({24, 4096, 40, 1, true});
}

TEST_P(Int8Matrices, MultiplyWithoutZeroPoints) {
  has_zeros_ = false;
  expect_product({70, 80, 36});
  expect_full_connection(70, 80, 36);
  expect_convolution({7, 16, 24, 3});
}

TEST_P(Int8Matrices, AddBiasesAndScaleEachChannel) {
  expect_full_connection(33, 32, 132);
  expect_full_connection(130, 1040, 68);
}

TEST_P(Int8Matrices, ComputeConvolutions) {
  expect_convolution({7, 64, 40, 3});
  expect_convolution({13, 16, 36, 5});
  expect_convolution({15, 128, 136, 1});
  expect_convolution({12, 32, 8, 3, 2, 2});
  expect_convolution({9, 16, 132, 1, 1, 2});
}

class Int8MatrixShapes : public Int8Matrices {};
INSTANTIATE_TEST_SUITE_P(Tiles, Int8MatrixShapes,
                         testing::Values("+matrix_128x128,+unsplit_k", "+matrix_64x64,+unsplit_k",
                                         "+matrix_32x32,+split_k"),
                         name_of);

// Shapes of other devices.
TEST_P(Int8MatrixShapes, MatchForEveryShapeAndSubgroupSize) {
  if (!plan_.matrices.emulates_int8) GTEST_SKIP() << "The driver's matrices have shapes of their own.";
  struct Row {
    vulkan::CooperativeMatrixShape shape;
    uint32_t subgroup;
  };
  for (const Row& row : {Row{{8, 16, 32}, 16}, {{16, 8, 64}, 64}, {{16, 16, 16}, 16}, {{8, 8, 128}, 32}}) {
    if (plan_.max_group_invocations < 4 * row.subgroup) continue;
    plan_.matrices.int8 = row.shape;
    plan_.matrices.subgroup = row.subgroup;
    gpu_ = make_device(plan_);
    expect_product({65, 144, 68, 2, true});
    expect_convolution({7, 32, 20, 3});
  }
}

}  // namespace
}  // namespace nnrt::test
