// Post-ops of each kind of kernel, checked element by element against the CPU, because drivers that unroll
// loops have computed the copies differently.
#include "backends/cpu/engine/cpu_device.h"
#include "core/base/text.h"
#include "tests/device/device_fixture.h"
#include "tests/support/random/random.h"

#include <cmath>

namespace nnrt::test {
namespace {

constexpr int64_t kHeight = 9, kWidth = 11;

// A convolution's geometry.
struct Spatial {
  int64_t kernel = 3, stride = 1, dilation = 1;

  int64_t out(int64_t in) const { return (in - 1) / stride + 1; }
};

// A post-op after one operator of each kind, or of some kinds. Sums are within a few units of 0.
class Network {
 public:
  enum class Kinds { all, some };

  Network(Op function, Kinds kinds) : function_(function) {
    const TensorId x = input({1, kHeight, kWidth, 8}, Format::nhwc);
    if (kinds == Kinds::all) {
      add_all(x);
    } else {
      for (const int64_t stride : {1, 2}) depthwise(x, 8, {3, stride});
      convolution(x, 8, 12, {3, 1});
      connected(7);
    }
    graph_ = normalize(make_.finish(outputs_));
  }

  const GraphPtr& graph() const { return graph_; }

  std::vector<std::vector<float>> run(Device& device) const {
    const auto model = device.prepare(graph_, {});
    EXPECT_TRUE(model.ok()) << (model.ok() ? "" : model.error().message);
    std::vector<std::vector<float>> results;
    if (!model.ok()) return results;
    std::vector<OutputSlot> outputs(graph_->outputs.size(), OutputSlot{{}, true});
    const Status status = model.value()->run(inputs_, outputs, {});
    EXPECT_TRUE(status.ok()) << status.error().message;
    for (const OutputSlot& output : outputs) results.push_back(values_of<float>(output.view));
    return results;
  }

  const std::string& label(size_t output) const { return labels_[output]; }

 private:
  void add_all(TensorId x) {
    const TensorId odd = input({1, kHeight, kWidth, 5}, Format::nhwc);
    for (const int64_t stride : {1, 2}) {
      for (const int64_t kernel : {3, 5, 7}) depthwise(x, 8, {kernel, stride});
      depthwise(odd, 5, {3, stride});
      convolution(x, 8, 12, {3, stride});
      convolution(odd, 5, 6, {3, stride});
    }
    depthwise(x, 8, {3, 1, 2});
    convolution(x, 8, 16, {1});
    for (const int64_t rows : {1, 7, 40}) connected(rows);
    follow(make_.op(Op::matmul, {input({3, 5, 12}), input({3, 12, 8})}, {3, 5, 8}), {3, 5, 8});
    follow(make_.op(Op::avg_pool, {x}, {1, 8, 10, 8}, {make_.parameter<int64_t>(2, DType::i64, {2, 2})},
                    DType::f32, Format::nhwc),
           {1, 8, 10, 8});
    const TensorId row = input({4, 24});
    follow(make_.op(Op::add, {row, floats({24}, 1)}, {4, 24}), {4, 24});
  }

  std::vector<float> drawn(const Shape& shape, double magnitude) {
    std::vector<float> values(size_t(*element_count(shape)));
    for (float& value : values) value = float((int(random_.below(2001)) - 1000) / 1000.0 * magnitude);
    return values;
  }
  TensorId input(const Shape& shape, Format format = Format::none) {
    inputs_.push_back(view_of<float>(shape, drawn(shape, 1)));
    return make_.input(shape, DType::f32, format);
  }
  TensorId floats(const Shape& shape, double magnitude) {
    return make_.floats(shape, drawn(shape, magnitude));
  }

  void follow(TensorId sums, const Shape& shape, Format format = Format::none, std::string label = "") {
    labels_.push_back(label.empty() ? cat("operator ", outputs_.size()) : label);
    outputs_.push_back(make_.op(function_, {sums}, shape, {}, DType::f32, format));
  }
  // `first`: the number of the strides parameter.
  void windowed(Op op, int first, TensorId x, const Shape& weights, const Spatial& spatial,
                int64_t products) {
    const int64_t pad = spatial.kernel / 2 * spatial.dilation;
    const std::vector<TensorId> parameters{
        make_.parameter<int64_t>(first, DType::i64, {spatial.stride, spatial.stride}),
        make_.parameter<int64_t>(first + 1, DType::i64, {pad, pad, pad, pad}),
        make_.parameter<int64_t>(first + 2, DType::i64, {spatial.dilation, spatial.dilation})};
    const Shape out{1, spatial.out(kHeight), spatial.out(kWidth), weights[0]};
    const TensorId sums =
        make_.op(op, {x, floats(weights, 6 / std::sqrt(double(products))), floats({weights[0]}, 1)}, out,
                 parameters, DType::f32, Format::nhwc);
    follow(sums, out, Format::nhwc,
           cat(name(op), ' ', spatial.kernel, " stride ", spatial.stride, " channels ", weights[0]));
  }
  void depthwise(TensorId x, int64_t channels, const Spatial& spatial) {
    windowed(Op::depthwise_conv2d_native, 24, x, {channels, spatial.kernel, spatial.kernel, 1}, spatial,
             spatial.kernel * spatial.kernel);
  }
  void convolution(TensorId x, int64_t in, int64_t out, const Spatial& spatial) {
    windowed(Op::conv2d, 11, x, {out, spatial.kernel, spatial.kernel, in}, spatial,
             spatial.kernel * spatial.kernel * in);
  }
  void connected(int64_t rows) {
    const TensorId sums = make_.op(Op::full_connection,
                                   {input({rows, 24}), floats({20, 24}, 1.5), floats({20}, 1)}, {rows, 20});
    follow(sums, {rows, 20}, Format::none, cat("FULL_CONNECTION of ", rows));
  }

  Op function_;
  Random random_{7};
  GraphMaker make_;
  std::vector<TensorView> inputs_;
  std::vector<TensorId> outputs_;
  std::vector<std::string> labels_;
  GraphPtr graph_;
};

void expect_agreement(Device& device, Op function, Network::Kinds kinds) {
  SCOPED_TRACE(name(function));
  const Network network(function, kinds);
  const auto got = network.run(device), want = network.run(*cpu::make_device());
  ASSERT_EQ(got.size(), want.size());
  for (size_t output = 0; output < got.size(); ++output) {
    ASSERT_EQ(got[output].size(), want[output].size());
    for (size_t i = 0; i < got[output].size(); ++i) {
      const float a = got[output][i], b = want[output][i];
      ASSERT_NEAR(a, b, 2e-5 * std::max(1.0f, std::abs(b))) << network.label(output) << ", element " << i;
    }
  }
}

TEST(PostOps, BehindEachKernelAreThoseOfTheCpu) {
  const auto device = shared_device("");
  expect_agreement(*device, Op::sigmoid, Network::Kinds::all);
  for (const Op function : {Op::tanh, Op::exp, Op::erf, Op::swish, Op::gelu, Op::hswish, Op::sin})
    expect_agreement(*device, function, Network::Kinds::some);
}

TEST(PostOps, MatchTheCpuAfterForcedKernels) {
  for (const char* kernels :
       {"+texel_buffer,+gemm,-subgroup_tile", "+shared_memory_tile,+gemm,+depthwise,-texel_buffer",
        "-subgroup_tile,-texel_buffer,-shared_memory_tile,+gemv_by_group,+gemv_by_subgroups", "+winograd4",
        "+winograd2"}) {
    SCOPED_TRACE(kernels);
    expect_agreement(*shared_device(kernels), Op::sigmoid, Network::Kinds::some);
  }
  vulkan::DevicePlan gpu = first_plan();
  gpu.is_software = false;
  expect_agreement(*make_device(gpu), Op::gelu, Network::Kinds::some);
  vulkan::DevicePlan fast_compile = first_plan();
  fast_compile.shaders = vulkan::Shaders::fast_compile;
  expect_agreement(*make_device(fast_compile), Op::tanh, Network::Kinds::some);
}

}  // namespace
}  // namespace nnrt::test
