// Recurrent layers computed in one dispatch agree with the CPU device, at the boundaries of vectors,
// workgroups and product shares, in both directions.
#include "backends/cpu/engine/cpu_device.h"
#include "core/base/text.h"
#include "tests/device/device_fixture.h"
#include "tests/support/device_agreement.h"
#include "tests/support/random/random.h"

#include <algorithm>

namespace nnrt::test {
namespace {

struct Layer {
  int64_t steps, batch, inputs, hidden, directions = 1, layers = 1;
};

constexpr Layer kLayers[] = {{1, 1, 3, 1},   {5, 2, 4, 3},    {3, 3, 5, 4},        {4, 1, 7, 31},
                             {3, 2, 8, 33},  {2, 1, 16, 64},  {3, 1, 9, 130},      {2, 1, 8, 256},
                             {2, 1, 4, 260}, {2, 1, 4, 1030}, {4, 2, 6, 20, 2, 1}, {3, 2, 5, 37, 2, 1}};

class RecurrentSequence : public testing::Test {
 protected:
  TensorId feed(const Shape& shape, float reach = 1) {
    Bytes bytes(size_t(*element_count(shape)) * sizeof(float));
    for (size_t i = 0; i < bytes.size(); i += sizeof(float)) {
      const float real = float(int(random_.below(2001)) - 1000) / 1000.0F * reach;
      std::memcpy(bytes.data() + i, &real, sizeof real);
    }
    if (constants_) return make_->constant_bytes(shape, DType::f32, bytes);
    fed_.push_back(bytes);
    return make_->input(shape);
  }

  // With constant weights, or weights as inputs.
  void expect_agreement(Op op, const Layer& layer, bool constants, std::vector<TensorId> parameters = {}) {
    SCOPED_TRACE(cat(name(op), ": ", layer.steps, " steps of ", layer.hidden, " states"));
    const int64_t gates = op == Op::lstm ? 4 : op == Op::gru ? 3 : 1;
    const int64_t all = layer.directions * layer.layers;
    const Shape states{all, layer.batch, layer.hidden};
    const float reach = 2.0F / float(layer.hidden);
    constants_ = false;
    std::vector<TensorId> inputs{feed({layer.steps, layer.batch, layer.inputs})};
    constants_ = constants;
    inputs.push_back(feed({all, gates * layer.hidden, layer.inputs}));
    inputs.push_back(feed({all, gates * layer.hidden, layer.hidden}, reach));
    inputs.push_back(feed({all, 2 * gates * layer.hidden}));
    constants_ = false;
    inputs.push_back(feed(states));
    if (op == Op::lstm) inputs.push_back(feed(states));
    std::vector<TensorId> outputs{make_->tensor({layer.steps, layer.batch, layer.directions * layer.hidden}),
                                  make_->tensor(states)};
    if (op == Op::lstm) outputs.push_back(make_->tensor(states));
    const Status status = make_->builder().add_operation(int(op), parameters, inputs, outputs);
    ASSERT_TRUE(status.ok()) << status.error().message;
    compare(normalize(make_->finish(outputs)));
  }

  void compare(const GraphPtr& graph) {
    const auto model = prepare(*gpu_, graph);
    for (const OperationKernels& operation : model->kernels(graph).operations)
      for (const KernelChoice& choice : operation.kernels) taken_ += choice.name == "recurrent_sequence";
    const auto want = run_guarded(*cpu_, graph, fed_, random_, false);
    const auto got = run_guarded(*gpu_, graph, fed_, random_, false);
    ASSERT_TRUE(want.ok() && got.ok()) << (want.ok() ? got.error().message : want.error().message);
    for (size_t i = 0; i < want.value().size(); ++i) {
      const auto fault = difference(DType::f32, got.value()[i], want.value()[i], tolerance_of(DType::f32), 1);
      EXPECT_FALSE(fault) << "output " << i << ": " << *fault;
    }
  }

  void start() {
    make_.emplace();
    fed_.clear();
  }

  void TearDown() override { EXPECT_GT(taken_, 0u); }

  Random random_{47};
  std::optional<GraphMaker> make_;
  std::vector<Bytes> fed_;
  bool constants_ = false;
  const std::shared_ptr<Device> cpu_ = cpu::make_device();
  const std::shared_ptr<Device> gpu_ = shared_device("+recurrent_sequence");
  size_t taken_ = 0;
};

TEST_F(RecurrentSequence, ComputesLstms) {
  constexpr int kBidirectional = 93, kHasBias = 94, kNumLayers = 97, kCellClip = 1117;  // OH_NN_LSTM_*
  for (Layer layer : kLayers) {
    start();
    if (layer.directions == 2) layer.layers = 2, layer.inputs = 2 * layer.hidden;
    const TensorId both =
        make_->parameter<uint8_t>(kBidirectional, DType::boolean, {uint8_t(layer.directions == 2)});
    const TensorId biased = make_->parameter<uint8_t>(kHasBias, DType::boolean, {uint8_t(layer.hidden % 2)});
    const TensorId number = make_->parameter<int64_t>(kNumLayers, DType::i64, {layer.layers});
    const TensorId clip = make_->parameter<float>(kCellClip, DType::f32, {layer.batch > 1 ? 0.25F : 0});
    expect_agreement(Op::lstm, layer, layer.hidden % 3 == 0, {both, biased, number, clip});
  }
}

// OH_NN_GRU_DIRECTION and OH_NN_GRU_LINEAR_BEFORE_RESET.
TEST_F(RecurrentSequence, ComputesGrusWithBothResets) {
  constexpr int kDirection = 1070, kLinear = 1071;
  for (const bool linear : {false, true}) {
    for (const Layer& layer : kLayers) {
      start();
      const TensorId way =
          make_->parameter<int8_t>(kDirection, DType::i8, {int8_t(layer.directions == 2 ? 2 : int(linear))});
      const TensorId before = make_->parameter<uint8_t>(kLinear, DType::boolean, {uint8_t(linear)});
      expect_agreement(Op::gru, layer, !linear, {way, before});
    }
  }
}

// OH_NN_RNN_DIRECTION and OH_NN_RNN_ACTIVATION_TYPE.
TEST_F(RecurrentSequence, ComputesRnns) {
  constexpr int kDirection = 1072, kActivation = 1073;
  for (const Layer& layer : kLayers) {
    start();
    const TensorId way =
        make_->parameter<int8_t>(kDirection, DType::i8, {int8_t(layer.directions == 2 ? 2 : 1)});
    const TensorId mode = make_->parameter<int8_t>(kActivation, DType::i8, {int8_t(layer.hidden % 2)});
    expect_agreement(Op::rnn, layer, true, {way, mode});
  }
}

}  // namespace
}  // namespace nnrt::test
