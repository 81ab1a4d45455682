// Tensors in client files: every kind of descriptor, any offset, files larger than tensors. On the CPU; the
// test api_memory runs it with drivers.
#include "tests/unit/api/tensor/tensor_files.h"

#include <algorithm>
#include <thread>

using namespace api_tests;

namespace {

constexpr int32_t kCount = 7;
constexpr size_t kBytes = kCount * sizeof(float);

std::string bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

const std::vector<float> kValues{1, -2, 3, -4, 5, -6, 7};
const std::vector<float> kDoubled{2, 0, 6, 0, 10, 0, 14};  // relu(x + x)

// The values at byte `offset` of a file with `size` other bytes.
std::string content(size_t size, size_t offset) {
  std::string bytes(size, '\xa5');
  return bytes.replace(offset, kBytes, bytes_of(kValues));
}

Desc values_desc() { return desc_of({kCount}); }

struct Kind {
  const char* name;
  bool read_only;
  File (*make)(const std::string& content);
};

const Kind kKinds[] = {
    {"memfd", false, memory_file},
    {"shm_open", false, posix_file},
    {"file on disk", false, disk_file},
    {"memfd sealed against shrinking", false,
     [](const std::string& bytes) { return sealed_file(bytes, F_SEAL_SHRINK); }},
    {"memfd sealed against writing", true,
     [](const std::string& bytes) { return sealed_file(bytes, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW); }},
    {"memfd sealed against more writers", true,
     [](const std::string& bytes) { return sealed_file(bytes, F_SEAL_FUTURE_WRITE); }},
    {"memfd opened for reading", true,
     [](const std::string& bytes) { return reopened_read_only(memory_file(bytes)); }},
    {"file on disk opened for reading", true,
     [](const std::string& bytes) { return reopened_read_only(disk_file(bytes)); }},
};

}  // namespace

TEST(SharedMemory, EveryKindWorksAsInput) {
  const Executor executor = executor_of({kCount});
  const Tensor y = tensor_of({kCount});
  for (const Kind& kind : kKinds) {
    for (const size_t offset : {0u, 1u, 61u, 4096u, 4099u}) {
      const File file = kind.make(content(9001, offset));
      const Tensor x = tensor_in(file, values_desc(), 9001, offset);
      ASSERT_NE(x, nullptr) << kind.name;
      ASSERT_EQ(run(executor.get(), {x.get(), x.get()}, {y.get()}), OH_NN_SUCCESS) << kind.name;
      EXPECT_EQ(values_of(y, kCount), kDoubled) << kind.name << " at " << offset;
    }
  }
}

TEST(SharedMemory, EveryWritableKindWorksAsOutput) {
  const Executor executor = executor_of({kCount});
  const Tensor x = tensor_of({kCount}, kValues);
  for (const Kind& kind : kKinds) {
    if (kind.read_only) continue;
    for (const size_t offset : {0u, 1u, 2u, 4u, 61u, 256u, 4095u, 4096u, 8973u}) {
      const std::string before(9001, '\xa5');
      const File file = kind.make(before);
      const Tensor y = tensor_in(file, values_desc(), 9001, offset);
      ASSERT_EQ(run(executor.get(), {x.get(), x.get()}, {y.get()}), OH_NN_SUCCESS) << kind.name;
      std::string after = before;
      after.replace(offset, kBytes, bytes_of(kDoubled));
      EXPECT_EQ(file.bytes(9001, 0), after) << kind.name << " at " << offset;
    }
  }
}

TEST(SharedMemory, ReadOnlyOutputIsRefused) {
  const Executor executor = executor_of({kCount});
  const Tensor x = tensor_of({kCount}, kValues);
  for (const Kind& kind : kKinds) {
    if (!kind.read_only) continue;
    const File file = kind.make(content(100, 12));
    const Tensor y = tensor_in(file, values_desc(), 100, 12);
    EXPECT_EQ(run(executor.get(), {x.get(), x.get()}, {y.get()}), OH_NN_INVALID_PARAMETER) << kind.name;
    EXPECT_EQ(values_of(y, kCount), kValues) << kind.name;
  }
}

TEST(SharedMemory, OfAnotherTensorIsOneByItsDescriptor) {
  const Executor executor = executor_of({kCount});
  const Tensor first = tensor_of({kCount}, kValues);
  const Tensor x(OH_NNTensor_CreateWithFd(0, values_desc().get(), fd_of(first), kBytes, 0));
  const Tensor y = tensor_of({kCount});
  ASSERT_EQ(run(executor.get(), {x.get(), first.get()}, {y.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(y, kCount), kDoubled);
}

TEST(SharedMemory, RunReadsLatestContents) {
  const Executor executor = executor_of({kCount});
  const File file = memory_file(content(4096, 8));
  const Tensor x = tensor_in(reopened_read_only(file), values_desc(), 4096, 8), y = tensor_of({kCount});
  for (const float value : {1.0f, 2.5f, 40.0f}) {
    const std::string bytes = bytes_of(std::vector<float>(kCount, value));
    ASSERT_EQ(pwrite(file.fd(), bytes.data(), bytes.size(), 8), static_cast<ssize_t>(bytes.size()));
    ASSERT_EQ(run(executor.get(), {x.get(), x.get()}, {y.get()}), OH_NN_SUCCESS);
    EXPECT_EQ(values_of(y, kCount), std::vector<float>(kCount, 2 * value));
  }
}

TEST(SharedMemory, HoldsManyTensorsAtOddOffsets) {
  constexpr size_t kThreads = 4, kTensors = 25, kStride = 2 * kBytes + 3;
  constexpr size_t kSize = kThreads * kTensors * kStride + 1;
  std::string before(kSize, '\xa5'), after = before;
  for (size_t i = 0; i < kThreads * kTensors; ++i) {
    const std::vector<float> values(kCount, static_cast<float>(i));
    before.replace(1 + i * kStride, kBytes, bytes_of(values));
    after.replace(1 + i * kStride, kBytes, bytes_of(values));
    after.replace(1 + i * kStride + kBytes, kBytes, bytes_of(std::vector<float>(kCount, 2 * values[0])));
  }
  const File file = memory_file(before);
  const Compilation compilation = built_compilation({kCount});
  std::vector<int> failures(kThreads, 0);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const Executor executor(OH_NNExecutor_Construct(compilation.get()));
      for (size_t i = t; i < kThreads * kTensors; i += kThreads) {
        const Tensor x = tensor_in(file, values_desc(), kSize, 1 + i * kStride);
        const Tensor y = tensor_in(file, values_desc(), kSize, 1 + i * kStride + kBytes);
        if (run(executor.get(), {x.get(), x.get()}, {y.get()}) != OH_NN_SUCCESS) ++failures[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, std::vector<int>(kThreads, 0));
  EXPECT_EQ(file.bytes(kSize, 0), after);
}

TEST(SharedMemory, IsTheInputOfTwoExecutorsAtOnce) {
  const File file = sealed_file(content(100, 20), F_SEAL_WRITE);
  const Tensor x = tensor_in(file, values_desc(), 100, 20);
  std::vector<int> failures(2, 0);
  std::vector<std::thread> threads;
  for (int& failed : failures) {
    threads.emplace_back([&] {
      const Executor executor = executor_of({kCount});
      const Tensor y = tensor_of({kCount});
      for (int i = 0; i < 20; ++i) {
        if (run(executor.get(), {x.get(), x.get()}, {y.get()}) != OH_NN_SUCCESS) ++failed;
        if (values_of(y, kCount) != kDoubled) ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, std::vector<int>(2, 0));
}

TEST(SharedMemory, ServesTwoDevicesInOneRun) {
  // relu(x), and x with a shape only known at run time, which the GPU leaves to the CPU.
  const Model model(OH_NNModel_Construct());
  const Desc descs[] = {desc_of({kCount}), desc_of({2}, OH_NN_INT32), desc_of({kCount}), desc_of({-1, -1})};
  for (const Desc& desc : descs)
    ASSERT_EQ(OH_NNModel_AddTensorToModel(model.get(), desc.get()), OH_NN_SUCCESS);
  add_operation(model, OH_NN_OPS_RELU, {0}, {2});
  add_operation(model, OH_NN_OPS_RESHAPE, {0, 1}, {3});
  finish(model, {0, 1}, {2, 3});
  EXPECT_EQ(available(model, 0), (std::vector<bool>{true, device_type(0) != OH_NN_GPU}));
  const Executor executor = executor_for(model);

  std::string before = content(200, 3), after = before;
  const int32_t shape[] = {kCount, 1};
  before.replace(40, sizeof shape, reinterpret_cast<const char*>(shape), sizeof shape);
  after = before;
  after.replace(61, kBytes, bytes_of({1, 0, 3, 0, 5, 0, 7})).replace(122, kBytes, bytes_of(kValues));
  const File file = memory_file(before);
  std::vector<Tensor> tensors;
  constexpr size_t kOffsets[] = {3, 40, 61, 122};
  for (size_t i = 0; i < 4; ++i) tensors.push_back(tensor_in(file, descs[i], 200, kOffsets[i]));
  ASSERT_EQ(run(executor.get(), {tensors[0].get(), tensors[1].get()}, {tensors[2].get(), tensors[3].get()}),
            OH_NN_SUCCESS);
  EXPECT_EQ(file.bytes(200, 0), after);
  EXPECT_EQ(shape_of(OH_NNTensor_GetTensorDesc(tensors[3].get())), (std::vector<int32_t>{kCount, 1}));
}

TEST(SharedMemory, OverlapIsRefused) {
  const Executor executor = executor_of({kCount});
  const std::string before = content(200, 0);
  const File file = disk_file(before);
  const File again(open(("/proc/self/fd/" + std::to_string(file.fd())).c_str(), O_RDWR | O_CLOEXEC));
  const File reader = reopened_read_only(file);
  for (const File* other : {&file, &again, &reader}) {
    const Tensor x = tensor_in(*other, values_desc(), 200, 0);
    const auto run_into = [&](size_t offset, size_t size) {
      return run(executor.get(), {x.get(), x.get()}, {tensor_in(file, values_desc(), size, offset).get()});
    };
    EXPECT_EQ(run_into(4, 100), OH_NN_INVALID_PARAMETER);
    EXPECT_EQ(run_into(kBytes - 1, 100), OH_NN_INVALID_PARAMETER);
    EXPECT_EQ(file.bytes(200, 0), before);
    EXPECT_EQ(run_into(100, 190), OH_NN_SUCCESS) << "another part, and another size";
    ASSERT_EQ(pwrite(file.fd(), before.data(), 200, 0), 200);
  }
}

TEST(SharedMemory, TruncationFailsTheRun) {
  const Executor executor = executor_of({kCount});
  const File file = memory_file(content(9001, 8000));
  const Tensor x = tensor_in(file, values_desc(), 9001, 8000), ours = tensor_of({kCount});
  ASSERT_EQ(ftruncate(file.fd(), 100), 0);
  EXPECT_EQ(run(executor.get(), {x.get(), x.get()}, {ours.get()}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(run(executor.get(), {ours.get(), ours.get()}, {x.get()}), OH_NN_INVALID_PARAMETER);
  ASSERT_EQ(ftruncate(file.fd(), 9001), 0);
  EXPECT_EQ(run(executor.get(), {x.get(), x.get()}, {ours.get()}), OH_NN_SUCCESS);
}

TEST(SharedMemory, TensorMemoryIsSealed) {
  const Tensor tensor = tensor_of({kCount});
  EXPECT_NE(ftruncate(fd_of(tensor), 1), 0);
}
