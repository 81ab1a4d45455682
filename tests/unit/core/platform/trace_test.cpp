#include "core/platform/trace.h"

#include "core/platform/trace_run.h"
#include "tests/support/trace_file.h"

#include <cstdio>
#include <thread>

namespace nnrt {
namespace {

using test::TraceFile;

TEST(Trace, RecordsNothingWhenOff) {
  bool described = false;
  {
    const trace::Span span("test", [&] {
      described = true;
      return trace::Event{"never"};
    });
  }
  EXPECT_FALSE(trace::on());
  EXPECT_FALSE(described);
}

TEST(Trace, IsACompleteDocumentAfterEachFlush) {
  const TraceFile file;
  EXPECT_TRUE(trace::on());
  for (size_t count = 1; count < 4; ++count) {
    trace::instant("test", {"event"});
    EXPECT_EQ(file.events("test").size(), count);
  }
}

TEST(Trace, EndsWithItsLastOwner) {
  auto first = trace::start(test::trace_path()).value();
  auto second = trace::start(test::trace_path()).value();
  EXPECT_EQ(first, second) << "one file, one trace";
  first.reset();
  EXPECT_TRUE(trace::on());
  trace::instant("test", {"last"});
  second.reset();
  EXPECT_FALSE(trace::on());
  EXPECT_EQ(test::events_in(test::trace_path()).back().at("name"), "last");
  std::remove(test::trace_path().c_str());
}

TEST(Trace, SeveralRunAtOnceEachInItsFile) {
  const std::string path = test::trace_path() + ".other";
  {
    const TraceFile file;
    trace::instant("test", {"first"});
    auto other = trace::start(path).value();
    trace::instant("test", {"both"});
    EXPECT_EQ(file.events("test").size(), 2u);
    other.reset();
    EXPECT_TRUE(trace::on());
    trace::instant("test", {"last"});
    EXPECT_EQ(file.events("test").size(), 3u);
  }
  EXPECT_FALSE(trace::on());
  const auto events = test::of_category(test::events_in(path), "test");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].at("name"), "both");
  std::remove(path.c_str());
}

TEST(Trace, NumbersRunsAndMarksThoseOfTheOwner) {
  const TraceFile file;
  auto owner = trace::start(test::trace_path() + ".own").value();
  for (const trace::Session* const session :
       std::initializer_list<const trace::Session*>{owner.get(), nullptr}) {
    const trace::Run run(session);
    const uint64_t number = trace::current_run();
    std::thread([number] {
      EXPECT_EQ(trace::current_run(), 0u);
      const trace::RunScope scope(number);
      const trace::Span span("test", "work");
    }).join();
  }
  trace::instant("test", {"outside"});
  for (const auto& event : file.events("run")) EXPECT_FALSE(event.at("args").contains("own"));
  const auto work = file.events("test");
  ASSERT_EQ(work.size(), 3u);
  EXPECT_FALSE(work[2].contains("args"));
  trace::flush();
  const auto events = test::events_in(test::trace_path() + ".own");
  const auto runs = test::of_category(events, "run");
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].at("args").value("own", false), true);
  EXPECT_EQ(runs[1].at("args").value("own", false), false);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(work[i].at("args").at("run"), runs[i].at("args").at("run"));
  EXPECT_NE(runs[0].at("args").at("run"), runs[1].at("args").at("run"));
  owner.reset();
  std::remove((test::trace_path() + ".own").c_str());
}

TEST(Trace, BeginsAnewInItsFile) {
  for (int i = 0; i < 2; ++i) {
    const TraceFile file;
    trace::instant("test", {"event"});
    EXPECT_EQ(file.events("test").size(), 1u);
  }
}

TEST(Trace, ReportsUnwritableFile) {
  const auto session = trace::start("/nowhere/trace.json");
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.error().code, Code::invalid_path);
  EXPECT_FALSE(trace::on());
}

TEST(Trace, NamesItsFileAfterTheProcess) {
  const auto session = trace::start(testing::TempDir() + "nnrt_trace_%p.json");
  ASSERT_TRUE(session.ok());
  trace::flush();
  EXPECT_FALSE(test::events_in(test::trace_path()).empty());
  std::remove(test::trace_path().c_str());
}

TEST(Trace, SpansLieWithinEachOther) {
  const TraceFile file;
  {
    const trace::Span outer("test", "outer");
    const trace::Span inner("test", [] { return trace::Event{"inner", JsonObject().add("bytes", 12)}; });
  }
  const auto events = file.events("test");
  ASSERT_EQ(events.size(), 2u);
  const auto &inner = events[0], &outer = events[1];
  EXPECT_EQ(inner.at("args").at("bytes"), 12);
  EXPECT_EQ(outer.at("name"), "outer");
  EXPECT_GE(inner.at("ts"), outer.at("ts"));
  const auto end = [](const nlohmann::json& event) {
    return event.at("ts").get<double>() + event.at("dur").get<double>();
  };
  EXPECT_LE(end(inner), end(outer) + 0.001);
}

TEST(Trace, StaysJsonForNegativeDurations) {
  const TraceFile file;
  const trace::Time now = std::chrono::steady_clock::now();
  for (const auto earlier : {std::chrono::nanoseconds(7), std::chrono::nanoseconds(12'345)})
    trace::complete("test", {"event"}, now, now - earlier, "GPU");
  const auto events = file.events("test");
  EXPECT_EQ(events[0].at("dur"), -0.007);
  EXPECT_EQ(events[1].at("dur"), -12.345);
}

TEST(Trace, TracksHaveTheirNames) {
  const TraceFile file;
  const trace::Time now = std::chrono::steady_clock::now();
  for (const char* track : {"GPU 1", "GPU 2", "GPU 1"}) trace::complete("test", {"event"}, now, now, track);
  const auto events = file.events("test");
  EXPECT_EQ(events[0].at("tid"), events[2].at("tid"));
  EXPECT_NE(events[0].at("tid"), events[1].at("tid"));
  std::vector<std::string> names;
  for (const auto& event : file.events()) {
    if (event.at("name") == "thread_name") names.push_back(event.at("args").at("name"));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"GPU 1", "GPU 2"}));
}

TEST(Trace, TakesEventsOfManyThreads) {
  const TraceFile file;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 1000; ++i) {
        const trace::Span span("test", "work");
        trace::counter("count", static_cast<uint64_t>(i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(file.events("test").size(), 4000u);
  EXPECT_EQ(file.events("counter").size(), 4000u);
}

}  // namespace
}  // namespace nnrt
