#include "backends/cpu/engine/steps/rounding_steps.h"

#include "backends/cpu/engine/cpu_device.h"
#include "backends/cpu/simd/isa.h"
#include "core/device/device.h"
#include "tests/support/graph_maker.h"
#include "tests/support/tensor_views.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace nnrt::cpu {
namespace {

using test::GraphMaker;

std::vector<float> values() {
  std::vector<float> x;
  for (int i = -2000; i <= 2000; ++i) x.push_back(float(i) / 8);
  for (const float big : {4194303.5f, 4194304.5f, 8388607.5f, 8388608.0f, 16777217.0f, 1e30f})
    for (const float sign : {-1.0f, 1.0f}) x.push_back(sign * big);
  for (const float odd : {0.49999997f, 1e-40f, -0.0f, std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    x.push_back(odd);
  return x;
}

bool are_same(const std::vector<float>& a, const std::vector<float>& b) {
  bool same = a.size() == b.size();
  for (size_t i = 0; same && i < a.size(); ++i)
    same = (std::isnan(a[i]) && std::isnan(b[i])) || std::memcmp(&a[i], &b[i], sizeof a[i]) == 0;
  return same;
}

TEST(RoundHalfEven, RoundsAsCmathAtEveryWidth) {
  const std::vector<float> x = values();
  std::vector<float> want;
  for (const float value : x) want.push_back(std::nearbyint(value));
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::amx}) {
    const IsaLimit limit(isa);
    std::vector<float> got(x.size());
    round_half_even(x.data(), got.data(), int64_t(x.size()));
    EXPECT_TRUE(are_same(got, want));
  }
}

TEST(QuantizeHalfEven, QuantizesAsCmathAtEveryWidth) {
  const std::vector<float> x = values();
  constexpr float kDivisor = 0.75f, kAddend = 100;
  std::vector<uint8_t> want;
  for (const float value : x) {
    const float code = std::nearbyint(value / kDivisor) + kAddend;
    want.push_back(std::isnan(code) ? uint8_t(0) : uint8_t(std::clamp(code, 0.0f, 255.0f)));
  }
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::amx}) {
    const IsaLimit limit(isa);
    std::vector<uint8_t> got(x.size());
    quantize_half_even(x.data(), kDivisor, kAddend, got.data(), int64_t(x.size()));
    EXPECT_EQ(got, want);
  }
}

class RoundingSteps : public testing::Test {
 protected:
  void TearDown() override { unsetenv("NNRT_TEST_FUSE"); }

  TensorId op(Op op, const std::vector<TensorId>& inputs, DType dtype = DType::f32) {
    return make_.op(op, inputs, shape_, {}, dtype);
  }
  TensorId cast(TensorId x, DType to) { return op(Op::cast, {x, make_.ints({int32_t(to)})}, to); }
  TensorId half(float value = 0.5f) { return make_.floats({1}, {value}); }

  // As the ONNX importer writes it.
  TensorId rounded(TensorId x, float tie = 0.5f) {
    const TensorId below = op(Op::floor, {x}), rest = op(Op::sub, {x, below});
    const TensorId halved = op(Op::mul, {below, half()});
    const TensorId is_odd = op(Op::not_equal, {halved, op(Op::floor, {halved})}, DType::boolean);
    const TensorId is_tie = op(Op::equal, {rest, half(tie)}, DType::boolean);
    const TensorId tie_up = op(Op::logical_and, {is_tie, is_odd}, DType::boolean);
    const TensorId more = op(Op::greater, {rest, half()}, DType::boolean);
    const TensorId up = op(Op::logical_or, {more, tie_up}, DType::boolean);
    below_ = below;
    return op(Op::where, {up, op(Op::ceil, {x}), below});
  }

  // Runs with and without rounding steps, and returns how many there are.
  int steps_of(const std::vector<TensorId>& outputs) {
    const GraphPtr graph = make_.finish(outputs);
    const Results with = run(graph);
    EXPECT_EQ(setenv("NNRT_TEST_FUSE", "off", 1), 0);
    const Results without = run(graph);
    for (size_t i = 0; i < outputs.size(); ++i) EXPECT_TRUE(are_same(with.outputs[i], without.outputs[i]));
    EXPECT_EQ(without.steps, 0);
    return with.steps;
  }

  std::vector<float> x_ = values();
  Shape shape_{int64_t(x_.size())};
  GraphMaker make_;
  TensorId input_ = make_.input(shape_, DType::f32), below_ = 0;
  std::string_view kernel_ = "rounding";  // the steps that are counted

 private:
  struct Results {
    std::vector<std::vector<float>> outputs;
    int steps = 0;
  };
  Results run(const GraphPtr& graph) {
    const std::vector<TensorView> inputs{test::view_of<float>(shape_, x_)};
    const auto model = make_device()->prepare(graph, {}).value();
    std::vector<OutputSlot> outputs(graph->outputs.size());
    for (OutputSlot& slot : outputs) slot = {test::empty_view(x_.size() * sizeof(float)), false};
    EXPECT_TRUE(model->run(inputs, outputs, {}).ok());
    Results results;
    for (const OutputSlot& slot : outputs) results.outputs.push_back(test::values_of<float>(slot.view));
    for (const auto& operation : model->kernels(graph).operations)
      results.steps += operation.kernels[0].name == kernel_ ? 1 : 0;
    return results;
  }
};

TEST_F(RoundingSteps, ElevenOperationsAreOne) {
  const TensorId scaled = op(Op::mul, {input_, half(0.75f)});
  EXPECT_EQ(steps_of({op(Op::add, {rounded(scaled), half(3)})}), 1);
}

TEST_F(RoundingSteps, ComputeTensorsReadElsewhere) {
  const TensorId y = rounded(input_);
  EXPECT_EQ(steps_of({y, op(Op::neg, {below_})}), 0);
}

TEST_F(RoundingSteps, OutputsAreComputed) {
  const TensorId y = rounded(input_);
  EXPECT_EQ(steps_of({y, below_}), 0);
}

TEST_F(RoundingSteps, OtherConstantsAreNotRounding) { EXPECT_EQ(steps_of({rounded(input_, 0.25f)}), 0); }

// As the ONNX importer writes DynamicQuantizeLinear; back as floats.
TEST_F(RoundingSteps, QuantizationIsOneStep) {
  constexpr int kClipMax = 103, kClipMin = 104;
  kernel_ = "quantization";
  const TensorId x = op(Op::mul, {input_, half(1.25f)});
  TensorId busy = op(Op::neg, {x});
  const TensorId code = op(Op::add, {rounded(op(Op::div, {x, half(0.75f)})), half(100)});
  const std::vector bounds{make_.parameter<float>(kClipMin, DType::f32, {0}),
                           make_.parameter<float>(kClipMax, DType::f32, {255})};
  const TensorId clipped = make_.op(Op::clip, {code}, shape_, bounds);
  // The memory of x must not be reused before the step reads it.
  for (int i = 0; i < 3; ++i) busy = op(Op::add, {busy, input_});
  const TensorId floats = cast(cast(clipped, DType::u8), DType::f32);
  EXPECT_EQ(steps_of({op(Op::mul, {floats, busy})}), 1);
}

// The step reads x after its last direct reader: the memory of x must not be reused before.
TEST_F(RoundingSteps, TheSourceLivesUntilItIsRounded) {
  const TensorId x = op(Op::mul, {input_, half(1.25f)});
  const TensorId y = rounded(x);
  TensorId busy = op(Op::neg, {input_});
  for (int i = 0; i < 3; ++i) busy = op(Op::add, {busy, input_});
  EXPECT_EQ(steps_of({op(Op::mul, {y, busy})}), 1);
}

}  // namespace
}  // namespace nnrt::cpu
