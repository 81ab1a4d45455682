// OH_NNRt_GetLastError: the reason for the last failure on a thread.
#include <neural_network_runtime/neural_network_core.h>
#include <neural_network_runtime/neural_network_runtime.h>
#include <neural_network_runtime/nnrt_extensions.h>

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace {

std::string last_error() {
  size_t length = 0;
  EXPECT_EQ(OH_NNRt_GetLastError(nullptr, 0, &length), OH_NN_SUCCESS);
  std::string text(length + 1, '?');
  EXPECT_EQ(OH_NNRt_GetLastError(text.data(), text.size(), &length), OH_NN_SUCCESS);
  EXPECT_EQ(text.back(), '\0');
  text.pop_back();
  return text;
}

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
