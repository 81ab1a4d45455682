#include "backends/cpu/engine/cpu_device.h"
#include "tests/support/prepare_model.h"
#include "tests/support/state_graphs.h"

namespace nnrt::test {
namespace {

TEST(SharedState, IsTheSameInPlace) {
  for (const StateGraph& state : {replaced_row(), replaced_position(), chosen_row(false), chosen_row(true),
                                  joined_rows(), mixed_rows()}) {
    const auto model = prepare(*cpu::make_device(), state.graph);
    ASSERT_TRUE(model->may_share(0, 0)) << state.name;
    EXPECT_FALSE(model->may_share(1, 0) && state.name == "replaced_row");
    EXPECT_EQ(run_state(*model, state, true), run_state(*model, state, false)) << state.name;
  }
}

TEST(SharedState, MayBeEitherChoice) {
  GraphMaker make;
  const TensorId state = make.input({6, 4}), x = make.input({1, 4});
  const TensorId is_small = make.op(Op::less, {state, x}, {6, 4}, {}, DType::boolean);
  const StateGraph largest{
      "largest",
      make.finish({make.op(Op::select, {is_small, make.op(Op::add, {state, x}, {6, 4}), state}, {6, 4})})};
  const auto model = prepare(*cpu::make_device(), largest.graph);
  ASSERT_TRUE(model->may_share(0, 0));
  EXPECT_EQ(run_state(*model, largest, true), run_state(*model, largest, false));
}

TEST(SharedState, IsNotWrittenBeforeItsLastReader) {
  const auto model = prepare(*cpu::make_device(), read_afterwards().graph);
  EXPECT_FALSE(model->may_share(0, 0));
  EXPECT_FALSE(model->may_share(0, 1)) << "a product reads all of a row for each element";
}

TEST(SharedState, OneElementwiseOperatorWritesOverItsOperand) {
  GraphMaker make;
  const TensorId state = make.input({6, 4}), x = make.input({1, 4});
  const StateGraph sum{"sum", make.finish({make.op(Op::add, {state, x}, {6, 4})})};
  const auto model = prepare(*cpu::make_device(), sum.graph);
  ASSERT_TRUE(model->may_share(0, 0));
  EXPECT_FALSE(model->may_share(1, 0)) << "a row that is broadcast";
  EXPECT_EQ(run_state(*model, sum, true), run_state(*model, sum, false));
}

// The node before a reshape to an output writes the output.
TEST(SharedState, ReshapedOutputsAreWrittenBefore) {
  GraphMaker make;
  const TensorId state = make.input({6, 4}), x = make.input({6, 4});
  const TensorId sum = make.op(Op::add, {x, x}, {6, 4});
  const TensorId read = make.op(Op::exp, {state}, {6, 4});
  const TensorId flat = make.op(Op::reshape, {sum, make.ints({24})}, {24});
  const auto model = prepare(*cpu::make_device(), make.finish({flat, read}));
  EXPECT_FALSE(model->may_share(0, 0));
  EXPECT_TRUE(model->may_share(1, 0));
}

// An alias shares the input's memory.
TEST(SharedState, ReadersOfAliasesAreReaders) {
  GraphMaker make;
  const TensorId state = make.input({6, 4}), x = make.input({6, 4});
  const TensorId next = make.op(Op::exp, {make.op(Op::add, {state, x}, {6, 4})}, {6, 4});
  const TensorId flat = make.op(Op::reshape, {state, make.ints({24})}, {24});
  const GraphPtr graph = make.finish({next, make.op(Op::softmax, {flat}, {24})});
  EXPECT_FALSE(prepare(*cpu::make_device(), graph)->may_share(0, 0));
}

}  // namespace
}  // namespace nnrt::test
