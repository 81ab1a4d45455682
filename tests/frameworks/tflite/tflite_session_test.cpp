// What the delegate does in an interpreter beside computing.
#include "tests/frameworks/tflite/session_test.h"

#include <cstring>
#include <filesystem>
#include <span>
#include <stdexcept>

namespace nnrt::test {
namespace {

using enum tiny_format::BuiltinOperator;

std::string refusal(const DelegateSettings& settings) {
  try {
    create_delegate(settings);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

// x -> ABS -> NEG
std::string chain_in(const std::string& path) {
  TinyModel model;
  const int32_t x = model.input(model.floats({4})), y = model.floats({4}), z = model.floats({4});
  model.add(ABS, {x}, {y});
  model.add(NEG, {y}, {z});
  model.output(z);
  return model.write(path);
}

class TfliteSession : public SessionTest {
 protected:
  std::string chain() const { return chain_in(path("chain.tflite")); }
};

TEST_F(TfliteSession, ExplainsRefusedDelegate) {
  EXPECT_EQ(refusal({{"fp16", "maybe"}}), "NNRt: Option fp16 is maybe, but must be 1 or 0.");
  EXPECT_NE(refusal({{"devise", "gpu"}}).find("is not one of: device, "), std::string::npos);
  EXPECT_NE(refusal({{"device", "abacus"}}).find("Device (abacus) is not one of: "), std::string::npos);
}

TEST_F(TfliteSession, SharesMemoryWithTheInterpreter) {
  Session session(api(), chain(), delegate());
  session.allocate();
  EXPECT_EQ(session.taken().partitions, 1);
  EXPECT_EQ(session.input(0).allocation_type, kTfLiteCustom);
  EXPECT_EQ(session.output(0).allocation_type, kTfLiteCustom);
  EXPECT_EQ(run(session, {1, -2, 3, 0}), (std::vector<float>{-1, -2, -3, -0.f}));
}

TEST_F(TfliteSession, CopiesIfToldTo) {
  Session session(api(), chain(), delegate({{"zero_copy", "0"}}));
  session.allocate();
  EXPECT_EQ(session.input(0).allocation_type, kTfLiteArenaRw);
  EXPECT_EQ(run(session, {1, -2, 3, 0}), (std::vector<float>{-1, -2, -3, -0.f}));
}

TEST_F(TfliteSession, FollowsOtherShapes) {
  Session session(api(), chain(), delegate());
  session.allocate();
  session.resize(0, {2, 3});
  session.allocate();
  EXPECT_EQ(run(session, {1, 2, 3, 4, 5, 6}), (std::vector<float>{-1, -2, -3, -4, -5, -6}));
  EXPECT_EQ(session.output(0).dims->size, 2);
  session.resize(0, {1});
  session.allocate();
  EXPECT_EQ(run(session, {-7}), std::vector<float>{-7});
  session.resize(0, {4});
  session.allocate();
  EXPECT_EQ(run(session, {1, -2, 3, 0}), (std::vector<float>{-1, -2, -3, -0.f}));
}

TEST_F(TfliteSession, RunsOnNothing) {
  Session session(api(), chain(), delegate());
  session.resize(0, {0});
  session.allocate();
  session.run();
  EXPECT_EQ(session.output(0).bytes, 0u);
}

TEST_F(TfliteSession, ServesSeveralInterpreters) {
  const auto shared = delegate();
  Session first(api(), chain(), shared), second(api(), chain(), shared);
  first.allocate();
  second.allocate();
  EXPECT_EQ(run(first, {1, 2, 3, 4}), (std::vector<float>{-1, -2, -3, -4}));
  EXPECT_EQ(run(second, {5, 6, 7, 8}), (std::vector<float>{-5, -6, -7, -8}));
  EXPECT_EQ(floats_of(first), (std::vector<float>{-1, -2, -3, -4}));
}

// Only a run knows how many elements are above 0.
TEST_F(TfliteSession, HasResultsOfAnySize) {
  TinyModel model;
  const int32_t x = model.input(model.floats({4})), zero = model.constant({1}, {0});
  const int32_t above = model.tensor(tiny_format::TensorType::BOOL, {4});
  const int32_t found = model.tensor(tiny_format::TensorType::INT64, {1, 1});
  model.add(GREATER, {x, zero}, {above});
  model.add(WHERE, {above}, {found});
  model.output(found);
  Session session(api(), model.write(path("where.tflite")), delegate());
  EXPECT_EQ(session.taken().nodes, 2);
  session.allocate();
  for (const std::vector<float>& values : {std::vector<float>{1, -1, 2, 3}, {-1, -1, -1, 5}, {1, 1, 1, 1}}) {
    set(session, values);
    session.run();
    std::vector<int64_t> expected;
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i] > 0) expected.push_back(static_cast<int64_t>(i));
    const TfLiteTensor& result = session.output(0);
    EXPECT_EQ(std::vector<int64_t>(result.data.i64, result.data.i64 + result.bytes / 8), expected);
    EXPECT_EQ(result.dims->data[0], static_cast<int>(expected.size()));
  }
}

// Only the run knows the size of what the interpreter computes.
TEST_F(TfliteSession, ReadsResultsOfAnySize) {
  TinyModel model;
  const int32_t x = model.input(model.floats({1, 1, 2, 2, 1}));
  const int32_t shape = model.input(model.tensor(tiny_format::TensorType::INT32, {5}));
  const int32_t y = model.floats({1, 1, 1, 1, 1});
  model.add(NEG, {add_foreign(model, x, shape)}, {y});
  model.output(y);
  Session session(api(), model.write(path("dynamic.tflite")), delegate());
  EXPECT_EQ(session.taken().nodes, 1);
  for (const int size : {2, 3, 2}) {
    session.resize(0, {1, 1, size, 2, 1});
    session.allocate();
    set_shape(session, 1, {1, 1, size, 2, 1});
    std::vector<float> values, expected;
    for (int i = 0; i < 2 * size; ++i) {
      values.push_back(static_cast<float>(i));
      expected.push_back(static_cast<float>(-2 * i));
    }
    EXPECT_EQ(run(session, values), expected);
  }
}

// TRANSPOSE_CONV reads its output size in the run.
TEST_F(TfliteSession, ResizesOutputsFromInputValues) {
  TinyModel model;
  const int32_t x = model.input(model.floats({1, 2, 2, 1}));
  const int32_t shape = model.input(model.tensor(tiny_format::TensorType::INT32, {4}));
  const int32_t weights = model.constant({1, 2, 2, 1}, {1, 2, 3, 4}), y = model.floats({1, 1, 1, 1});
  tiny_format::TransposeConvOptionsT options;
  options.padding = tiny_format::Padding::SAME;
  options.stride_w = options.stride_h = 2;
  tiny_format::BuiltinOptionsUnion transpose_conv;
  transpose_conv.Set(std::move(options));
  model.add(TRANSPOSE_CONV, {shape, weights, x}, {y}, std::move(transpose_conv));
  model.output(y);
  const std::string file = model.write(path("transposed.tflite"));
  Session expected(api(), file, nullptr), got(api(), file, delegate());
  EXPECT_EQ(got.taken().nodes, 1);
  for (Session* session : {&expected, &got}) session->allocate();
  for (const int height : {4, 3, 4}) {
    for (Session* session : {&expected, &got}) {
      set_shape(*session, 1, {1, height, 4, 1});
      set(*session, {1, 2, 3, 4});
      session->run();
    }
    EXPECT_EQ(got.output(0).dims->data[1], height);
    EXPECT_EQ(floats_of(got), floats_of(expected));
  }
}

// The graphs of a loop have delegates of their own.
TEST_F(TfliteSession, RunsInLoops) {
  TinyModel model;
  const int32_t x = model.input(model.floats({1})), doubled = model.floats({1});
  model.add(ABS, {x}, {x + 1});
  const int32_t condition = model.begin_graph();
  const int32_t value = model.input(model.floats({1})), limit = model.constant({1}, {100});
  const int32_t goes_on = model.tensor(tiny_format::TensorType::BOOL, {1});
  model.add(LESS, {value, limit}, {goes_on});
  model.output(goes_on);
  const int32_t body = model.begin_graph();
  const int32_t from = model.input(model.floats({1})), to = model.floats({1});
  tiny_format::BuiltinOptionsUnion plain;
  plain.Set(tiny_format::AddOptionsT());
  model.add(ADD, {from, from}, {to}, std::move(plain));
  model.output(to);
  model.return_to(0);
  const int32_t result = model.floats({1});
  tiny_format::WhileOptionsT graphs;
  graphs.condition_graph = condition;
  graphs.body_graph = body;
  tiny_format::BuiltinOptionsUnion loop;
  loop.Set(std::move(graphs));
  model.add(WHILE, {doubled}, {result}, std::move(loop));
  model.output(result);
  Session session(api(), model.write(path("loop.tflite")), delegate());
  session.allocate();
  EXPECT_EQ(run(session, {-3}), std::vector<float>{192});
  EXPECT_EQ(run(session, {50}), std::vector<float>{100});
}

TEST_F(TfliteSession, StoresAndRestoresCompiledModels) {
  const std::string cache = path("cache");
  for (int i = 0; i < 2; ++i) {
    Session session(api(), chain(), delegate({{"cache_dir", cache}}));
    session.allocate();
    EXPECT_EQ(run(session, {1, -2, 3, 0}), (std::vector<float>{-1, -2, -3, -0.f}));
    EXPECT_FALSE(std::filesystem::is_empty(cache));
  }
}

TEST_F(TfliteSession, RunsWithoutACacheThatCannotBeMade) {
  Session session(api(), chain(), delegate({{"cache_dir", "/proc/none"}}));
  session.allocate();
  EXPECT_EQ(session.taken().partitions, 1);
  EXPECT_EQ(run(session, {1, -2, 3, 0}), (std::vector<float>{-1, -2, -3, -0.f}));
}

TEST_F(TfliteSession, CanBeAppliedLater) {
  const auto late = delegate();
  {
    Session session(api(), chain(), nullptr);
    session.allocate();
    EXPECT_EQ(session.apply(*late), kTfLiteOk);
    session.allocate();
    EXPECT_EQ(session.input(0).allocation_type, kTfLiteCustom);
    EXPECT_EQ(run(session, {1, -2, 3, 0}), (std::vector<float>{-1, -2, -3, -0.f}));
  }
}

}  // namespace
}  // namespace nnrt::test
