// A driver's class as it is written on OpenHarmony, over the headers here.
#include <neural_network_runtime/hdi/ohos_names.h>

#include <gtest/gtest.h>

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

// Both versions have this name; a driver of V1_0 means its own.
static_assert(!std::is_same_v<IPreparedModel, V2_0::IPreparedModel>);
static_assert(std::is_same_v<Model, V2_0::Model>);

}  // namespace V1_0
}  // namespace Nnrt
}  // namespace HDI
}  // namespace OHOS

TEST(OhosNames, LetADriverBeWrittenAsItIsThere) {
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
