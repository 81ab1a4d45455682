// Process limits: small stacks and file size limits. Calls that exceed them return a code; nothing ends the
// process.
#include "tests/support/sanitized.h"
#include "tests/unit/api/compilation/cache_fixture.h"
#include "tests/unit/api/execution/async_callbacks.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>

using namespace api_tests;

namespace {

// As in docs/failures.md: for client threads and runtime threads, on all devices.
constexpr size_t kMinStack = 256 << 10;
// The minimum if the CPU is the only device.
constexpr size_t kMinStackOfCpu = 64 << 10;

// Exits with the line of the first failed check.
#define REQUIRE(holds) ((holds) ? static_cast<void>(0) : exit_at(__LINE__))
[[noreturn]] void exit_at(int line) {
  std::fprintf(stderr, "line %d\n", line);
  std::_Exit(1);
}

bool is_cpu_alone() {
  const char* devices = std::getenv("NNRT_DEVICES");
  return devices != nullptr && std::string(devices) == "cpu";
}

// Uses each kind of function: caches, dynamic shapes, all ways to run, and errors.
void use_everything() {
  const TemporaryDirectory directory;
  for (int time = 0; time < 2; ++time) {
    const Compilation compilation = compilation_of(summand_model(3, 5000));
    REQUIRE(build_with_cache(compilation, directory.path(), 1) == OH_NN_SUCCESS);
    REQUIRE(summand_of(compilation, 5000) == 3);
  }
  const Compilation dynamic = built_compilation({-1, 64});
  for (const int32_t rows : {3, 300}) {
    RunLog log;
    NotedRun noted{log};
    const Executor executor = async_executor_of(dynamic);
    const size_t count = size_t(rows) * 64;
    const Tensor x = tensor_of({rows, 64}, std::vector<float>(count, 1)), y = tensor_of({rows, 64});
    REQUIRE(run(executor.get(), {x.get(), x.get()}, {y.get()}) == OH_NN_SUCCESS);
    REQUIRE(values_of(y, count) == std::vector<float>(count, 2));
    REQUIRE(run_async(executor.get(), {x.get(), x.get()}, {y.get()}, &noted) == OH_NN_SUCCESS);
    REQUIRE(log.wait_for(1) == (std::vector<RunLog::Entry>{{0, OH_NN_SUCCESS}}));
    REQUIRE(run(executor.get(), {x.get()}, {y.get()}) == OH_NN_INVALID_PARAMETER);
  }
}

void on_stack_of(size_t bytes, std::function<void()> act) {
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, bytes) == 0);
  const auto call = [](void* of) -> void* {
    (*static_cast<std::function<void()>*>(of))();
    return nullptr;
  };
  pthread_t thread{};
  REQUIRE(pthread_create(&thread, &attributes, call, &act) == 0);
  REQUIRE(pthread_join(thread, nullptr) == 0);
}

[[noreturn]] void use_on_small_stack(size_t bytes) {
  on_stack_of(bytes, use_everything);
  std::_Exit(0);
}

// A limit of this process and its children during this object's lifetime.
class Limit {
 public:
  Limit(int resource, rlim_t value) : resource_(resource) {
    getrlimit(__rlimit_resource_t(resource_), &before_);
    rlimit now = before_;
    now.rlim_cur = value;
    EXPECT_EQ(setrlimit(__rlimit_resource_t(resource_), &now), 0);
  }
  ~Limit() { setrlimit(__rlimit_resource_t(resource_), &before_); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  const int resource_;
  rlimit before_{};
};

bool has_size_signal() {
  sigset_t pending, blocked;
  sigpending(&pending);
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return sigismember(&pending, SIGXFSZ) == 1 || sigismember(&blocked, SIGXFSZ) == 1;
}

}  // namespace

class ProcessLimits : public testing::Test {
 protected:
  ProcessLimits() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }  // a process without devices
};

TEST_F(ProcessLimits, OfTheStackOfAClientsThread) {
  if (nnrt::test::kSanitized) GTEST_SKIP() << "sanitizers take more stack";
  // glibc has its own minimum, which is larger on some CPUs.
  const size_t bytes = is_cpu_alone() ? std::max<size_t>(kMinStackOfCpu, PTHREAD_STACK_MIN) : kMinStack;
  EXPECT_EXIT(use_on_small_stack(bytes), testing::ExitedWithCode(0), "");
}

// With 16 KiB, the minimum, on the CPU; docs/failures.md promises nothing for it.
TEST_F(ProcessLimits, OfTheSmallestStackThereIs) {
  if (nnrt::test::kSanitized) GTEST_SKIP() << "sanitizers take more stack";
  if (!is_cpu_alone()) GTEST_SKIP() << "drivers of GPUs take more stack";
  const auto run_alone = [] {
    const Executor executor = executor_of({64});
    const Tensor x = tensor_of({64}), y = tensor_of({64});
    on_stack_of(PTHREAD_STACK_MIN, [&] {
      REQUIRE(run(executor.get(), {x.get(), x.get()}, {y.get()}) == OH_NN_SUCCESS);
      REQUIRE(OH_NNTensor_Create(0, nullptr) == nullptr);
    });
    std::_Exit(0);
  };
  EXPECT_EXIT(run_alone(), testing::ExitedWithCode(0), "");
}

// The default stack size of threads is the limit at process start.
TEST_F(ProcessLimits, OfTheStacksOfAllThreads) {
  if (nnrt::test::kSanitized) GTEST_SKIP() << "sanitizers take more stack";
  const auto use = [] {
    use_everything();
    std::_Exit(0);
  };
  const Limit limit(RLIMIT_STACK, kMinStack);
  EXPECT_EXIT(use(), testing::ExitedWithCode(0), "");
}

// 64 KiB per file: exceeded by a memory, a cache, a trace and a placement table.
TEST_F(ProcessLimits, OfTheSizeOfAFile) {
  constexpr rlim_t kMax = 64 << 10;
  const TemporaryDirectory directory;
  write_file(directory.file("placement"), std::string(kMax, ' '));
  const auto meet_the_limit = [&] {
    setenv("NNRT_TRACE", directory.file("trace").c_str(), 1);
    setenv("NNRT_PLACEMENT", directory.file("placement").c_str(), 1);
    const Tensor small = tensor_of({5}, {1, 2, 3, 4, 5});
    REQUIRE(small != nullptr);
    {
      const Limit limit(RLIMIT_FSIZE, kMax);
      REQUIRE(Tensor(OH_NNTensor_Create(0, desc_of({1 << 20}).get())) == nullptr);
      REQUIRE(build_with_cache(compilation_of(summand_model(3, 50000)), directory.path(), 1) ==
              OH_NN_SAVE_CACHE_EXCEPTION);
      const Compilation compilation = built_compilation({5});
      const Executor executor(OH_NNExecutor_Construct(compilation.get()));
      const Tensor y = tensor_of({5});
      for (int time = 0; time < 1000; ++time)
        REQUIRE(run(executor.get(), {small.get(), small.get()}, {y.get()}) == OH_NN_SUCCESS);
      REQUIRE(values_of(y, 5) == (std::vector<float>{2, 4, 6, 8, 10}));
    }
    REQUIRE(!has_size_signal());
    REQUIRE(build_with_cache(compilation_of(summand_model(3, 50000)), directory.path(), 1) == OH_NN_SUCCESS);
    REQUIRE(Tensor(OH_NNTensor_Create(0, desc_of({1 << 20}).get())) != nullptr);
    std::_Exit(0);
  };
  EXPECT_EXIT(meet_the_limit(), testing::ExitedWithCode(0), "");
}
