// Events that the delegate reports to an interpreter's profiler.
#include "tests/frameworks/tflite/session_test.h"

#include <tensorflow/lite/core/api/profiler.h>

#include <algorithm>

namespace nnrt::test {
namespace {

using enum tiny_format::BuiltinOperator;

struct Event {
  std::string tag;
  int64_t node = 0;
  bool has_ended = false;
};

// Events of one session at a time.
std::vector<Event> events;

std::vector<std::string> tags(bool of_delegate) {
  std::vector<std::string> found;
  for (const Event& event : events)
    if (event.tag.starts_with("NNRt ") == of_delegate) found.push_back(event.tag);
  return found;
}

std::vector<int64_t> nodes() {
  std::vector<int64_t> numbers;
  for (const Event& event : events)
    if (event.tag == "NNRt run") numbers.push_back(event.node);
  return numbers;
}

class Recorder : public tflite::Profiler {
 public:
  uint32_t BeginEvent(const char* tag, EventType type, int64_t node, int64_t) override {
    EXPECT_EQ(type, EventType::DELEGATE_OPERATOR_INVOKE_EVENT);
    events.push_back({tag, node});
    return static_cast<uint32_t>(events.size() - 1);
  }
  void EndEvent(uint32_t event) override { events.at(event).has_ended = true; }
};

Recorder recorder;
TfLiteStatus (*prepare)(TfLiteContext*, TfLiteDelegate*) = nullptr;

TfLiteStatus prepare_with_recorder(TfLiteContext* context, TfLiteDelegate* it) {
  context->profiler = &recorder;
  return prepare(context, it);
}

uint32_t begin(TfLiteTelemetryProfilerStruct*, const char* name, int64_t node, int64_t) {
  events.push_back({name, node});
  return static_cast<uint32_t>(events.size() - 1);
}
void end(TfLiteTelemetryProfilerStruct*, uint32_t event) { events.at(event).has_ended = true; }

class TfliteProfile : public SessionTest {
 protected:
  TfliteProfile() { events.clear(); }

  // NEG on both sides of an operator of the interpreter.
  std::string two_partitions() const {
    TinyModel model;
    const std::vector<int32_t> shape{1, 1, 2, 2, 1};
    const int32_t x = model.input(model.floats(shape)), y = model.floats(shape), z = model.floats(shape);
    model.add(NEG, {x}, {y});
    model.add(NEG, {add_foreign(model, y, model.input(model.tensor(tiny_format::TensorType::INT32, {5})))},
              {z});
    model.output(z);
    return model.write(path("profile.tflite"));
  }
  static void check_run(Session& session) {
    set_shape(session, 1, {1, 1, 2, 2, 1});
    EXPECT_EQ(run(session, {1, 2, 3, 4}), (std::vector<float>{2, 4, 6, 8}));
    EXPECT_TRUE(std::ranges::all_of(events, &Event::has_ended));
  }
};

const std::vector<std::string> kTwice{"NNRt inputs", "NNRt run", "NNRt outputs",
                                      "NNRt inputs", "NNRt run", "NNRt outputs"};

TEST_F(TfliteProfile, ReportsThePartsOfARun) {
  const auto it = delegate();
  prepare = it->Prepare;
  it->Prepare = prepare_with_recorder;
  Session session(api(), two_partitions(), it);
  session.allocate();
  EXPECT_EQ(session.taken().partitions, 2);
  EXPECT_TRUE(events.empty());
  check_run(session);
  EXPECT_EQ(tags(true), kTwice);
  EXPECT_EQ(nodes(), (std::vector<int64_t>{0, 2}));
}

TEST_F(TfliteProfile, AppearsInTelemetry) {
  if (api().options_set_profiler == nullptr) GTEST_SKIP() << "this version has no telemetry";
  TfLiteTelemetryProfilerStruct profiler{};
  profiler.ReportTelemetryEvent = [](TfLiteTelemetryProfilerStruct*, const char*, uint64_t) {};
  profiler.ReportTelemetryOpEvent = [](TfLiteTelemetryProfilerStruct*, const char*, int64_t, int64_t,
                                       uint64_t) {};
  profiler.ReportSettings = [](TfLiteTelemetryProfilerStruct*, const char*, const TfLiteTelemetrySettings*) {
  };
  profiler.ReportBeginOpInvokeEvent = begin;
  profiler.ReportEndOpInvokeEvent = end;
  profiler.ReportOpInvokeEvent = [](TfLiteTelemetryProfilerStruct*, const char*, uint64_t, int64_t, int64_t) {
  };
  Session session(api(), two_partitions(), delegate(), {.profiler = &profiler});
  session.allocate();
  events.clear();
  check_run(session);
  EXPECT_EQ(tags(true), kTwice);
  EXPECT_EQ(tags(false), (std::vector<std::string>{"NNRt", "CONV_3D_TRANSPOSE", "NNRt"}));
}

}  // namespace
}  // namespace nnrt::test
