// Subgraphs of operators.
#include "tests/import/tflite_writer.h"
#include "tools/import/tflite/tflite_reader.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;

// A graph with one operator on its input and a constant.
int32_t add_branch(TfliteWriter& writer, BuiltinOperator code, const Operand& x, const Operand& y,
                   const Operand& other) {
  const int32_t graph = writer.begin_graph();
  const int32_t input = writer.input(x), result = writer.tensor(y);
  writer.add(code, {input, writer.tensor(constant(other))}, {result});
  writer.output(result);
  writer.return_to(0);
  return graph;
}

// y = condition ? x + 1 : x * 3
Bytes choice(const Operand& condition, const Operand& x = floats({2}, {}),
             const Operand& y = floats({2}, {})) {
  TfliteWriter writer;
  const int32_t chooser = condition.is_constant ? writer.tensor(condition) : writer.input(condition, "c");
  const int32_t input = writer.input(x, "x"), output = writer.tensor(y, "y");
  format::IfOptionsT options;
  options.then_graph = add_branch(writer, ADD, x, y, floats({}, {1}));
  options.else_graph = add_branch(writer, MUL, x, y, floats({}, {3}));
  writer.add(IF, {chooser, input}, {output}, with(options));
  writer.output(output);
  return writer.finish();
}

std::vector<double> chosen(const Operand& condition) {
  const Operand x = floats({2}, {5, -7});
  const auto got = run(choice(condition), {condition, x}, {floats({2}, {})});
  return got.empty() ? std::vector<double>() : got[0];
}

// Counts the first loop variable up to the limit; the second doubles in each iteration.
Bytes loop(const Operand& start, const Operand& limit) {
  TfliteWriter writer;
  const Operand x = floats({2}, {}), truth = bools({}, {});
  const int32_t count = start.is_constant ? writer.tensor(start) : writer.input(start, "i");
  const int32_t input = writer.input(x, "x");
  const int32_t counted = writer.tensor(ints({}, {}), "n"), output = writer.tensor(x, "y");
  format::WhileOptionsT options;
  options.condition_graph = writer.begin_graph();
  const int32_t i = writer.input(ints({}, {}));
  writer.input(x);
  const int32_t goes_on = writer.tensor(truth);
  writer.add(LESS, {i, writer.tensor(constant(limit))}, {goes_on});
  writer.output(goes_on);
  options.body_graph = writer.begin_graph();
  const int32_t before = writer.input(ints({}, {})), state = writer.input(x);
  const int32_t after = writer.tensor(ints({}, {})), doubled = writer.tensor(x);
  writer.add(ADD, {before, writer.tensor(constant(ints({}, {1})))}, {after});
  writer.add(ADD, {state, state}, {doubled});
  writer.output(after);
  writer.output(doubled);
  writer.return_to(0);
  writer.add(WHILE, {count, input}, {counted, output}, with(options));
  writer.output(counted);
  writer.output(output);
  return writer.finish();
}

}  // namespace

TEST(TfliteControlFlow, ReadsOnlyConstantBranch) {
  EXPECT_EQ(chosen(constant(bools({1}, {1}))), (std::vector<double>{6, -6}));
  EXPECT_EQ(chosen(constant(bools({}, {0}))), (std::vector<double>{15, -21}));
  EXPECT_EQ(operations(network_of(choice(constant(bools({}, {0}))))), (std::vector{Op::mul, Op::reshape}));
}

TEST(TfliteControlFlow, ARunChoosesFromBothBranches) {
  for (const Shape& shape : {Shape{}, Shape{1}}) {
    EXPECT_EQ(chosen(bools(shape, {1})), (std::vector<double>{6, -6}));
    EXPECT_EQ(chosen(bools(shape, {0})), (std::vector<double>{15, -21}));
  }
}

TEST(TfliteControlFlow, BranchesMayPassOnInputsAndConstants) {
  TfliteWriter writer;
  const Operand x = floats({2}, {4, 5}), condition = bools({1}, {});
  const int32_t chooser = writer.input(condition), input = writer.input(x), output = writer.tensor(x, "y");
  format::IfOptionsT options;
  options.then_graph = writer.begin_graph();
  writer.output(writer.input(x));
  options.else_graph = writer.begin_graph();
  writer.input(x);
  writer.output(writer.tensor(constant(floats({2}, {8, 9}))));
  writer.return_to(0);
  writer.add(IF, {chooser, input}, {output}, with(options));
  writer.output(output);
  const Bytes file = writer.finish();
  EXPECT_EQ(run(file, {bools({1}, {1}), x}, {x}).at(0), (std::vector<double>{4, 5}));
  EXPECT_EQ(run(file, {bools({1}, {0}), x}, {x}).at(0), (std::vector<double>{8, 9}));
}

// The condition is computed from the shape of x, which the caller overrides.
TEST(TfliteControlFlow, AShapeMayDecideTheBranch) {
  TfliteWriter writer;
  const Operand x = floats({1, 2}, {}), y = floats({1, 2}, {});
  const int32_t input = writer.input(x, "x"), positive = writer.tensor(x),
                shape = writer.tensor(ints({2}, {}));
  const int32_t batch = writer.tensor(ints({1}, {})), condition = writer.tensor(bools({1}, {}));
  writer.add(ABS, {input}, {positive});
  writer.add(SHAPE, {positive}, {shape});
  const int32_t zero = writer.tensor(constant(ints({1}, {0}))), one = writer.tensor(constant(ints({1}, {1})));
  writer.add(SLICE, {shape, zero, one}, {batch});
  writer.add(EQUAL, {batch, one}, {condition});
  format::IfOptionsT options;
  options.then_graph = add_branch(writer, ADD, x, y, floats({}, {1}));
  options.else_graph = add_branch(writer, MUL, x, y, floats({}, {3}));
  const int32_t output = writer.tensor(y, "y");
  writer.add(IF, {condition, positive}, {output}, with(options));
  writer.output(output);
  const Bytes file = writer.finish();
  EXPECT_EQ(run(file, {floats({1, 2}, {5, -7})}, {y}).at(0), (std::vector<double>{6, 8}));
  const Operand more = floats({2, 2}, {5, -7, 1, 2}), tripled = floats({2, 2}, {});
  EXPECT_EQ(run(file, {more}, {tripled}, {.input_shapes = {{"x", {2, 2}}}}).at(0),
            (std::vector<double>{15, 21, 3, 6}));
}

TEST(TfliteControlFlow, RefusesMismatchedBranchShapes) {
  TfliteWriter writer;
  const Operand x = floats({2}, {}), condition = bools({}, {});
  const int32_t chooser = writer.input(condition), input = writer.input(x), output = writer.tensor(x, "y");
  format::IfOptionsT options;
  options.then_graph = add_branch(writer, ADD, x, x, floats({}, {1}));
  options.else_graph = add_branch(writer, ADD, x, floats({3, 2}, {}), floats({3, 2}, {1, 2, 3, 4, 5, 6}));
  writer.add(IF, {chooser, input}, {output}, with(options));
  writer.output(output);
  EXPECT_EQ(refusal(writer.finish()),
            "IF (operator 0) selects at run time between results that may differ in shape.");
}

TEST(TfliteControlFlow, LoopFollowsItsCondition) {
  const Operand start = constant(ints({}, {0})), limit = ints({}, {3}), x = floats({2}, {1, -2});
  const auto got = run(loop(start, limit), {start, x}, {ints({}, {}), x});
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0], (std::vector<double>{3}));
  EXPECT_EQ(got[1], (std::vector<double>{8, -16}));
}

TEST(TfliteControlFlow, ALoopMayNotRunAtAll) {
  const Operand start = constant(ints({}, {7})), limit = ints({}, {3}), x = floats({2}, {1, -2});
  const auto got = run(loop(start, limit), {start, x}, {ints({}, {}), x});
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0], (std::vector<double>{7}));
  EXPECT_EQ(got[1], (std::vector<double>{1, -2}));
}

TEST(TfliteControlFlow, EndlessOrDataDependentLoopsAreRefused) {
  EXPECT_EQ(refusal(loop(ints({}, {}), ints({}, {3}))),
            "WHILE (operator 0) has a condition known only at run time.");
  EXPECT_EQ(refusal(loop(constant(ints({}, {0})), ints({}, {100000}))),
            "WHILE (operator 0) has more than 1024 rounds.");
}

TEST(TfliteControlFlow, OperatorsOfGraphsAreNamedByTheirGraph) {
  TfliteWriter writer;
  const Operand x = floats({2}, {});
  const int32_t input = writer.input(x), output = writer.tensor(x);
  format::IfOptionsT options;
  options.then_graph = add_branch(writer, UNIQUE, x, x, floats({}, {1}));
  options.else_graph = add_branch(writer, ADD, x, x, floats({}, {1}));
  add_branch(writer, SKIP_GRAM, x, x, floats({}, {1}));  // nothing runs it
  writer.add(IF, {writer.tensor(constant(bools({}, {1}))), input}, {output}, with(options));
  writer.output(output);
  EXPECT_EQ(refusal(writer.finish()),
            "The model has operators that OH_NN cannot express: UNIQUE (operator 0 of graph 1).");
}

TEST(TfliteControlFlow, DamagedGraphsAreRefused) {
  const Operand x = floats({2}, {}), y = x;
  const auto with_graphs = [&](int32_t then_graph, int32_t else_graph) {
    TfliteWriter writer;
    const int32_t input = writer.input(x), output = writer.tensor(y);
    add_branch(writer, ADD, floats({2}, {}), y, floats({}, {1}));
    add_branch(writer, ADD, ints({2}, {}), ints({2}, {}), ints({}, {1}));
    format::IfOptionsT options;
    options.then_graph = then_graph;
    options.else_graph = else_graph;
    writer.add(IF, {writer.tensor(constant(bools({}, {1}))), input}, {output}, with(options));
    writer.output(output);
    return writer.finish();
  };
  EXPECT_EQ(refusal(with_graphs(1, 1)), "");
  EXPECT_EQ(refusal(with_graphs(3, 1)), "The file refers to a graph that does not exist.");
  EXPECT_EQ(refusal(with_graphs(-1, 1)), "The file refers to a graph that does not exist.");
  EXPECT_EQ(refusal(with_graphs(2, 1)), "IF (operator 0) runs a graph with an input of another type.");
  EXPECT_EQ(refusal(with_graphs(0, 1)), "IF (operator 0) runs graphs nested more than 16 levels deep.");
}

}  // namespace nnrt::test
