// Refuses each allocation, thread, mapping and file the runtime requests once: the call must return
// OH_NN_MEMORY_ERROR or do without, repeating it must succeed, and nothing may leak. By default, requests are
// drawn within a few seconds from a printed seed (set by NNRT_TEST_SEED); with NNRT_TEST_FAULTS=all, each
// call stack is refused at its first and last request.
#include "tests/shortage/refuse_resources.h"
#include "tests/shortage/retry_calls.h"
#include "tests/shortage/shortage_network.h"
#include "tests/support/fault_layer/fault_layer.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_settings.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <numeric>
#include <random>
#include <span>

namespace nnrt::test {
namespace {

// Inputs and outputs of its runs.
struct PartTensors {
  PartTensors();
  std::vector<NN_Tensor*> inputs() const { return {x.get(), n.get(), shape.get()}; }
  std::vector<NN_Tensor*> outputs() const { return {y.get(), reshaped.get()}; }
  void clear() const;
  void expect_right() const;

  api_tests::Tensor x, n, shape, y, reshaped;
};

using namespace api_tests;

constexpr int32_t kSize = 128, kSide = 512, kCount = kSide * kSide;

template <typename T>
std::span<T> elements(const Tensor& tensor, size_t count) {
  return {static_cast<T*>(OH_NNTensor_GetDataBuffer(tensor.get())), count};
}

Tensor make(const std::vector<int32_t>& shape, OH_NN_DataType type) {
  return Tensor(OH_NNTensor_Create(0, desc_of(shape, type).get()));
}

// A part on each of two devices concurrently: a matrix product on a GPU, and a sum of UINT32, which the GPU
// does not support, on the CPU.
Model make_two_parts() {
  Model model(OH_NNModel_Construct());
  const auto add = [&](const std::vector<int32_t>& shape, OH_NN_DataType type) {
    EXPECT_EQ(OH_NNModel_AddTensorToModel(model.get(), desc_of(shape, type).get()), OH_NN_SUCCESS);
  };
  const std::vector<int32_t> square{kSize, kSize};
  for (int i = 0; i < 3; ++i) add(square, OH_NN_FLOAT32);
  add({kCount}, OH_NN_FLOAT32);
  add({2}, OH_NN_INT32);
  add({-1, -1}, OH_NN_FLOAT32);
  const std::vector<float> weights(size_t{kSize} * kSize, 0.5f);
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 1, weights.data(), weights.size() * sizeof(float)),
            OH_NN_SUCCESS);
  const Indices none{}, x_w{0, 1}, y{2}, n_shape{3, 4}, reshaped{5};
  const Indices inputs{0, 3, 4}, outputs{2, 5};
  EXPECT_EQ(OH_NNModel_AddOperation(model.get(), OH_NN_OPS_MATMUL, &none, &x_w, &y), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_AddOperation(model.get(), OH_NN_OPS_RESHAPE, &none, &n_shape, &reshaped),
            OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &inputs, &outputs), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_Finish(model.get()), OH_NN_SUCCESS);
  return model;
}

PartTensors::PartTensors()
    : x(make({kSize, kSize}, OH_NN_FLOAT32)),
      n(make({kCount}, OH_NN_FLOAT32)),
      shape(make({2}, OH_NN_INT32)),
      y(make({kSize, kSize}, OH_NN_FLOAT32)),
      reshaped(make({kSide, kSide}, OH_NN_FLOAT32)) {
  std::ranges::fill(elements<float>(x, size_t{kSize} * kSize), 1.0f);
  std::ranges::generate(elements<float>(n, kCount), [i = 0.0f]() mutable { return i++; });
  std::ranges::fill(elements<int32_t>(shape, 2), kSide);
}

void PartTensors::clear() const {
  std::ranges::fill(elements<float>(y, size_t{kSize} * kSize), -1.0f);
  std::ranges::fill(elements<float>(reshaped, kCount), -1.0f);
}

void PartTensors::expect_right() const {
  EXPECT_TRUE(std::ranges::all_of(elements<float>(y, size_t{kSize} * kSize),
                                  [](float element) { return element == kSize / 2; }));
  EXPECT_TRUE(std::ranges::equal(elements<float>(reshaped, kCount), elements<float>(n, kCount)));
}

using namespace api_tests;
using shortage::Kind;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr int32_t kRows = 4;

unsigned seed() {
  static const unsigned chosen = [] {
    const unsigned number = nnrt::test::number_from("NNRT_TEST_SEED", std::random_device()());
    std::cout << "NNRT_TEST_SEED=" << number << std::endl;
    return number;
  }();
  return chosen;
}

size_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return size_t(std::distance(begin(files), end(files)));
}

// Reports the failed call if the process dies or hangs.
class Watch {
 public:
  Watch(const std::string& scenario, Kind kind, size_t position) {
    snprintf(where_, sizeof where_, "while %s %zu of '%s' failed\n", name(kind), position, scenario.c_str());
    for (const int number : {SIGSEGV, SIGABRT, SIGALRM, SIGBUS}) signal(number, tell);
    alarm(120);
  }
  ~Watch() { alarm(0); }

 private:
  static void tell(int number) {
    static_cast<void>(!write(STDERR_FILENO, where_, std::strlen(where_)));
    const std::string stack = shortage::failed_stack();  // allocates, which may lose the message
    static_cast<void>(!write(STDERR_FILENO, stack.data(), stack.size()));
    signal(number, SIG_DFL);
    raise(number);
  }
  static inline char where_[200];
};

struct Scenario {
  std::string name;
  // Before any shortage.
  std::function<void()> prepare = [] {};
  // During the shortage.
  std::function<void(Attempts&)> play;
  // Afterwards.
  std::function<void()> check = [] {};
};

class Sweep : public testing::TestWithParam<OH_NN_DeviceType> {
 protected:
  Sweep() : device_(find_device(GetParam())) { seed(); }

  static size_t find_device(OH_NN_DeviceType wanted) {
    const size_t* ids = nullptr;
    uint32_t count = 0;
    EXPECT_EQ(OH_NNDevice_GetAllDevicesID(&ids, &count), OH_NN_SUCCESS);
    for (const size_t id : std::span(ids, count)) {
      OH_NN_DeviceType type = OH_NN_OTHERS;
      EXPECT_EQ(OH_NNDevice_GetType(id, &type), OH_NN_SUCCESS);
      if (type == wanted) return id;
    }
    ADD_FAILURE() << "There is no such device.";
    return 0;
  }
  bool is_gpu() const { return GetParam() == OH_NN_GPU; }
  Settings settings(const std::string& cache = {}) const { return {device_, cache}; }

  // `budget`: time for refusing allocations, unless all are refused.
  void sweep(const Scenario& scenario, milliseconds budget = milliseconds(1000)) {
    play_clean(scenario);  // creates everything that is created once
    play_clean(scenario, nnrt::test::sweeps_all_faults());
    std::map<Kind, std::vector<size_t>> positions;
    for (const Kind kind : shortage::kKinds) positions[kind] = choose(kind);
    const int64_t blocks = shortage::live_blocks();
    const size_t files = open_files();
    for (const Kind kind : shortage::kKinds) {
      if (!positions[kind].empty() && !refuse(scenario, kind, positions[kind], budget)) return;
    }
    play_clean(scenario);
    EXPECT_EQ(open_files(), files);
    // Blocks cached once may appear late, but not with every failure.
    EXPECT_LT(shortage::live_blocks(), blocks + 200);
  }

 private:
  // Runs the scenario without failures.
  void play_clean(const Scenario& scenario, bool keep_stacks = false) const {
    fault::reset();  // it keeps the calls
    scenario.prepare();
    Attempts attempts;
    shortage::begin_counting(keep_stacks);
    scenario.play(attempts);
    shortage::end();
    EXPECT_EQ(attempts.failures(), 0u);
    scenario.check();
  }

  // Worker threads make few requests but are the most fragile: interleave theirs with the others.
  static std::vector<size_t> with_threads_between(Kind kind, const std::vector<size_t>& positions) {
    std::vector<size_t> sides[2], mixed;
    for (const size_t position : positions)
      sides[shortage::is_of_another_thread(kind, position)].push_back(position);
    for (size_t i = 0; i < positions.size(); ++i) {
      for (const std::vector<size_t>& side : sides) {
        if (i < side.size()) mixed.push_back(side[i]);
      }
    }
    return mixed;
  }

  // In the order they are refused.
  static std::vector<size_t> choose(Kind kind) {
    std::vector<size_t> chosen;
    if (nnrt::test::sweeps_all_faults()) {
      std::map<uint64_t, std::pair<size_t, size_t>> of_stack;
      const std::vector<uint64_t> stacks = shortage::stacks(kind);
      for (size_t i = 0; i < stacks.size(); ++i)
        of_stack.try_emplace(stacks[i], i, i).first->second.second = i;
      for (const auto& [stack, times] : of_stack) {
        chosen.push_back(times.first);
        if (times.second != times.first) chosen.push_back(times.second);
      }
    } else {
      for (size_t i = 0; i < shortage::calls(kind); ++i) chosen.push_back(i);
    }
    std::ranges::shuffle(chosen, std::mt19937(seed()));
    return with_threads_between(kind, chosen);
  }

  // Returns false if anything went wrong.
  bool refuse(const Scenario& scenario, Kind kind, const std::vector<size_t>& positions,
              milliseconds budget) const {
    const milliseconds share(nnrt::test::draws(uint32_t(budget.count())));
    const auto end = Clock::now() + (kind == Kind::allocation ? share : share / 2);
    size_t failed = 0, answered = 0;
    for (const size_t position : positions) {
      if (!nnrt::test::sweeps_all_faults() && Clock::now() > end && failed > 0) break;
      const Watch watch(scenario.name, kind, position);
      fault::reset();
      scenario.prepare();
      Attempts attempts;
      shortage::begin_failing(kind, position);
      scenario.play(attempts);
      shortage::end();
      failed += shortage::calls(kind) > position ? 1 : 0;
      answered += attempts.failures();
      scenario.check();
      if (!HasFailure()) continue;
      ADD_FAILURE() << "with " << name(kind) << " " << position << " of '" << scenario.name
                    << "' refused, in\n"
                    << shortage::failed_stack();
      return false;
    }
    std::cout << "| " << scenario.name << " | " << (is_gpu() ? "GPU" : "CPU") << " | " << name(kind) << " | "
              << positions.size() << " | " << failed << " | " << answered << " | "
              << failed - std::min(failed, answered) << " |" << std::endl;
    return true;
  }

 protected:
  const size_t device_;
};

TEST_P(Sweep, OfAModelThatIsComposed) {
  sweep({"compose", [] {},
         [&](Attempts& attempts) {
           const Model model = make_model(attempts, kRows);
           const Compilation compilation = make_compilation(attempts, model.get(), settings());
           const bool* supported = nullptr;
           uint32_t count = 0;
           attempts.make("GetAvailableOperations", [&] {
             return OH_NNModel_GetAvailableOperations(model.get(), device_, &supported, &count);
           });
           EXPECT_EQ(count, 5u);
         },
         [] {}});
}

TEST_P(Sweep, OfABuildOnADeviceInUse) {
  const Model model = make_model(kRows);
  Compilation compilation;
  sweep({"build, warm", [&] { compilation.reset(); },
         [&](Attempts& attempts) {
           compilation = build(attempts, model.get(), settings());
           attempts.get<Executor>("Executor_Construct",
                                  [&] { return OH_NNExecutor_Construct(compilation.get()); });
         },
         [&] { expect_works(compilation, kRows); }});
}

TEST_P(Sweep, OfBuildOnOpeningDevice) {
  if (!is_gpu()) return;  // the CPU is always open
  const Model model = make_small_model();
  Compilation compilation;
  const Tensor x = tensor_of({4}, {1, 1, 0, 1}), y = tensor_of({4});
  const auto run_small = [&] {
    const Executor executor(OH_NNExecutor_Construct(compilation.get()));
    return api_tests::run(executor.get(), {x.get()}, {y.get()});
  };
  const auto close_device = [&] {
    fault::reset();
    compilation = build(model.get(), settings());
    EXPECT_EQ(run_small(), OH_NN_SUCCESS);
    fault::lose_devices();
    EXPECT_EQ(run_small(), OH_NN_UNAVAILABLE_DEVICE);
    fault::reset();
    compilation.reset();
  };
  sweep({"build, cold", close_device,
         [&](Attempts& attempts) { compilation = build(attempts, model.get(), settings()); },
         [&] {
           EXPECT_EQ(run_small(), OH_NN_SUCCESS);
           const std::vector<float> values = values_of(y, 4);
           EXPECT_NEAR(values[0] / values[2], std::exp(1.0f), 1e-4f);
           EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0f), 1, 1e-5f);
         }},
        milliseconds(3000));
}

TEST_P(Sweep, OfARun) {
  const Model model = make_model(kRows);
  const Compilation compilation = build(model.get(), settings());
  const Executor executor(OH_NNExecutor_Construct(compilation.get()));
  sweep({"run", [] {},
         [&](Attempts& attempts) {
           const Tensors tensors(attempts, kRows), shifted(attempts, kRows, 4);
           run(attempts, executor, tensors);
           run(attempts, executor, shifted);
           run_as_api_9(attempts, executor, kRows);
         },
         [&] { expect_works(compilation, kRows); }});
}

TEST_P(Sweep, OfARunInTheBackground) {
  const Model model = make_model(kRows);
  const Compilation compilation = build(model.get(), settings());
  sweep({"async", [] {},
         [&](Attempts& attempts) {
           const Executor executor = attempts.get<Executor>(
               "Executor_Construct", [&] { return OH_NNExecutor_Construct(compilation.get()); });
           attempts.make("SetOnRunDone",
                         [&] { return OH_NNExecutor_SetOnRunDone(executor.get(), note_done); });
           const Tensors tensors(attempts, kRows);
           run_deferred(attempts, executor, tensors);
           run_deferred(attempts, executor, tensors);
         },
         [&] { expect_works(compilation, kRows); }});
}

TEST_P(Sweep, OfACacheThatIsSaved) {
  const Model model = make_model(kRows);
  std::unique_ptr<TemporaryFolder> folder;
  std::vector<char> exported(1 << 20);
  sweep({"cache, save", [&] { folder = std::make_unique<TemporaryFolder>(); },
         [&](Attempts& attempts) {
           const Compilation compilation = build(attempts, model.get(), settings(folder->path()));
           size_t bytes = 0;
           attempts.make("ExportCacheToBuffer", [&] {
             return OH_NNCompilation_ExportCacheToBuffer(compilation.get(), exported.data(), exported.size(),
                                                         &bytes);
           });
         },
         [&] {
           for (int i = 0; i < 2; ++i) expect_works(build(model.get(), settings(folder->path())), kRows);
           folder.reset();
         }});
}

TEST_P(Sweep, OfACacheThatIsRestored) {
  const Model model = make_model(kRows);
  const TemporaryFolder folder;
  build(model.get(), settings(folder.path()));
  Compilation with_model, without;
  sweep({"cache, restore",
         [&] {
           with_model.reset();
           without.reset();
         },
         [&](Attempts& attempts) {
           with_model = build(attempts, model.get(), settings(folder.path()));
           without = build(attempts, nullptr, settings(folder.path()));
         },
         [&] {
           expect_works(with_model, kRows);
           expect_works(without, kRows);
           expect_works(build(nullptr, settings(folder.path())), kRows);
         }});
}

TEST_P(Sweep, OfRunsOfDynamicShapes) {
  const Model model = make_model(-1);
  Executor executor;
  sweep({"dynamic shapes",
         [&] { executor.reset(OH_NNExecutor_Construct(build(model.get(), settings()).get())); },
         [&](Attempts& attempts) {
           const Tensors two(attempts, 2), three(attempts, 3);
           run(attempts, executor, two);
           run(attempts, executor, three);
           run(attempts, executor, two);
         },
         [&] {
           Attempts attempts;
           for (const int32_t rows : {2, 3, 5}) run(attempts, executor, Tensors(attempts, rows));
           EXPECT_EQ(attempts.failures(), 0u);
         }});
}

TEST_P(Sweep, ConcurrentRunsOfTwoDevices) {
  if (!is_gpu()) return;
  const Model model = make_two_parts();
  const Compilation compilation = build(model.get(), settings());
  const PartTensors tensors;
  Executor executor;
  const auto run_parts = [&](Attempts& attempts) {
    tensors.clear();
    attempts.make("RunSync",
                  [&] { return api_tests::run(executor.get(), tensors.inputs(), tensors.outputs()); });
    tensors.expect_right();
  };
  sweep({"two devices", [&] { executor.reset(OH_NNExecutor_Construct(compilation.get())); },
         [&](Attempts& attempts) {
           run_parts(attempts);
           run_parts(attempts);
         },
         [&] {
           EXPECT_GT(shortage::calls(Kind::thread), 0u) << "The devices do not work at the same time.";
           Attempts attempts;
           run_parts(attempts);
           EXPECT_EQ(attempts.failures(), 0u);
         }});
}

INSTANTIATE_TEST_SUITE_P(Cpu, Sweep, testing::Values(OH_NN_CPU), [](const auto&) { return "All"; });
INSTANTIATE_TEST_SUITE_P(Gpu, Sweep, testing::Values(OH_NN_GPU), [](const auto&) { return "All"; });

}  // namespace
}  // namespace nnrt::test
