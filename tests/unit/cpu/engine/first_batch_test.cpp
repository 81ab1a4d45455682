#include "backends/cpu/engine/first_batch.h"

#include "backends/cpu/engine/cpu_device.h"
#include "tests/support/graph_maker.h"
#include "tests/support/prepare_model.h"
#include "tests/support/tensor_views.h"

namespace nnrt::test {
namespace {

using cpu::leaves_batch_open;

struct CountedRuns final : PreparedModel {
  explicit CountedRuns(int& count) : runs(count) {}
  Status run(std::span<const TensorView>, std::span<OutputSlot>, Deadline) override {
    ++runs;
    return {};
  }
  bool may_share(size_t, size_t) const override { return true; }

  int& runs;
};

// RELU of [batch, 3].
GraphPtr relu(int64_t batch) {
  GraphMaker make;
  return make.finish({make.op(Op::relu, {make.input({batch, 3})}, {batch, 3})});
}

struct Counted {
  int general = 0, first = 0;
  std::vector<Shape> prepared;  // the first input's shapes
  bool fails = false;
  std::unique_ptr<PreparedModel> model =
      cpu::with_first_batch(std::make_unique<CountedRuns>(general), relu(-1),
                            [this](const GraphPtr& graph) -> Result<std::unique_ptr<PreparedModel>> {
                              prepared.push_back(graph->shapes[graph->inputs[0]]);
                              if (fails) return Error{Code::memory, "Out of memory."};
                              return std::unique_ptr<PreparedModel>(std::make_unique<CountedRuns>(first));
                            });

  void run(int64_t batch, bool in_place = false) {
    const TensorView input = empty_view(size_t(batch) * 12, {batch, 3});
    TensorView output = in_place ? input : empty_view(input.bytes);
    EXPECT_TRUE(test::run(*model, {input}, output).ok());
  }
};

TEST(FirstBatch, HasAModelOfItsOwn) {
  Counted counted;
  for (const int64_t batch : {4, 4, 2, 4, 1, 2}) counted.run(batch);
  EXPECT_EQ(counted.prepared, std::vector<Shape>({{4, 3}}));
  EXPECT_EQ(counted.first, 3);
  EXPECT_EQ(counted.general, 3);
}

TEST(FirstBatch, RunsGeneralIfItCannotBePrepared) {
  Counted counted;
  counted.fails = true;
  for (int i = 0; i < 3; ++i) counted.run(4);
  EXPECT_EQ(counted.prepared.size(), 1U);
  EXPECT_EQ(counted.general, 3);
}

TEST(FirstBatch, RunsGeneralInPlace) {
  Counted counted;
  counted.run(4, true);
  counted.run(4);
  EXPECT_EQ(counted.general, 1);
  EXPECT_EQ(counted.first, 1);
}

TEST(FirstBatch, MakesRoomForOutputs) {
  const auto model = prepare(*cpu::make_device(), relu(-1));
  std::vector<OutputSlot> outputs{{{}, true}};
  const TensorView input = view_of<float>({2, 3}, {-1, 2, -3, 4, -5, 6});
  ASSERT_TRUE(model->run(std::vector{input}, outputs, {}).ok());
  EXPECT_EQ(values_of<float>(outputs[0].view), (std::vector<float>{0, 2, 0, 4, 0, 6}));
}

TEST(FirstBatch, IsOfFirstDimensionsAlone) {
  GraphMaker make;
  const TensorId x = make.input({-1, 3}), y = make.input({1, 3});
  EXPECT_TRUE(leaves_batch_open(*make.finish({make.op(Op::add, {x, y}, {-1, 3})})));
  EXPECT_FALSE(leaves_batch_open(*relu(2)));
  for (const Shape& shape : {Shape{-1, -1}, Shape{2, -1}, Shape{-1}}) {
    GraphMaker open;
    EXPECT_FALSE(leaves_batch_open(*open.finish({open.op(Op::relu, {open.input(shape)}, shape)})));
  }
}

TEST(FirstBatch, GivesTheResultsOfOthers) {
  const auto model = prepare(*cpu::make_device(), relu(-1));
  for (const int64_t batch : {2, 3, 2}) {
    const std::vector<float> values(size_t(batch) * 3, -1);
    TensorView output = empty_view(values.size() * sizeof(float));
    ASSERT_TRUE(run(*model, {view_of({batch, 3}, values)}, output).ok());
    EXPECT_EQ(output.shape, (Shape{batch, 3}));
    EXPECT_EQ(values_of<float>(output), std::vector<float>(values.size(), 0));
  }
}

}  // namespace
}  // namespace nnrt::test
