// Computation functions, events and bursts.
#include "core/base/call_error.h"
#include "nnapi/base/client_call.h"
#include "nnapi/execution/client_execution.h"
#include "nnapi/execution/event_state.h"

#include <android/NeuralNetworks.h>

#include <atomic>

using namespace nnrt;
using namespace nnrt::nnapi;

struct ANeuralNetworksBurst {
  std::shared_ptr<const Compilation> compilation;
  std::atomic_flag computes{};
};

namespace {

Outcome compute_in(ANeuralNetworksBurst& burst, ClientExecution& execution) {
  if (burst.compilation != execution.compilation())
    return bad_data("Burst and execution belong to different compilations.");
  if (burst.computes.test_and_set()) return bad_state("Another thread computes in this burst.");
  struct End {
    std::atomic_flag& flag;
    ~End() { flag.clear(); }
  } const end{burst.computes};
  return execution.compute();
}

}  // namespace

int ANeuralNetworksExecution_compute(ANeuralNetworksExecution* execution) {
  return guard(__func__, {{"execution", execution}}, [&] { return execution->execution.compute(); });
}

int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution* execution, ANeuralNetworksBurst* burst) {
  return guard(__func__, {{"execution", execution}, {"burst", burst}},
               [&] { return compute_in(*burst, execution->execution); });
}

int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution* execution, ANeuralNetworksEvent** event) {
  const char* const function = __func__;
  return guard(function, [&]() -> Outcome {
    NNRT_TRY(require({{"event", event}}));
    *event = nullptr;
    NNRT_TRY(require({{"execution", execution}}));
    auto made = std::make_unique<ANeuralNetworksEvent>();
    auto state = std::make_shared<EventState>();
    NNRT_TRY(execution->execution.start(function, state));
    made->state = std::move(state);
    *event = made.release();
    return {};
  });
}

int ANeuralNetworksExecution_startComputeWithDependencies(ANeuralNetworksExecution* execution,
                                                          const ANeuralNetworksEvent* const* dependencies,
                                                          uint32_t numDependencies, uint64_t duration,
                                                          ANeuralNetworksEvent** event) {
  const char* const function = __func__;
  return guard(function, [&]() -> Outcome {
    NNRT_TRY(require({{"event", event}}));
    *event = nullptr;
    NNRT_TRY(require({{"execution", execution}}));
    if (numDependencies != 0) NNRT_TRY(require({{"dependencies", dependencies}}));
    std::vector<std::shared_ptr<EventState>> states;
    for (uint32_t i = 0; i < numDependencies; ++i) {
      NNRT_TRY(require({{"dependencies[i]", dependencies[i]}}));
      states.push_back(dependencies[i]->state);
    }
    auto made = std::make_unique<ANeuralNetworksEvent>();
    std::shared_ptr<EventState> state;
    NNRT_TRY(execution->execution.start_after(function, std::move(states), duration, state));
    made->state = std::move(state);
    *event = made.release();
    return {};
  });
}

int ANeuralNetworksEvent_wait(ANeuralNetworksEvent* event) {
  ResultCode ended = ANEURALNETWORKS_NO_ERROR;  // its failure has already been logged
  const int called = guard(__func__, [&]() -> Outcome {
    NNRT_TRY(require({{"event", event}}));
    ended = event->state->wait();
    if (ended != ANEURALNETWORKS_NO_ERROR) keep_call_error(event->state->message());
    return {};
  });
  return called == ANEURALNETWORKS_NO_ERROR ? ended : called;
}

void ANeuralNetworksEvent_free(ANeuralNetworksEvent* event) { free_handle(event); }

int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd, ANeuralNetworksEvent** event) {
  return guard(__func__, {{"event", event}}, [&]() -> Outcome {
    *event = nullptr;
    auto made = std::make_unique<ANeuralNetworksEvent>();
    NNRT_TRY(EventState::from_fd(sync_fence_fd, made->state));
    *event = made.release();
    return {};
  });
}

int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent* event, int* sync_fence_fd) {
  return guard(__func__, {{"sync_fence_fd", sync_fence_fd}}, [&]() -> Outcome {
    *sync_fence_fd = -1;
    NNRT_TRY(require({{"event", event}}));
    return event->state->duplicate_fence(*sync_fence_fd);
  });
}

int ANeuralNetworksBurst_create(ANeuralNetworksCompilation* compilation, ANeuralNetworksBurst** burst) {
  return guard(__func__, {{"burst", burst}}, [&]() -> Outcome {
    *burst = nullptr;
    NNRT_TRY(require({{"compilation", compilation}}));
    NNRT_TRY(compilation->compilation->require_ready());
    auto made = std::make_unique<ANeuralNetworksBurst>();
    made->compilation = compilation->compilation;
    *burst = made.release();
    return {};
  });
}

void ANeuralNetworksBurst_free(ANeuralNetworksBurst* burst) { free_handle(burst); }
