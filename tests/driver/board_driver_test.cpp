// The driver's library compiled against the interface in the form that a board's build generates.
#include "api/driver/board_types.h"
#include "core/platform/shared_memory.h"
#include "tests/support/attr_writer.h"
#include "tests/support/process_resources.h"

#include <neural_network_runtime/hdi/v2_0/innrt_device_vdi.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace nnrt::test {
namespace {

namespace board = ::NNRT_HDI_NAMESPACE;
namespace hdi = ::nnrt::hdi::V2_0;

using ModelPtr = OHOS::sptr<board::IPreparedModel>;

// As OpenHarmony's stub sends it: with a duplicate that belongs to the driver.
board::SharedBuffer sent(board::SharedBuffer buffer) {
  buffer.fd = dup(buffer.fd);
  return buffer;
}
std::vector<board::SharedBuffer> sent(std::vector<board::SharedBuffer> buffers) {
  for (board::SharedBuffer& buffer : buffers) buffer = sent(buffer);
  return buffers;
}

// relu(input + [1, -5]); the constant is at byte 8.
board::Model add_relu(const SharedMemory& constant) {
  const auto tensor = [](const char* name, board::SharedBuffer data) {
    return board::Tensor{name, board::DATA_TYPE_FLOAT32, {2}, board::FORMAT_NHWC, data, {}};
  };
  const board::SharedBuffer none{-1, 0, 0, 0};
  const auto node = [](board::NodeType type, const hdi::NodeAttr& attr, std::vector<uint32_t> inputs,
                       uint32_t output) {
    return board::Node{"n", type, attr_bytes(attr, 8), std::move(inputs), {output}, board::QUANT_TYPE_NONE};
  };
  return {"model",
          {0},
          {3},
          {node(board::NODE_TYPE_ADD_FUSION, hdi::AddFusion{}, {0, 1}, 2),
           node(board::NODE_TYPE_ACTIVATION, hdi::Activation{hdi::ACTIVATION_TYPE_RELU}, {2}, 3)},
          {tensor("input", none), tensor("constant", sent(board::SharedBuffer{constant.fd(), 16, 8, 8})),
           tensor("sum", none), tensor("output", none)},
          {{"main", {0}, {3}, {0, 1}}}};
}

template <typename Device>
class Client {
 public:
  explicit Client(Device& device) : device_(device) {
    const float values[] = {1, -5};
    std::ranges::copy(std::as_bytes(std::span(values)), constant_->data() + 8);
  }

  ModelPtr prepared() {
    ModelPtr model;
    EXPECT_EQ(device_.PrepareModel(add_relu(*constant_), {}, model), 0);
    return model;
  }
  ModelPtr restored(const ModelPtr& from) {
    std::vector<board::SharedBuffer> cache;
    EXPECT_EQ(from->ExportModelCache(cache), 0);
    ModelPtr model, offline;
    EXPECT_EQ(device_.PrepareModelFromModelCache(sent(cache), {}, model), 0);
    EXPECT_EQ(device_.PrepareOfflineModel(sent(cache), {}, offline), 0);
    expect_results(offline);
    return model;
  }
  void expect_results(const ModelPtr& model) {
    board::SharedBuffer buffer{};
    ASSERT_EQ(device_.AllocateBuffer(16, buffer), 0);
    const auto memory = SharedMemory::adopt(buffer.fd, 16).value();
    auto* const values = reinterpret_cast<float*>(memory->data());
    std::ranges::copy(std::vector<float>{3, 4, -1, -1}, values);
    const auto tensor = [&](uint32_t offset) {
      return board::IOTensor{"t",
                             board::DATA_TYPE_FLOAT32,
                             {2},
                             board::FORMAT_NHWC,
                             sent(board::SharedBuffer{buffer.fd, 16, offset, 8})};
    };
    std::vector<std::vector<int32_t>> dims;
    EXPECT_EQ(model->Run({tensor(0)}, {tensor(8)}, dims), 0);
    EXPECT_EQ(dims, (std::vector<std::vector<int32_t>>{{2}}));
    EXPECT_EQ(values[2], 4);
    EXPECT_EQ(values[3], 0);
    EXPECT_EQ(device_.ReleaseBuffer(sent(buffer)), 0);
  }
  void expect_answers() {
    std::string name;
    EXPECT_EQ(device_.GetVendorName(name), 0);
    EXPECT_EQ(name, "NNRt");
    board::DeviceType type{};
    EXPECT_EQ(device_.GetDeviceType(type), 0);
    EXPECT_EQ(type, board::CPU);
    board::DeviceStatus status = board::UNKNOWN;
    EXPECT_EQ(device_.GetDeviceStatus(status), 0);
    EXPECT_EQ(status, board::AVAILABLE);
    std::vector<bool> supported;
    EXPECT_EQ(device_.GetSupportedOperation(add_relu(*constant_), supported), 0);
    EXPECT_EQ(supported, std::vector<bool>(2, true));
  }
  void expect_refusals() {
    ModelPtr model;
    const board::ModelConfig config{false, board::PerformanceMode(9), board::PRIORITY_NONE, {}};
    EXPECT_EQ(device_.PrepareModel(add_relu(*constant_), config, model), hdi::NNRT_INVALID_PERFORMANCE_MODE);
    board::Model damaged = add_relu(*constant_);
    damaged.nodes[1].nodeAttr.resize(3);
    EXPECT_EQ(device_.PrepareModel(damaged, {}, model), hdi::NNRT_INVALID_MODEL);
    EXPECT_TRUE(model == nullptr);
    EXPECT_NE(device_.ReleaseBuffer(sent(board::SharedBuffer{constant_->fd(), 16, 0, 16})), 0);
  }

 private:
  Device& device_;
  const std::shared_ptr<SharedMemory> constant_ = SharedMemory::create(16).value();
};

template <typename Device>
void expect_works(Device& device) {
  Client<Device> client(device);
  client.expect_results(client.prepared());  // opens what the process keeps
  const auto files = api_tests::held().files;
  {
    client.expect_answers();
    const ModelPtr model = client.prepared();
    client.expect_results(model);
    std::vector<std::vector<uint32_t>> smallest, largest;
    EXPECT_EQ(model->GetInputDimRanges(smallest, largest), 0);
    EXPECT_EQ(smallest, (std::vector<std::vector<uint32_t>>{{2}}));
    client.expect_results(client.restored(model));
    client.expect_refusals();
  }
  EXPECT_EQ(api_tests::held().files, files);
}

TEST(BoardDriver, KeepsWhatTheSmallModelLacks) {
  const board::SharedBuffer none{-1, 0, 0, 0};
  const board::Model sent{"model",
                          {},
                          {},
                          {{"node", board::NODE_TYPE_ADD_FUSION, {}, {}, {}, board::QUANT_TYPE_ALL}},
                          {{"tensor", board::DATA_TYPE_FLOAT32, {}, board::FORMAT_NCHW, none, {{8, 3, 0.5}}}},
                          {{"graph", {1}, {2}, {3}}}};
  const board::ModelConfig config{true, board::PERFORMANCE_LOW, board::PRIORITY_NONE, {{"name", {7}}}};
  driver::BoardArguments arguments;
  const hdi::Model model = arguments.own(sent);
  EXPECT_EQ(model.name, "model");
  EXPECT_EQ(model.nodes[0].quantType, hdi::QUANT_TYPE_ALL);
  const hdi::Tensor& tensor = model.allTensors[0];
  EXPECT_EQ(tensor.format, hdi::FORMAT_NCHW);
  EXPECT_EQ(tensor.quantParams[0].numBits, 8);
  EXPECT_EQ(tensor.quantParams[0].zeroPoint, 3);
  EXPECT_EQ(tensor.quantParams[0].scale, 0.5);
  EXPECT_EQ(model.subGraph[0].inputIndices, std::vector<uint32_t>{1});
  EXPECT_EQ(model.subGraph[0].outputIndices, std::vector<uint32_t>{2});
  EXPECT_EQ(model.subGraph[0].nodeIndices, std::vector<uint32_t>{3});
  const hdi::ModelConfig options = arguments.own(config);
  EXPECT_TRUE(options.enableFloat16);
  EXPECT_EQ(options.mode, hdi::PERFORMANCE_LOW);
  EXPECT_EQ(options.priority, hdi::PRIORITY_NONE);
  EXPECT_EQ(options.extensions, config.extensions);
}

TEST(BoardDriver, ServesTheGenericService) {
  board::INnrtDeviceVdi* const device = CreateNnrtDeviceVdi();
  ASSERT_NE(device, nullptr);
  expect_works(*device);
  DestroyNnrtDeviceVdi(device);
}

TEST(BoardDriver, IsAServiceItself) {
  const std::unique_ptr<board::INnrtDevice> device(NnrtDeviceImplGetInstance());
  ASSERT_NE(device, nullptr);
  expect_works(*device);
  uint32_t major = 0, minor = 9;
  EXPECT_EQ(device->GetVersion(major, minor), 0);
  EXPECT_EQ(major, 2u);
  EXPECT_EQ(minor, 0u);
}

}  // namespace
}  // namespace nnrt::test
