// The driver's methods as OpenHarmony's runtime calls them.
#include "api/driver/v1_0_device.h"
#include "backends/cpu/engine/cpu_device.h"
#include "tests/support/byte_driver.h"
#include "tests/support/small_hdi_model.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// As a board's build defines it.
namespace {
std::vector<std::pair<int, std::string>> logged;
}
extern "C" void nnrt_log_line(int level, const char* line) { logged.emplace_back(level, line); }

namespace nnrt::test {
namespace {

using Dims = std::vector<std::vector<int32_t>>;

hdi::IOTensor io_tensor(const hdi::SharedBuffer& buffer, std::vector<int32_t> dims = {2}) {
  return {"io", hdi::DATA_TYPE_FLOAT32, std::move(dims), hdi::FORMAT_NHWC, buffer};
}

// A buffer of the driver with floats, mapped as a client does.
class Buffer {
 public:
  Buffer(hdi::INnrtDevice& device, const std::vector<float>& values) : device_(device) {
    const auto bytes = static_cast<uint32_t>(values.size() * sizeof(float));
    EXPECT_EQ(device.AllocateBuffer(bytes, buffer), 0);
    mapped_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, buffer.fd, 0);
    std::memcpy(mapped_, values.data(), bytes);
  }
  ~Buffer() {
    munmap(mapped_, buffer.bufferSize);
    EXPECT_EQ(device_.ReleaseBuffer(buffer), 0);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  float at(size_t i) const { return static_cast<const float*>(mapped_)[i]; }

  hdi::SharedBuffer buffer;

 private:
  hdi::INnrtDevice& device_;
  void* mapped_ = nullptr;
};

class DriverDevice : public testing::Test {
 protected:
  driver::ModelPtr prepared(const hdi::Model& model, const hdi::ModelConfig& config = {}) {
    driver::ModelPtr made;
    EXPECT_EQ(device_.PrepareModel(model, config, made), 0);
    return made;
  }
  void expect_results(hdi::IPreparedModel& model) {
    Buffer input(device_, {3, 4}), output(device_, {0, 0});
    Dims dims;
    EXPECT_EQ(model.Run({io_tensor(input.buffer)}, {io_tensor(output.buffer)}, dims), 0);
    EXPECT_EQ(dims, (Dims{{2}}));
    EXPECT_EQ(output.at(0), 4);
    EXPECT_EQ(output.at(1), 0);
  }

  SmallHdiModel small_;
  ByteDriver device_{{cpu::make_device()}};
};

TEST_F(DriverDevice, ReportsItself) {
  std::string name, vendor;
  auto type = hdi::OTHER;
  auto status = hdi::UNKNOWN;
  EXPECT_EQ(device_.GetDeviceName(name), 0);
  EXPECT_EQ(device_.GetVendorName(vendor), 0);
  EXPECT_EQ(device_.GetDeviceType(type), 0);
  EXPECT_EQ(device_.GetDeviceStatus(status), 0);
  EXPECT_EQ(name + "_" + vendor, "Vulkan_NNRt");
  EXPECT_EQ(type, hdi::CPU);
  EXPECT_EQ(status, hdi::AVAILABLE);
}

TEST_F(DriverDevice, ReportsWhatItSupports) {
  std::vector<bool> supported;
  EXPECT_EQ(device_.GetSupportedOperation(small_.model, supported), 0);
  EXPECT_EQ(supported, (std::vector<bool>{true, true}));
  small_.model.nodes[0].nodeType = hdi::NodeType(191);
  EXPECT_EQ(device_.GetSupportedOperation(small_.model, supported), 0);
  EXPECT_EQ(supported, (std::vector<bool>{false, true}));
  driver::ModelPtr made;
  EXPECT_EQ(device_.PrepareModel(small_.model, {}, made), hdi::NNRT_UNSUPPORTED_OP);
  EXPECT_EQ(made, nullptr);
  small_.model.inputIndex = {9};
  EXPECT_EQ(device_.GetSupportedOperation(small_.model, supported), hdi::NNRT_INVALID_MODEL);
  EXPECT_EQ(device_.PrepareModel(small_.model, {}, made), hdi::NNRT_INVALID_MODEL);
}

TEST_F(DriverDevice, RefusesNodesThatMakeNoSense) {
  small_.model.allTensors[1].dims = {2, 1, 1};
  small_.model.allTensors[0].dims = {3, 2, 3};
  small_.model.allTensors[2].dims = {7};
  std::vector<bool> supported;
  EXPECT_EQ(device_.GetSupportedOperation(small_.model, supported), 0);
  EXPECT_FALSE(supported[0]);
  driver::ModelPtr made;
  EXPECT_EQ(device_.PrepareModel(small_.model, {}, made), hdi::NNRT_INVALID_MODEL);
}

TEST_F(DriverDevice, ChecksTheConfiguration) {
  driver::ModelPtr made;
  EXPECT_EQ(device_.PrepareModel(small_.model, {false, hdi::PerformanceMode(5), {}, {}}, made),
            hdi::NNRT_INVALID_PERFORMANCE_MODE);
  EXPECT_EQ(device_.PrepareModel(small_.model, {false, {}, hdi::Priority(-1), {}}, made),
            hdi::NNRT_INVALID_PRIORITY);
  expect_results(
      *prepared(small_.model, {true, hdi::PERFORMANCE_EXTREME, hdi::PRIORITY_HIGH, {{"other", {1}}}}));
}

TEST_F(DriverDevice, RunsAfterTheClientChangedItsConstants) {
  const auto model = prepared(small_.model);
  std::memset(small_.memory->data(), 0, 16);
  expect_results(*model);
}

TEST_F(DriverDevice, RunsBehindOffsets) {
  const auto model = prepared(small_.model);
  Buffer both(device_, {0, 3, 4, 9, 9});
  hdi::SharedBuffer input = both.buffer, output = both.buffer;
  input.offset = 4;
  input.dataSize = 8;
  output.offset = 12;  // the size as OpenHarmony's runtime gives it, from the start of the memory
  Dims dims;
  EXPECT_EQ(model->Run({io_tensor(input)}, {io_tensor(output)}, dims), 0);
  EXPECT_EQ(both.at(3), 4);
  EXPECT_EQ(both.at(4), 0);
}

TEST_F(DriverDevice, RunsWithDuplicatesAndOtherFiles) {
  const auto model = prepared(small_.model);
  Buffer input(device_, {3, 4});
  const auto output = SharedMemory::create(8).value();
  hdi::SharedBuffer duplicate = input.buffer;
  duplicate.fd = dup(input.buffer.fd);
  Dims dims;
  for (int round = 0; round < 2; ++round)
    EXPECT_EQ(model->Run({io_tensor(duplicate)}, {io_tensor({output->fd(), 8, 0, 8})}, dims), 0);
  EXPECT_EQ(reinterpret_cast<const float*>(output->data())[0], 4);
  close(duplicate.fd);
}

TEST_F(DriverDevice, ReportsTheSizeThatAnOutputTakes) {
  const auto model = prepared(small_.model);
  Buffer input(device_, {3, 4}), output(device_, {0});
  Dims dims;
  EXPECT_EQ(model->Run({io_tensor(input.buffer)}, {io_tensor(output.buffer)}, dims),
            hdi::NNRT_INSUFFICIENT_BUFFER);
  EXPECT_EQ(dims, (Dims{{2}}));
}

TEST_F(DriverDevice, ReportsRoomAsV1_0Does) {
  driver::V1_0Device device(std::make_unique<ByteDriver>(std::vector{cpu::make_device()}));
  std::shared_ptr<::nnrt::hdi::V1_0::IPreparedModel> model;
  ASSERT_EQ(device.PrepareModel(small_.model, {}, model), 0);
  Buffer input(device_, {3, 4}), output(device_, {0, 0});
  hdi::SharedBuffer small = output.buffer;
  Dims dims;
  std::vector<bool> is_enough;
  small.dataSize = 4;
  EXPECT_EQ(model->Run({io_tensor(input.buffer)}, {io_tensor(small)}, dims, is_enough), 0);
  EXPECT_EQ(is_enough, std::vector{false});
  EXPECT_EQ(dims, (Dims{{2}}));
  EXPECT_EQ(model->Run({io_tensor(input.buffer)}, {io_tensor(output.buffer)}, dims, is_enough), 0);
  EXPECT_EQ(is_enough, std::vector{true});
  EXPECT_EQ(output.at(0), 4);
  constexpr int32_t kInvalidParam = -3, kNotSupport = -2;  // HDF's
  EXPECT_EQ(model->Run({}, {io_tensor(output.buffer)}, dims, is_enough), kInvalidParam);
  small_.model.nodes[0].nodeType = hdi::NodeType(191);
  EXPECT_EQ(device.PrepareModel(small_.model, {}, model), kNotSupport);
}

TEST_F(DriverDevice, RejectsRunsWithWrongTensors) {
  const auto model = prepared(small_.model);
  Buffer input(device_, {3, 4}), output(device_, {0, 0});
  const hdi::IOTensor in = io_tensor(input.buffer), out = io_tensor(output.buffer);
  Dims dims;
  EXPECT_NE(model->Run({}, {out}, dims), 0);
  EXPECT_NE(model->Run({in}, {out, out}, dims), 0);
  EXPECT_NE(model->Run({io_tensor(input.buffer, {3})}, {out}, dims), 0);
  EXPECT_NE(model->Run({io_tensor(input.buffer, {-1})}, {out}, dims), 0);
  for (const bool is_input : {false, true}) {
    for (const auto& change : std::vector<std::function<void(hdi::IOTensor&)>>{
             [](auto& tensor) { tensor.dataType = hdi::DATA_TYPE_INT8; },
             [](auto& tensor) { tensor.data.fd = -1; }, [](auto& tensor) { tensor.data.fd = 1 << 20; },
             [](auto& tensor) { tensor.data.offset = 9; }, [](auto& tensor) { tensor.data.offset = 4; },
             [](auto& tensor) { tensor.data.bufferSize = tensor.data.dataSize = ~0u; },
             [](auto& tensor) { tensor.data.dataSize = 4; }}) {
      hdi::IOTensor changed_in = in, changed_out = out;
      change(is_input ? changed_in : changed_out);
      EXPECT_NE(model->Run({changed_in}, {changed_out}, dims), 0);
    }
  }
  expect_results(*model);
}

TEST_F(DriverDevice, EndsRunsAtTheirDeadline) {
  const auto model = prepared(small_.model);
  auto& timed = dynamic_cast<::nnrt::hdi::ITimedModel&>(*model);
  Buffer input(device_, {3, 4}), output(device_, {0, 0});
  const std::vector in{io_tensor(input.buffer)}, out{io_tensor(output.buffer)};
  Dims dims;
  EXPECT_EQ(timed.RunUntil(in, out, Clock::now() - std::chrono::seconds(1), dims), hdi::NNRT_TIME_OUT);
  EXPECT_EQ(output.at(0), 0);
  EXPECT_EQ(timed.RunUntil(in, out, Clock::now() + std::chrono::minutes(1), dims), 0);
  EXPECT_EQ(output.at(0), 4);
}

TEST_F(DriverDevice, RunsDynamicInputs) {
  const auto model = prepared(SmallHdiModel(true).model);
  std::vector<std::vector<uint32_t>> smallest, largest;
  EXPECT_EQ(model->GetInputDimRanges(smallest, largest), 0);
  ASSERT_EQ(smallest, (std::vector<std::vector<uint32_t>>{{1}}));
  EXPECT_GT(largest.at(0).at(0), 1000u);
  for (const int32_t size : {1, 3}) {
    Buffer input(device_, std::vector<float>(size_t(size), 3)), output(device_, std::vector<float>(4, 0));
    Dims dims;
    EXPECT_EQ(model->Run({io_tensor(input.buffer, {size})}, {io_tensor(output.buffer, {-1})}, dims), 0);
    EXPECT_EQ(dims, (Dims{{size}}));
    EXPECT_EQ(output.at(size_t(size) - 1), 4);
  }
}

TEST_F(DriverDevice, RestoresModels) {
  const auto model = prepared(small_.model);
  std::vector<hdi::SharedBuffer> cache, again;
  ASSERT_EQ(model->ExportModelCache(cache), 0);
  ASSERT_EQ(model->ExportModelCache(again), 0);
  ASSERT_EQ(cache.size(), 1u);
  EXPECT_EQ(cache[0].fd, again[0].fd);
  driver::ModelPtr restored, offline;
  ASSERT_EQ(device_.PrepareModelFromModelCache(cache, {}, restored), 0);
  expect_results(*restored);
  ASSERT_EQ(device_.PrepareOfflineModel(cache, {}, offline), 0);
  expect_results(*offline);
  std::vector<hdi::SharedBuffer> parts = {cache[0], cache[0]};
  parts[0].dataSize = 100;
  parts[1].offset = 100;
  parts[1].dataSize -= 100;
  EXPECT_EQ(device_.PrepareModelFromModelCache(parts, {}, restored), 0);
  std::swap(parts[0], parts[1]);
  EXPECT_EQ(device_.PrepareModelFromModelCache(parts, {}, restored), hdi::NNRT_INVALID_MODEL_CACHE);
  cache[0].dataSize /= 2;
  EXPECT_EQ(device_.PrepareModelFromModelCache(cache, {}, restored), hdi::NNRT_INVALID_MODEL_CACHE);
  EXPECT_EQ(device_.PrepareOfflineModel(cache, {}, offline), hdi::NNRT_INVALID_MODEL);
  EXPECT_EQ(device_.PrepareModelFromModelCache({}, {}, restored), hdi::NNRT_INVALID_MODEL_CACHE);
  EXPECT_EQ(device_.PrepareModelFromModelCache({{-1, 8, 0, 8}}, {}, restored), hdi::NNRT_INVALID_MODEL_CACHE);
}

TEST_F(DriverDevice, ExportsNoModelThatKeepsNoWeights) {
  const auto model = prepared(small_.model, {false, {}, {}, {{"nnrt.export", {'o', 'f', 'f', 0}}}});
  std::vector<hdi::SharedBuffer> cache;
  EXPECT_EQ(model->ExportModelCache(cache), hdi::NNRT_OPERATION_FORBIDDEN);
  expect_results(*model);
}

TEST_F(DriverDevice, ReleasesBuffersOnce) {
  hdi::SharedBuffer buffer;
  EXPECT_EQ(device_.AllocateBuffer(0, buffer), hdi::NNRT_INVALID_BUFFER_SIZE);
  ASSERT_EQ(device_.AllocateBuffer(100, buffer), 0);
  hdi::SharedBuffer duplicate = buffer;
  duplicate.fd = dup(buffer.fd);
  EXPECT_EQ(device_.ReleaseBuffer(duplicate), 0);
  EXPECT_EQ(device_.ReleaseBuffer(duplicate), hdi::NNRT_INVALID_BUFFER);
  EXPECT_EQ(device_.ReleaseBuffer({-1, 100, 0, 100}), hdi::NNRT_INVALID_BUFFER);
  close(duplicate.fd);
}

TEST_F(DriverDevice, LogsEachFailureWhereTheBuildSays) {
  logged.clear();
  EXPECT_EQ(device_.ReleaseBuffer({-1, 100, 0, 100}), hdi::NNRT_INVALID_BUFFER);
  EXPECT_EQ(
      logged,
      (std::vector<std::pair<int, std::string>>{{1, "ReleaseBuffer: File descriptor (-1) does not exist."}}));
}

TEST_F(DriverDevice, ServesSeveralThreads) {
  const auto shared = prepared(small_.model);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        expect_results(*shared);
        expect_results(*prepared(small_.model));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace nnrt::test
