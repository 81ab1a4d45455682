// A driver class written as on OpenHarmony, compiled against these headers.
#include <neural_network_runtime/hdi/ohos_names.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

namespace OHOS {
namespace HDI {
namespace Nnrt {
namespace V2_0 {

class PreparedModelService : public IPreparedModel {
 public:
  int32_t ExportModelCache(std::vector<SharedBuffer>&) override { return NNRT_ReturnCode::NNRT_NOT_SUPPORT; }
  int32_t GetInputDimRanges(std::vector<std::vector<uint32_t>>&,
                            std::vector<std::vector<uint32_t>>&) override {
    return NNRT_ReturnCode::NNRT_SUCCESS;
  }
  int32_t Run(const std::vector<IOTensor>&, const std::vector<IOTensor>&,
              std::vector<std::vector<int32_t>>& outputDims) override {
    outputDims = {{1}};
    return NNRT_ReturnCode::NNRT_SUCCESS;
  }
};

int32_t Make(sptr<IPreparedModel>& preparedModel) {
  preparedModel = sptr<PreparedModelService>(new PreparedModelService);
  return NNRT_SUCCESS;
}

}  // namespace V2_0

namespace V1_0 {

// The name exists in both versions; a V1_0 driver gets V1_0's.
static_assert(!std::is_same_v<IPreparedModel, V2_0::IPreparedModel>);
static_assert(std::is_same_v<Model, V2_0::Model>);

}  // namespace V1_0
}  // namespace Nnrt
}  // namespace HDI
}  // namespace OHOS

// A V1_0 driver that opens the namespace once sees only V1_0 names.
namespace driver {

using namespace OHOS::HDI::Nnrt::V1_0;

class PreparedModelService : public IPreparedModel {
 public:
  int32_t ExportModelCache(std::vector<SharedBuffer>&) override { return NNRT_NOT_SUPPORT; }
  int32_t Run(const std::vector<IOTensor>&, const std::vector<IOTensor>&,
              std::vector<std::vector<int32_t>>& outputDims, std::vector<bool>& isEnough) override {
    outputDims = {{1}};
    isEnough = {true};
    return NNRT_SUCCESS;
  }
};

class DeviceService : public INnrtDevice {
 public:
  int32_t GetDeviceName(std::string& name) override {
    name = "old";
    return NNRT_SUCCESS;
  }
  int32_t GetVendorName(std::string& name) override { return GetDeviceName(name); }
  int32_t GetDeviceType(DeviceType& deviceType) override {
    deviceType = DeviceType::ACCELERATOR;
    return NNRT_SUCCESS;
  }
  int32_t GetDeviceStatus(DeviceStatus& status) override {
    status = DeviceStatus::AVAILABLE;
    return NNRT_SUCCESS;
  }
  int32_t GetSupportedOperation(const Model& model, std::vector<bool>& ops) override {
    ops.assign(model.nodes.size(), true);
    return NNRT_SUCCESS;
  }
  int32_t IsFloat16PrecisionSupported(bool& isSupported) override { return no(isSupported); }
  int32_t IsPerformanceModeSupported(bool& isSupported) override { return no(isSupported); }
  int32_t IsPrioritySupported(bool& isSupported) override { return no(isSupported); }
  int32_t IsDynamicInputSupported(bool& isSupported) override { return no(isSupported); }
  int32_t PrepareModel(const Model&, const ModelConfig&,
                       std::shared_ptr<IPreparedModel>& preparedModel) override {
    preparedModel = std::make_shared<PreparedModelService>();
    return NNRT_SUCCESS;
  }
  int32_t IsModelCacheSupported(bool& isSupported) override { return no(isSupported); }
  int32_t PrepareModelFromModelCache(const std::vector<SharedBuffer>&, const ModelConfig& config,
                                     std::shared_ptr<IPreparedModel>& preparedModel) override {
    return PrepareModel({}, config, preparedModel);
  }
  int32_t AllocateBuffer(uint32_t, SharedBuffer&) override { return NNRT_NOT_SUPPORT; }
  int32_t ReleaseBuffer(const SharedBuffer&) override { return NNRT_NOT_SUPPORT; }

 private:
  static int32_t no(bool& isSupported) {
    isSupported = false;
    return NNRT_SUCCESS;
  }
};

}  // namespace driver

TEST(OhosNames, SupportV1_0Drivers) {
  nnrt::hdi::V1_0::Adapter adapter(std::make_shared<driver::DeviceService>());
  std::string name;
  EXPECT_EQ(adapter.GetDeviceName(name), driver::NNRT_SUCCESS);
  EXPECT_EQ(name, "old");
  std::shared_ptr<nnrt::hdi::V2_0::IPreparedModel> model;
  ASSERT_EQ(adapter.PrepareModel({}, {}, model), driver::NNRT_SUCCESS);
  std::vector<std::vector<int32_t>> dims;
  EXPECT_EQ(model->Run({}, {}, dims), driver::NNRT_SUCCESS);
  EXPECT_EQ(dims.size(), 1u);
}

TEST(OhosNames, HeaderCommentsNameExistingInterfaces) {
  std::string text;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(HDI_HEADERS)) {
    if (entry.path().extension() != ".h") continue;
    std::ifstream file(entry.path());
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  const std::regex interface(R"(\bI[A-Z][a-z]+[A-Z]\w+)");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), interface), end; at != end; ++at)
    names.insert(at->str());
  EXPECT_TRUE(names.contains("IDeviceTraits"));
  for (const std::string& name : names)
    EXPECT_NE(text.find("class " + name + " "), std::string::npos) << name << " is declared nowhere.";
}

TEST(OhosNames, AllowOpenHarmonyDrivers) {
  namespace hdi = OHOS::HDI::Nnrt::V2_0;
  OHOS::sptr<hdi::IPreparedModel> model;
  ASSERT_EQ(hdi::Make(model), hdi::NNRT_SUCCESS);
  std::vector<std::vector<int32_t>> dims;
  EXPECT_EQ(model->Run({}, {}, dims), hdi::NNRT_SUCCESS);
  uint32_t major = 0, minor = 9;
  EXPECT_EQ(model->GetVersion(major, minor), hdi::NNRT_SUCCESS);
  EXPECT_EQ(major, 2u);
  hdi::Node node;
  node.attr = hdi::Conv2DFusion{};
  EXPECT_EQ(std::get<hdi::Conv2DFusion>(node.attr).padMode, hdi::PadMode::PAD_MODE_PAD);
}
