// Optional device features (backends/vulkan/device/device_features.h), on drivers that support or emulate
// them: results agree with the CPU, bit for bit for quantized GEMMs.
#include "backends/cpu/engine/cpu_device.h"
#include "backends/vulkan/device/device_features.h"
#include "core/base/fp16.h"
#include "core/base/text.h"
#include "tests/device/device_fixture.h"
#include "tests/support/device_agreement.h"
#include "tests/support/random/random.h"

#include <algorithm>

namespace nnrt::test {
namespace {

enum : int { kStride = 11, kPad = 12, kDilation = 13, kActivation = 15, kGroup = 16, kTransposeB = 34 };
enum : int { kTransposedStride = 17, kTransposedGroup = 23 };

// A graph of one FLOAT16 node, or one quantized INT8 node with power-of-two scales, so that only the result
// is rounded.
class OneNode {
 public:
  OneNode(DType dtype, uint32_t seed) : dtype_(dtype), random_(seed) {}

  OneNode& input(Shape shape, Quant quant = {{0.25}, {3}}) {
    inputs_.push_back(tensor(shape, quant, true));
    fed.push_back(data(count(shape)));
    return *this;
  }
  OneNode& constant(Shape shape, Quant quant = {{0.5}, {-2}}) {
    inputs_.push_back(tensor(shape, quant, false));
    EXPECT_TRUE(make_.builder().set_data(inputs_.back(), data(count(shape))).ok());
    return *this;
  }
  OneNode& bias(int64_t channels) {
    if (dtype_ == DType::f16) return constant({channels});
    std::vector<int32_t> values;
    for (int64_t i = 0; i < channels; ++i) values.push_back(int32_t(random_.below(2000)) - 1000);
    inputs_.push_back(make_.ints(values));
    return *this;
  }
  OneNode& integers(int type, const std::vector<int64_t>& values) {
    parameters_.push_back(make_.parameter<int64_t>(type, DType::i64, values));
    return *this;
  }
  OneNode& relu6() {
    parameters_.push_back(make_.parameter<int8_t>(kActivation, DType::i8, {2}));
    return *this;
  }
  OneNode& transposed() {
    parameters_.push_back(make_.parameter<uint8_t>(kTransposeB, DType::boolean, {1}));
    return *this;
  }

  GraphPtr finish(Op op, Shape shape, double scale = 4) {
    const bool has_images = op == Op::conv2d || op == Op::conv2d_transpose;
    const TensorId y = make_.op(op, inputs_, std::move(shape), parameters_, dtype_,
                                has_images ? Format::nhwc : Format::none);
    quantize(y, {{scale}, {-5}});
    return normalize(make_.finish({y}));
  }

  std::vector<Bytes> fed;

 private:
  static size_t count(const Shape& shape) { return size_t(*element_count(shape)); }

  TensorId tensor(Shape shape, const Quant& quant, bool is_fed) {
    const Format format = is_fed && shape.size() == 4 ? Format::nhwc : Format::none;
    const TensorId id = is_fed ? make_.input(shape, dtype_, format) : make_.tensor(shape, dtype_);
    quantize(id, quant);
    return id;
  }
  void quantize(TensorId id, const Quant& quant) {
    if (dtype_ != DType::i8) return;
    EXPECT_TRUE(make_.builder().set_quant(id, quant).ok());
  }

  Bytes data(size_t elements) {
    Bytes bytes(elements * size_of(dtype_));
    for (size_t i = 0; i < elements; ++i) {
      const int drawn = int(random_.below(256)) - 128;
      const auto code = int8_t(drawn);
      const Half half = to_half(float(drawn) / 64);
      std::memcpy(&bytes[i * size_of(dtype_)], dtype_ == DType::i8 ? static_cast<const void*>(&code) : &half,
                  size_of(dtype_));
    }
    return bytes;
  }

  const DType dtype_;
  Random random_;
  GraphMaker make_;
  std::vector<TensorId> inputs_, parameters_;
};

Quant by_channel(int64_t channels) {
  Quant quant;
  for (int64_t c = 0; c < channels; ++c) {
    quant.scales.push_back(c % 3 == 0 ? 0.5 : 0.125);
    quant.zero_points.push_back(int32_t(c % 5) - 2);
  }
  return quant;
}

struct Drawn {
  std::string name;
  GraphPtr graph;
  std::vector<Bytes> fed;
};

Drawn drawn(std::string name, OneNode& node, Op op, Shape shape) {
  return {std::move(name), node.finish(op, std::move(shape), 64), node.fed};
}

Drawn full_connection(DType dtype) {
  OneNode node(dtype, 1);
  node.input({70, 40}).constant({72, 40}, by_channel(72)).bias(72);
  return drawn("a full connection", node, Op::full_connection, {70, 72});
}

Drawn large_gemm(DType dtype) {
  OneNode node(dtype, 2);
  node.input({200, 104}).constant({136, 104}).transposed();
  return drawn("a product of several tiles", node, Op::matmul, {200, 136});
}

Drawn constant_by_columns(DType dtype) {
  OneNode node(dtype, 3);
  node.input({33, 24}).constant({24, 80});
  return drawn("a product of a constant", node, Op::matmul, {33, 80});
}

Drawn batches(DType dtype) {
  OneNode node(dtype, 4);
  node.input({3, 33, 40}).input({3, 16, 40}).transposed();
  return drawn("products in batches", node, Op::matmul, {3, 33, 16});
}

Drawn one_for_all(DType dtype) {
  OneNode node(dtype, 5);
  node.input({4, 17, 16}).input({1, 24, 16}).transposed();
  return drawn("batches of one operand", node, Op::matmul, {4, 17, 24});
}

Drawn convolution(DType dtype) {
  OneNode node(dtype, 6);
  node.input({2, 11, 9, 16}).constant({24, 3, 3, 16}, by_channel(24)).bias(24);
  node.integers(kStride, {2, 1}).integers(kPad, {1, 2, 0, 1}).integers(kDilation, {2, 1}).relu6();
  return drawn("a convolution", node, Op::conv2d, {2, 5, 8, 24});
}

Drawn grouped_convolution(DType dtype) {
  OneNode node(dtype, 7);
  node.input({1, 20, 15, 32}).constant({144, 3, 3, 16}).bias(144);
  node.integers(kPad, {1, 1, 1, 1}).integers(kGroup, {2});
  return drawn("a convolution in groups", node, Op::conv2d, {1, 20, 15, 144});
}

Drawn pointwise_convolution(DType dtype) {
  OneNode node(dtype, 8);
  node.input({1, 9, 9, 40}).constant({16, 1, 1, 40}).bias(16);
  return drawn("a convolution that is a product", node, Op::conv2d, {1, 9, 9, 16});
}

// Channels that fill words, but not 16-byte vectors.
Drawn narrow_convolution(DType dtype) {
  OneNode node(dtype, 11);
  node.input({1, 9, 10, 20}).constant({68, 5, 3, 20}, by_channel(68)).bias(68);
  node.integers(kPad, {2, 2, 1, 1});
  return drawn("a convolution of few channels", node, Op::conv2d, {1, 9, 10, 68});
}

Drawn transposed_convolution(DType dtype) {
  OneNode node(dtype, 9);
  node.input({1, 7, 6, 8}).constant({16, 3, 3, 8}).bias(16);
  node.integers(kTransposedStride, {2, 2});
  return drawn("a transposed convolution", node, Op::conv2d_transpose, {1, 15, 13, 16});
}

Drawn fed_by_columns(DType dtype) {
  OneNode node(dtype, 10);
  node.input({2, 40, 48}).input({2, 48, 72});
  return drawn("products of fed operands", node, Op::matmul, {2, 40, 72});
}

void expect_the_cpus_results(const std::shared_ptr<Device>& device, const Drawn& one,
                             const Tolerance& tolerance) {
  SCOPED_TRACE(one.name);
  const DType dtype = one.graph->tensors[one.graph->outputs[0]].dtype;
  const auto cpu = cpu::make_device();
  ASSERT_FALSE(first_refusal(*device, *one.graph));
  Random random(11);
  const auto want = run_guarded(*cpu, one.graph, one.fed, random, false);
  const auto got = run_guarded(*device, one.graph, one.fed, random, false);
  ASSERT_TRUE(want.ok() && got.ok()) << (want.ok() ? got.error().message : want.error().message);
  const double scale = is_float(dtype) ? largest_magnitude(dtype, want.value()[0]) : 1;
  const auto wrong = difference(dtype, got.value()[0], want.value()[0], tolerance, scale);
  EXPECT_FALSE(wrong) << *wrong;
}

// Only these features, and no texel views.
vulkan::DevicePlan plan_of_only(std::initializer_list<std::string_view> features) {
  KernelSwitch kernels;
  for (const vulkan::DeviceFeature& one : vulkan::device_features()) kernels.forbid(one.name);
  kernels.forbid("texel_buffer");
  kernels.forbid("subgroup_tile");
  for (const std::string_view feature : features) kernels.force(feature);
  vulkan::DevicePlan plan = vulkan::plan(vulkan::take_snapshot(first_physical_device()), kernels).value();
  plan.shaders = vulkan::Shaders::optimized;
  return plan;
}

std::shared_ptr<Device> device_with(std::initializer_list<std::string_view> features) {
  return make_device(plan_of_only(features));
}

std::optional<std::string> missing(std::string_view name) {
  const vulkan::Snapshot snapshot = vulkan::take_snapshot(first_physical_device());
  return std::ranges::find(vulkan::device_features(), name, &vulkan::DeviceFeature::name)->cannot(snapshot);
}

TEST(DeviceFeature, PackedInt8DotsAreExact) {
  if (const auto reason = missing("int8_dot")) GTEST_SKIP() << *reason;
  for (const std::string_view kernel : {"int8_dot", "int8_dot_small", "int8_dot_registers"}) {
    SCOPED_TRACE(kernel);
    const auto device = device_with({"int8_dot", kernel});
    for (const auto make : {full_connection, large_gemm, constant_by_columns, batches, one_for_all,
                            convolution, narrow_convolution, grouped_convolution, pointwise_convolution}) {
      expect_the_cpus_results(device, make(DType::i8), kExact);
    }
  }
}

TEST(DeviceFeature, FloatKernelsAccessNativeFp16) {
  if (const auto reason = missing("fp16_storage")) GTEST_SKIP() << *reason;
  const auto device = device_with({"fp16_storage"});
  for (const auto make : {full_connection, batches, transposed_convolution}) {
    expect_the_cpus_results(device, make(DType::f16), tolerance_of(DType::f16));
  }
}

TEST(DeviceFeature, CooperativeMatricesGiveTheResultsOfGemm) {
  if (const auto reason = missing("cooperative_matrix_emulated")) GTEST_SKIP() << *reason;
  const auto device =
      device_with({missing("cooperative_matrix") ? "khr_cooperative_matrix" : "cooperative_matrix",
                   "cooperative_matrix_emulated", "fp16_storage"});
  for (const auto make :
       {full_connection, large_gemm, constant_by_columns, batches, one_for_all, convolution,
        grouped_convolution, pointwise_convolution, transposed_convolution, fed_by_columns}) {
    expect_the_cpus_results(device, make(DType::f16), tolerance_of(DType::f16));
  }
}

// Shapes of devices with VK_KHR_cooperative_matrix.
TEST(DeviceFeature, CooperativeMatricesMatchForEveryShape) {
  if (const auto reason = missing("cooperative_matrix_emulated")) GTEST_SKIP() << *reason;
  struct Row {
    vulkan::CooperativeMatrixShape shape;
    uint32_t subgroup;
  };
  for (const Row& row : {Row{{8, 16, 16}, 16}, {{16, 8, 32}, 64}, {{16, 16, 16}, 16}}) {
    vulkan::DevicePlan plan = plan_of_only({"cooperative_matrix_emulated", "fp16_storage"});
    if (plan.max_group_invocations < 4 * row.subgroup) continue;
    plan.matrices.fp16 = row.shape;
    plan.matrices.subgroup = row.subgroup;
    const auto device = make_device(plan);
    for (const auto make : {large_gemm, convolution, fed_by_columns})
      expect_the_cpus_results(device, make(DType::f16), tolerance_of(DType::f16));
  }
}

}  // namespace
}  // namespace nnrt::test
