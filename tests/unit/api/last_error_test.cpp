// OH_NNRt_GetLastError: the reason for the last failure on a thread.
#include "tests/unit/api/api_test_handles.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <thread>

namespace {

std::string last_error() { return api_tests::text_of(OH_NNRt_GetLastError); }

}  // namespace

TEST(LastError, DescribesFailedCall) {
  EXPECT_EQ(OH_NNModel_Finish(nullptr), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(last_error(), "Argument model is null.");
  OH_NNModel* model = OH_NNModel_Construct();  // successful calls do not change it
  EXPECT_EQ(last_error(), "Argument model is null.");
  EXPECT_EQ(OH_NNCompilation_Construct(nullptr), nullptr);
  EXPECT_EQ(OH_NNModel_SetTensorType(model, 3, OH_NN_TENSOR), OH_NN_INVALID_PARAMETER);
  EXPECT_NE(last_error(), "Argument model is null.");
  OH_NNModel_Destroy(&model);
}

TEST(LastError, BelongsToItsThread) {
  EXPECT_EQ(OH_NNModel_Finish(nullptr), OH_NN_INVALID_PARAMETER);
  std::thread([] { EXPECT_EQ(last_error(), ""); }).join();
}

TEST(LastError, SurvivesInvalidQuery) {
  EXPECT_EQ(OH_NNModel_Finish(nullptr), OH_NN_INVALID_PARAMETER);
  char little[4] = "abc";
  size_t length = 0;
  EXPECT_EQ(OH_NNRt_GetLastError(nullptr, 0, nullptr), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_GetLastError(nullptr, 1, &length), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_GetLastError(little, sizeof little, &length), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(length, std::string("Argument model is null.").size());
  EXPECT_STREQ(little, "abc");
  EXPECT_EQ(last_error(), "Argument model is null.");
}
