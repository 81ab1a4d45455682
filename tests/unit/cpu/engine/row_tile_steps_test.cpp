#include "backends/cpu/engine/cpu_device.h"
#include "backends/cpu/simd/isa.h"
#include "core/passes/normalize.h"
#include "tests/support/graph_maker.h"
#include "tests/support/kernels_variable.h"
#include "tests/support/page_aligned_bytes.h"
#include "tests/support/random/random.h"
#include "tests/support/tensor_views.h"
#include "tests/support/trace_file.h"

#include <cstring>

namespace nnrt::cpu {
namespace {

using test::GraphMaker;
using test::Random;

struct Kernel2D {
  int64_t size = 3, stride = 1, dilation = 1;
  std::vector<int64_t> pad{1, 1, 1, 1};  // top, bottom, left, right
};

std::vector<float> values(const Shape& shape, int64_t seed) {
  std::vector<float> result(size_t(*element_count(shape)));
  for (size_t i = 0; i < result.size(); ++i) result[i] = float(int((i * 37 + seed * 11) % 101) - 50) / 97;
  return result;
}

// Convolutions in sequence.
class RowTileSteps : public testing::Test {
 protected:
  void start(const Shape& shape) {
    in_ = shape;
    top_ = make_.input(shape, DType::f32, Format::nhwc);
    shape_ = shape;
  }
  void pointwise(int64_t channels) {
    const Shape weights{channels, 1, 1, shape_[3]};
    add(Op::conv2d, {constant(weights), constant({channels})}, {shape_[0], shape_[1], shape_[2], channels});
  }
  void depthwise(const Kernel2D& kernel = {}) {
    const Shape weights{shape_[3], kernel.size, kernel.size, 1};
    const auto out = [&](size_t axis) {
      const int64_t reach = (kernel.size - 1) * kernel.dilation + 1;
      return (shape_[axis] + kernel.pad[2 * axis - 2] + kernel.pad[2 * axis - 1] - reach) / kernel.stride + 1;
    };
    constexpr int kStrides = 24, kPad = 25, kDilation = 26;
    add(Op::depthwise_conv2d_native, {constant(weights), constant({shape_[3]})},
        {shape_[0], out(1), out(2), shape_[3]},
        {make_.parameter<int64_t>(kStrides, DType::i64, {kernel.stride, kernel.stride}),
         make_.parameter<int64_t>(kPad, DType::i64, kernel.pad),
         make_.parameter<int64_t>(kDilation, DType::i64, {kernel.dilation, kernel.dilation})});
  }
  void unary(Op op) { add(op, {}, shape_); }
  void add_tensor(TensorId other) { add(Op::add, {other}, shape_); }

  // Runs with and without tiles at every vector width, also from a cache; results must have the same bits.
  // Returns the number of row-tiled steps.
  int steps(const std::vector<TensorId>& others = {}, const char* kernels = "+row_tiles") {
    std::vector<TensorId> outputs{top_};
    outputs.insert(outputs.end(), others.begin(), others.end());
    const GraphPtr graph = normalize(make_.finish(outputs));
    int found = 0;
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
      const IsaLimit limit(isa);
      const Results want = run(graph, "-row_tiles"), got = run(graph, kernels);
      EXPECT_EQ(want.steps, 0);
      EXPECT_EQ(got.work, want.work);
      for (size_t i = 0; i < outputs.size(); ++i) expect_same(got.outputs[i], want.outputs[i]);
      found = got.steps;
    }
    return found;
  }

  GraphMaker make_;
  Shape shape_, in_;
  TensorId top_ = 0;

 private:
  struct Results {
    std::vector<std::vector<float>> outputs;
    int steps = 0;
    test::TracedWork work;
  };

  static void expect_same(const std::vector<float>& got, const std::vector<float>& want) {
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(std::memcmp(&got[i], &want[i], sizeof(float)), 0) << i << ": " << got[i] << ", " << want[i];
  }

  TensorId constant(const Shape& shape) { return make_.floats(shape, values(shape, ++seed_)); }
  void add(Op op, std::vector<TensorId> inputs, const Shape& shape,
           const std::vector<TensorId>& parameters = {}) {
    inputs.insert(inputs.begin(), top_);
    top_ = make_.op(op, inputs, shape, parameters, DType::f32, Format::nhwc);
    shape_ = shape;
  }

  Results run(const GraphPtr& graph, const char* kernels) {
    const test::KernelsVariable variable(kernels);
    const std::vector<TensorView> inputs{test::view_of<float>(in_, values(in_, 5))};
    const auto device = make_device();
    const auto model = device->prepare(graph, {}).value();
    const auto restored =
        device->restore(graph, {}, test::in_pages(model->export_cache(graph).value())).value();
    Results results;
    for (PreparedModel* const prepared : {model.get(), model.get(), restored.get()}) {
      std::vector<OutputSlot> outputs(graph->outputs.size(), {{}, true});
      results.work = test::traced_work([&] { EXPECT_TRUE(prepared->run(inputs, outputs, {}).ok()); });
      std::vector<std::vector<float>> values;
      for (const OutputSlot& slot : outputs) values.push_back(test::values_of<float>(slot.view));
      if (!results.outputs.empty()) {
        EXPECT_EQ(values, results.outputs);
      }
      results.outputs = std::move(values);
    }
    for (const auto& operation : model->kernels(graph).operations)
      for (const auto& kernel : operation.kernels) results.steps += kernel.name == "row_tiles" ? 1 : 0;
    return results;
  }

  int64_t seed_ = 0;
};

TEST_F(RowTileSteps, AnInvertedResidualIsOneStep) {
  start({2, 19, 13, 24});
  pointwise(40);
  const TensorId residual = top_;
  pointwise(88);
  unary(Op::relu6);
  depthwise();
  unary(Op::swish);
  pointwise(40);
  add_tensor(residual);
  unary(Op::relu);
  EXPECT_EQ(steps(), 1);
}

TEST_F(RowTileSteps, MayEndInFewChannels) {
  start({1, 19, 13, 16});
  pointwise(48);
  depthwise();
  pointwise(8);
  EXPECT_EQ(steps(), 1);
}

// 128 channels x 48 pixels: eleven lines fill a tile.
TEST_F(RowTileSteps, KeepLinesOfThePreviousTile) {
  start({3, 61, 48, 16});
  pointwise(128);
  unary(Op::swish);
  depthwise();
  pointwise(24);
  EXPECT_EQ(steps(), 1);
}

TEST_F(RowTileSteps, StridesSkipLines) {
  start({2, 61, 48, 16});
  pointwise(128);
  depthwise({5, 2, 1, {2, 1, 1, 2}});
  unary(Op::relu);
  pointwise(19);
  EXPECT_EQ(steps(), 1);
}

TEST_F(RowTileSteps, StridesMayExceedTheKernel) {
  start({1, 50, 40, 16});
  pointwise(160);
  depthwise({1, 3, 1, {0, 0, 0, 0}});
  EXPECT_EQ(steps(), 1);
}

TEST_F(RowTileSteps, LeaveDilatedKernelsApart) {
  start({1, 40, 48, 16});
  pointwise(128);
  depthwise({3, 1, 9, {9, 9, 9, 9}});
  pointwise(16);
  EXPECT_EQ(steps(), 0);
}

TEST_F(RowTileSteps, PaddingMayBeTallerThanTheImage) {
  start({2, 3, 20, 16});
  pointwise(32);
  depthwise({3, 1, 1, {5, 5, 1, 1}});
  pointwise(16);
  EXPECT_EQ(steps(), 1);
}

TEST_F(RowTileSteps, PointwiseConvolutionsAreOptional) {
  start({2, 40, 48, 160});
  depthwise();
  pointwise(24);
  unary(Op::relu6);
  pointwise(64);
  depthwise();
  unary(Op::hswish);
  EXPECT_EQ(steps(), 2);
}

TEST_F(RowTileSteps, StoreTensorsReadElsewhere) {
  start({1, 9, 9, 16});
  pointwise(32);
  const TensorId expanded = top_;
  depthwise();
  EXPECT_EQ(steps({expanded}), 0);
}

TEST_F(RowTileSteps, FewChannelsStayApart) {
  start({1, 9, 9, 16});
  pointwise(15);
  depthwise();
  EXPECT_EQ(steps(), 0);
}

// By default, only tensors larger than a core's cache are left out of memory.
TEST_F(RowTileSteps, SmallTensorsStayApart) {
  start({1, 64, 64, 16});
  pointwise(64);
  depthwise();
  pointwise(16);
  EXPECT_EQ(steps({}, ""), 0);
}

TEST_F(RowTileSteps, TileLargeTensors) {
  start({1, 64, 65, 16});
  pointwise(64);
  depthwise();
  pointwise(16);
  EXPECT_EQ(steps({}, ""), 1);
}

// The second block reads lines of the tensor that it also adds: its output must not take their memory.
TEST_F(RowTileSteps, ResidualsAreNotOverwritten) {
  start({1, 61, 48, 16});
  pointwise(24);
  for (int block = 0; block < 2; ++block) {
    const TensorId residual = top_;
    pointwise(128);
    depthwise();
    pointwise(24);
    add_tensor(residual);
  }
  EXPECT_EQ(steps(), 2);
}

TEST_F(RowTileSteps, RandomBlocksHaveTheSameBits) {
  int found = 0;
  for (uint32_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    make_ = {};
    start({random.between(1, 2), random.between(1, 40), random.between(1, 40), random.between(1, 40)});
    for (int64_t left = random.between(3, 9); left > 0; --left) {
      const TensorId before = top_;
      const Shape shape = shape_;
      switch (random.between(0, 3)) {
        case 0: unary(random.between(0, 1) == 0 ? Op::relu6 : Op::swish); break;
        case 1:
          depthwise(
              {random.between(1, 5),
               random.between(1, 2),
               random.between(1, 2),
               {random.between(4, 6), random.between(4, 6), random.between(4, 6), random.between(4, 6)}});
          break;
        default:
          pointwise(random.between(1, 80));
          if (shape_ == shape) add_tensor(before);
      }
    }
    found += steps();
  }
  EXPECT_GT(found, 4);
}

TEST_F(RowTileSteps, DoNotOverwriteTheInput) {
  start({1, 61, 48, 24});
  pointwise(128);
  depthwise();
  pointwise(24);
  const GraphPtr graph = normalize(make_.finish({top_}));
  for (const bool in_row_tiles : {true, false}) {
    const test::KernelsVariable variable(in_row_tiles ? "+row_tiles" : "-row_tiles");
    EXPECT_EQ(make_device()->prepare(graph, {}).value()->may_share(0, 0), !in_row_tiles);
  }
}

}  // namespace
}  // namespace nnrt::cpu
