// Plugins that close every descriptor they get: they neither break their own work nor close other files, and
// no descriptor leaks.
#include "tests/host/host_processes.h"
#include "tests/unit/api/compilation/cache_fixture.h"
#include "tests/unit/api/plugin/plugin_device_names.h"

#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <thread>

using namespace api_tests;

namespace {

// Counts the descriptors of this process and of its device hosts.
size_t open_descriptors() {
  const auto count = [](const std::string& process) {
    const fs::directory_iterator all("/proc/" + process + "/fd");
    return size_t(std::distance(all, fs::directory_iterator()));
  };
  size_t descriptors = count("self");
  for (const pid_t host : hosts()) descriptors += count(std::to_string(host));
  return descriptors;
}

// A thread that keeps opening files and checks that nobody closes them.
class Bystander {
 public:
  Bystander() : thread_([this] { work(); }) {}
  ~Bystander() {
    is_done_ = true;
    thread_.join();
    EXPECT_EQ(lost_, 0) << "of " << opened_ << " files";
    EXPECT_GT(opened_, 0);
  }

 private:
  void work() {
    do {
      const int fd = memfd_create("bystander", MFD_CLOEXEC);
      struct stat made {
      }, found{};
      EXPECT_EQ(fstat(fd, &made), 0);
      std::this_thread::yield();
      const bool is_there = fstat(fd, &found) == 0 && found.st_ino == made.st_ino;
      if (!is_there || close(fd) != 0) ++lost_;
      ++opened_;
    } while (!is_done_);
  }

  std::atomic<bool> is_done_ = false;
  std::atomic<int> opened_ = 0, lost_ = 0;
  std::thread thread_;
};

// y = ((a + 1) + 2) + ...: many constants.
Model sums(uint32_t count) {
  Model model(OH_NNModel_Construct());
  const std::vector<float> data(6, 1.5f);
  const auto add_tensor = [&] { OH_NNModel_AddTensorToModel(model.get(), desc_of({2, 3}).get()); };
  add_tensor();
  for (uint32_t i = 0; i < count; ++i) {
    add_tensor();
    add_tensor();
    OH_NNModel_SetTensorData(model.get(), 2 * i + 1, data.data(), data.size() * sizeof(float));
    add_operation(model, OH_NN_OPS_ADD, {2 * i, 2 * i + 1}, {2 * i + 2});
  }
  finish(model, {0}, {2 * count});
  return model;
}

// Several runs with memory of the device, and with other memory.
void expect_runs(const Compilation& compilation, size_t device) {
  const Executor executor(OH_NNExecutor_Construct(compilation.get()));
  ASSERT_NE(executor, nullptr);
  for (const size_t maker : {device, size_t{0}}) {
    const auto make = [&] { return Tensor(OH_NNTensor_Create(maker, desc_of({2, 3}).get())); };
    const Tensor a = make(), y = make();
    ASSERT_TRUE(a && y);
    for (int time = 0; time < 3; ++time) {
      std::memset(OH_NNTensor_GetDataBuffer(y.get()), 0, 24);
      ASSERT_EQ(run(executor.get(), {a.get()}, {y.get()}), OH_NN_SUCCESS) << time;
      EXPECT_EQ(values_of(y, 6), std::vector<float>(6, 1));
    }
  }
}

void use_everything(size_t device, uint32_t constants) {
  const TemporaryDirectory directory;
  for (int time = 0; time < 2; ++time) {  // the second time from the cache
    const Model model = sums(constants);
    EXPECT_EQ(available(model, device), std::vector<bool>(constants, true));
    const Compilation compilation = compilation_on(device, model);
    ASSERT_EQ(build_with_cache(compilation, directory.path(), 1), OH_NN_SUCCESS);
    expect_runs(compilation, device);
  }
  const char bytes[] = "a vendor's model";
  const Compilation compilation(OH_NNCompilation_ConstructWithOfflineModelBuffer(bytes, sizeof bytes));
  ASSERT_EQ(OH_NNCompilation_SetDevice(compilation.get(), device), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  expect_runs(compilation, device);
}

}  // namespace

TEST(BadPlugin, MayCloseDescriptors) {
  for (const char* name : {"Closes what it gets", "Closes what it gets twice"}) {
    SCOPED_TRACE(name);
    const size_t device = device_by_name(std::string(name) + "_Bad_v2_1");
    use_everything(device, 2);  // opens everything that is opened once and kept
    const size_t before = open_descriptors();
    {
      const Bystander bystander;
      std::vector<std::thread> others;
      for (int thread = 0; thread < 3; ++thread) others.emplace_back([&] { use_everything(device, 5); });
      for (std::thread& other : others) other.join();
      for (int time = 0; time < 10; ++time) use_everything(device, 40);
    }
    for (int wait = 0; wait < 200 && open_descriptors() > before; ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));  // a host is notified later
    EXPECT_LE(open_descriptors(), before) << "fewer: what another test left has gone";
  }
}

// More constants than descriptors: a driver that does not close any is not affected.
TEST(BadPlugin, AcceptsManyConstants) {
  const size_t device = device_by_name("Tells larger dimensions_Bad_v2_1");
  const size_t before = open_descriptors();
  EXPECT_EQ(OH_NNCompilation_Build(compilation_on(device, sums(3000)).get()), OH_NN_SUCCESS);
  EXPECT_LE(open_descriptors(), before);
}
