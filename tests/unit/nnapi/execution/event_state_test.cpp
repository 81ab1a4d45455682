// The checks of "Event", and sync fences.
#include "nnapi/execution/event_state.h"

#include "tests/unit/nnapi/nnapi_test_handles.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <cstdint>
#include <thread>

namespace nnapi_tests {
namespace {

// A descriptor that becomes readable when signaled.
struct Fence {
  Fence() : fd(eventfd(0, EFD_CLOEXEC)) {}
  ~Fence() { close(fd); }
  void signal() const { EXPECT_EQ(eventfd_write(fd, 1), 0); }
  Event event() const {
    ANeuralNetworksEvent* made = nullptr;
    EXPECT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(fd, &made), kOk);
    return Event(made);
  }

  int fd;
};

int start_after(const Ready& ready, const std::vector<const ANeuralNetworksEvent*>& dependencies,
                Event& event, uint64_t duration = 0) {
  ANeuralNetworksEvent* made = nullptr;
  const int code = ANeuralNetworksExecution_startComputeWithDependencies(
      ready.get(), dependencies.data(), static_cast<uint32_t>(dependencies.size()), duration, &made);
  EXPECT_EQ(made != nullptr, code == kOk);
  event.reset(made);
  return code;
}

int fence_of(const Event& event) {
  int fd = -100;
  EXPECT_EQ(ANeuralNetworksEvent_getSyncFenceFd(event.get(), &fd), kOk);
  return fd;
}

TEST(Event, ChecksForNull) {
  EXPECT_EQ(ANeuralNetworksEvent_wait(nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(1, nullptr), kNull);
  int fd = -100;
  EXPECT_EQ(ANeuralNetworksEvent_getSyncFenceFd(nullptr, &fd), kNull);
  EXPECT_EQ(fd, -1);
  ANeuralNetworksEvent_free(nullptr);
}

TEST(Event, TakesDescriptors) {
  ANeuralNetworksEvent* event = nullptr;
  for (const int fd : {-1, 0, 1'000'000}) {
    EXPECT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(fd, &event), kData);
    EXPECT_EQ(event, nullptr);
  }
  const Fence fence;
  const Event made = fence.event();
  EXPECT_EQ(ANeuralNetworksEvent_getSyncFenceFd(made.get(), nullptr), kNull);
  fence.signal();
  EXPECT_EQ(ANeuralNetworksEvent_wait(made.get()), kOk);
  EXPECT_EQ(ANeuralNetworksEvent_wait(made.get()), kOk) << "as often as wanted";
}

TEST(Event, OfADescriptorIsFreedUnsignalled) { EXPECT_NE(Fence().event(), nullptr); }

TEST(Event, WaitsForADescriptor) {
  const Fence fence;
  const Event event = fence.event();
  std::thread later([&] { fence.signal(); });
  EXPECT_EQ(ANeuralNetworksEvent_wait(event.get()), kOk);
  later.join();
}

TEST(Event, FailsOnDescriptorError) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ANeuralNetworksEvent* event = nullptr;
  ASSERT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(ends[0], &event), kOk);
  const Event owned(event);
  close(ends[0]);
  close(ends[1]);
  EXPECT_EQ(ANeuralNetworksEvent_wait(event), kFailed);
}

TEST(Event, OfStartComputeHasNoFence) {
  Ready ready;
  ready.bind();
  ANeuralNetworksEvent* event = nullptr;
  ASSERT_EQ(ANeuralNetworksExecution_startCompute(ready.get(), &event), kOk);
  const Event owned(event);
  int fd = -100;
  EXPECT_EQ(ANeuralNetworksEvent_getSyncFenceFd(event, &fd), kData);
  EXPECT_EQ(fd, -1);
}

TEST(Fenced, ChecksItsArguments) {
  Ready ready;
  Event event;
  ANeuralNetworksEvent* made = nullptr;
  const auto start = ANeuralNetworksExecution_startComputeWithDependencies;
  EXPECT_EQ(start(nullptr, nullptr, 0, 0, &made), kNull);
  EXPECT_EQ(start(ready.get(), nullptr, 0, 0, nullptr), kNull);
  EXPECT_EQ(start(ready.get(), nullptr, 1, 0, &made), kNull);
  EXPECT_EQ(start_after(ready, {nullptr}, event), kNull);
  ready.bind();
  EXPECT_EQ(start_after(ready, {}, event, 1'000'000'000), kData) << "not for one device";
  EXPECT_EQ(start_after(ready, {}, event), kOk) << "it had not started";
  EXPECT_EQ(start_after(ready, {}, event), kState);
}

TEST(Fenced, WantsKnownOutputs) {
  Ready ready(false, floats({0}));
  Event event;
  for (const int32_t index : {0, 1})
    EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), index, floats({2}), ready.a, 8), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 2, nullptr, &ready.fuse, 4), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(ready.get(), 0, nullptr, ready.out, 8), kOk);
  EXPECT_EQ(start_after(ready, {}, event), kData);
}

TEST(Fenced, TakesADurationOfOneDevice) {
  Ready ready(true);
  ready.bind();
  Event event;
  EXPECT_EQ(start_after(ready, {}, event, UINT64_MAX), kOk);
  EXPECT_EQ(ANeuralNetworksEvent_wait(event.get()), kOk);
}

TEST(Fenced, WaitsForItsDependencies) {
  Ready first, second;
  first.bind();
  second.bind();
  const Fence fence;
  const Event signal = fence.event();
  Event done_first, done_second;
  ASSERT_EQ(start_after(first, {signal.get()}, done_first), kOk);
  ASSERT_EQ(start_after(second, {done_first.get(), signal.get()}, done_second), kOk);
  const int fd = fence_of(done_second);
  pollfd entry{fd, POLLIN, 0};
  EXPECT_EQ(poll(&entry, 1, 20), 0) << "nothing was signalled";
  EXPECT_EQ(first.out[0], 0);
  fence.signal();
  EXPECT_EQ(poll(&entry, 1, -1), 1);
  EXPECT_NE(entry.revents & POLLIN, 0);
  EXPECT_EQ(ANeuralNetworksEvent_wait(done_second.get()), kOk);
  EXPECT_EQ(first.out[0], 4);
  EXPECT_EQ(second.out[0], 4);
  close(fd);
}

TEST(Fenced, FailsWithItsDependency) {
  Ready first, second, third;
  first.fuse = 999;
  for (Ready* const ready : {&first, &second, &third}) ready->bind();
  Event failed, after, after_fence;
  ASSERT_EQ(start_after(first, {}, failed), kOk);
  ASSERT_EQ(start_after(second, {failed.get()}, after), kOk);
  const int fd = fence_of(failed);
  ANeuralNetworksEvent* imported = nullptr;
  ASSERT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(fd, &imported), kOk);
  close(fd);
  const Event owned(imported);
  ASSERT_EQ(start_after(third, {imported}, after_fence), kOk);
  EXPECT_EQ(ANeuralNetworksEvent_wait(failed.get()), kFailed);
  EXPECT_EQ(ANeuralNetworksEvent_wait(after.get()), kFailed);
  EXPECT_EQ(ANeuralNetworksEvent_wait(imported), kFailed) << "its fence is no success";
  EXPECT_EQ(ANeuralNetworksEvent_wait(after_fence.get()), kFailed);
  EXPECT_EQ(second.out[0], 0);
}

}  // namespace
}  // namespace nnapi_tests
