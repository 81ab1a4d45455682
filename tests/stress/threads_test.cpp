// Many threads do everything that is allowed concurrently (api.md 7) on the first device: in any order,
// results are correct and nothing hangs. NNRT_TEST_STRESS_ROUNDS is the number of steps per thread. Also for
// the thread sanitizer.
#include "tests/support/test_settings.h"
#include "tests/unit/api/execution/async_callbacks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <random>
#include <thread>

using namespace api_tests;

namespace {

constexpr int kThreads = 8;

int steps_of_a_thread() { return nnrt::test::number_from("NNRT_TEST_STRESS_ROUNDS", 60); }

bool ok(OH_NN_ReturnCode code) { return code == OH_NN_SUCCESS; }

// Shared by all threads: y = relu(a + b) over enough elements for the thread pool, or a dynamic number of
// them.
struct Shared {
  static constexpr int32_t kLength = 40000;
  Model fixed = finished_model({kLength}), dynamic = finished_model({-1});
  Compilation of_fixed = built(fixed, OH_NN_PRIORITY_LOW), of_dynamic = built(dynamic, OH_NN_PRIORITY_HIGH);
  Executor executor = async_executor_of(of_dynamic);
  Tensor ones = tensor_of({kLength}, std::vector<float>(kLength, 1));

  static Compilation built(const Model& model, OH_NN_Priority priority) {
    Compilation compilation(OH_NNCompilation_Construct(model.get()));
    EXPECT_EQ(OH_NNCompilation_SetPriority(compilation.get(), priority), OH_NN_SUCCESS);
    EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
    return compilation;
  }
};

class Stressor {
 public:
  Stressor(const Shared& shared, unsigned seed) : shared_(shared), random_(seed) {}

  // The name of the failed step, or null.
  const char* work(int steps) {
    struct Step {
      const char* name;
      bool (Stressor::*act)();
    };
    constexpr std::array kSteps = {
        Step{"build", &Stressor::build},
        Step{"compose", &Stressor::compose},
        Step{"run", &Stressor::run_sync},
        Step{"run the shared executor", &Stressor::run_shared},
        Step{"run in the background", &Stressor::run_async_and_wait},
        Step{"run in the background and destroy", &Stressor::run_async_and_destroy},
        Step{"run out of time", &Stressor::run_out_of_time},
        Step{"run by API 9", &Stressor::run_legacy},
        Step{"ask", &Stressor::ask}};
    for (int i = 0; i < steps; ++i) {
      const Step& step = kSteps[random_() % kSteps.size()];
      if (!(this->*step.act)()) return step.name;
    }
    return nullptr;
  }

 private:
  static constexpr int32_t kLength = Shared::kLength;

  int32_t any_length() { return static_cast<int32_t>(random_() % 4) * 1000 + 1; }
  // A tensor of ones of that length, in memory shared by all threads.
  Tensor ones(int32_t length) {
    int fd = -1;
    if (!ok(OH_NNTensor_GetFd(shared_.ones.get(), &fd))) return nullptr;
    return Tensor(OH_NNTensor_CreateWithFd(0, desc_of({length}).get(), fd, kLength * sizeof(float), 0));
  }
  static bool are_twos(const Tensor& y, int32_t length) {
    const auto count = static_cast<size_t>(length);
    return values_of(y, count) == std::vector<float>(count, 2);
  }
  bool run_ones(OH_NNExecutor* executor, int32_t length) {
    const Tensor a = ones(length), y = tensor_of({length});
    return ok(run(executor, {a.get(), a.get()}, {y.get()})) && are_twos(y, length);
  }
  const Compilation& any_compilation() { return random_() % 2 == 0 ? shared_.of_fixed : shared_.of_dynamic; }
  int32_t length_for(const Compilation& compilation) {
    return &compilation == &shared_.of_fixed ? kLength : any_length();
  }

  bool build() {
    const Compilation compilation(OH_NNCompilation_Construct(shared_.fixed.get()));
    OH_NNCompilation_SetPriority(compilation.get(), any<OH_NN_Priority>(static_cast<int>(random_() % 4)));
    OH_NNCompilation_SetPerformanceMode(compilation.get(),
                                        any<OH_NN_PerformanceMode>(static_cast<int>(random_() % 5)));
    return ok(OH_NNCompilation_Build(compilation.get())) &&
           run_ones(Executor(OH_NNExecutor_Construct(compilation.get())).get(), kLength);
  }
  bool compose() {
    const Model model = finished_model({any_length()});
    const bool* supported = nullptr;
    uint32_t count = 0;
    return ok(OH_NNModel_GetAvailableOperations(model.get(), 0, &supported, &count)) && count == 2;
  }
  bool run_sync() {
    const Compilation& compilation = any_compilation();
    return run_ones(Executor(OH_NNExecutor_Construct(compilation.get())).get(), length_for(compilation));
  }
  bool run_shared() {
    OH_NNExecutor* executor = shared_.executor.get();
    size_t inputs = 0;
    OH_NN_Memory* memory = OH_NNExecutor_AllocateInputMemory(executor, 0, 100);
    const Desc desc(OH_NNExecutor_CreateInputTensorDesc(executor, 0));
    const bool asked =
        memory != nullptr && desc != nullptr && ok(OH_NNExecutor_GetInputCount(executor, &inputs));
    OH_NNExecutor_DestroyInputMemory(executor, 0, &memory);
    RunLog log;
    NotedRun background{log};
    const int32_t length = any_length();
    const Tensor a = ones(length), y = tensor_of({length});
    const bool started = ok(run_async(executor, {a.get(), a.get()}, {y.get()}, &background));
    const bool ran = run_ones(executor, any_length());
    return started && log.wait_for(1) == Ends{{0, OH_NN_SUCCESS}} && are_twos(y, length) && ran && asked;
  }
  bool run_async_and_wait() {
    const Compilation& compilation = any_compilation();
    const int32_t length = length_for(compilation);
    RunLog log;
    std::deque<NotedRun> runs;
    std::vector<Tensor> results;
    const Tensor a = ones(length);
    const Executor executor = async_executor_of(compilation);
    Ends expected;
    for (int i = 0; i < 3; ++i) {
      results.push_back(tensor_of({length}));
      if (!ok(run_async(executor.get(), {a.get(), a.get()}, {results.back().get()},
                        &runs.emplace_back(NotedRun{log, i}), 60000))) {
        return false;
      }
      expected.push_back({i, OH_NN_SUCCESS});
    }
    if (log.wait_for(3) != expected) return false;
    return std::all_of(results.begin(), results.end(), [&](const Tensor& y) { return are_twos(y, length); });
  }
  bool run_async_and_destroy() {
    RunLog log;
    NotedRun first{log, 0}, second{log, 1};
    const Tensor a = ones(kLength), y = tensor_of({kLength}), z = tensor_of({kLength});
    {
      const Executor executor = async_executor_of(any_compilation());
      if (!ok(run_async(executor.get(), {a.get(), a.get()}, {y.get()}, &first)) ||
          !ok(run_async(executor.get(), {a.get(), a.get()}, {z.get()}, &second))) {
        return false;
      }
    }
    return log.entries() == Ends{{0, OH_NN_SUCCESS}, {1, OH_NN_SUCCESS}} && are_twos(z, kLength);
  }
  bool run_out_of_time() {
    RunLog log;
    NotedRun late{log, 0}, next{log, 1};
    const Tensor a = ones(kLength), y = tensor_of({kLength}), z = tensor_of({kLength});
    const Executor executor = async_executor_of(any_compilation());
    if (!ok(run_async(executor.get(), {a.get(), a.get()}, {y.get()}, &late, 1)) ||
        !ok(run_async(executor.get(), {a.get(), a.get()}, {z.get()}, &next))) {
      return false;
    }
    const Ends ends = log.wait_for(2);
    const bool in_time = ends.front() == RunLog::Entry{0, OH_NN_SUCCESS};
    return (in_time || ends.front() == RunLog::Entry{0, OH_NN_TIMEOUT}) &&
           ends.back() == RunLog::Entry{1, OH_NN_SUCCESS} && (!in_time || are_twos(y, kLength)) &&
           are_twos(z, kLength);
  }
  bool run_legacy() {
    const Executor executor(OH_NNExecutor_Construct(any_compilation().get()));
    const std::vector<int32_t> shape{kLength};
    const OH_NN_Tensor tensor = legacy_tensor(shape);
    const std::vector<float> ones(kLength, 1);
    std::vector<float> result(kLength);
    for (const uint32_t input : {0u, 1u}) {
      if (!ok(OH_NNExecutor_SetInput(executor.get(), input, &tensor, ones.data(), kLength * sizeof(float))))
        return false;
    }
    return ok(OH_NNExecutor_SetOutput(executor.get(), 0, result.data(), kLength * sizeof(float))) &&
           ok(OH_NNExecutor_Run(executor.get())) && result == std::vector<float>(kLength, 2) &&
           output_shape(executor.get()) == shape;
  }
  bool ask() {
    const size_t* devices = nullptr;
    uint32_t count = 0;
    if (!ok(OH_NNDevice_GetAllDevicesID(&devices, &count)) || count == 0) return false;
    const char* name = nullptr;
    OH_NN_DeviceType type = OH_NN_OTHERS;
    return ok(OH_NNDevice_GetName(devices[0], &name)) && ok(OH_NNDevice_GetType(devices[0], &type));
  }

  using Ends = std::vector<RunLog::Entry>;
  const Shared& shared_;
  std::minstd_rand random_;
};

}  // namespace

TEST(Stress, OfEverythingAtOnceByManyThreads) {
  const Shared shared;
  std::vector<std::thread> threads;
  std::array<const char*, kThreads> failures{};
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] { failures[t] = Stressor(shared, t + 1).work(steps_of_a_thread()); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const char* failure : failures) EXPECT_EQ(failure, nullptr) << failure;
}
