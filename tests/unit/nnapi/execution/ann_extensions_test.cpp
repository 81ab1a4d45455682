// Extensions (there are none), and the last error.
#include "tests/unit/nnapi/single_operation.h"

#include <android/NeuralNetworksExtensions.h>
#include <android/NeuralNetworksNNRt.h>

#include <thread>

namespace nnapi_tests {
namespace {

constexpr const char* kName = "com.example.extension";

TEST(Extensions, AreOnNoDevice) {
  for (const ANeuralNetworksDevice* const device : devices()) {
    bool is_supported = true;
    EXPECT_EQ(ANeuralNetworksDevice_getExtensionSupport(device, kName, &is_supported), kOk);
    EXPECT_FALSE(is_supported);
    EXPECT_EQ(ANeuralNetworksDevice_getExtensionSupport(nullptr, kName, &is_supported), kNull);
    EXPECT_EQ(ANeuralNetworksDevice_getExtensionSupport(device, nullptr, &is_supported), kNull);
    EXPECT_EQ(ANeuralNetworksDevice_getExtensionSupport(device, kName, nullptr), kNull);
  }
}

TEST(Extensions, HaveNoTypesAndNoOperations) {
  const Model model = open_add();
  for (const auto ask :
       {ANeuralNetworksModel_getExtensionOperandType, ANeuralNetworksModel_getExtensionOperationType}) {
    int32_t type = 0;
    EXPECT_EQ(ask(model.get(), kName, 0, &type), kData);
    EXPECT_EQ(ask(nullptr, kName, 0, &type), kNull);
    EXPECT_EQ(ask(model.get(), nullptr, 0, &type), kNull);
    EXPECT_EQ(ask(model.get(), kName, 0, nullptr), kNull);
  }
}

TEST(Extensions, KeepNothingOfAnOperand) {
  const Model model = open_add();
  const int32_t data = 0;
  const auto set = ANeuralNetworksModel_setOperandExtensionData;
  EXPECT_EQ(set(nullptr, 0, &data, 4), kNull);
  EXPECT_EQ(set(model.get(), 0, nullptr, 4), kNull);
  EXPECT_EQ(set(model.get(), 0, &data, 4), kData);
  EXPECT_EQ(set(model.get(), -1, &data, 4), kData);
  EXPECT_EQ(set(model.get(), 4, nullptr, 0), kData);
  EXPECT_EQ(set(add_model().get(), 0, &data, 4), kState);
}

TEST(Extensions, HaveNoAttributes) {
  const int32_t data = 0;
  Ready ready;
  const Compilation open = open_compilation(ready.model);
  const auto add_to_compilation = ANeuralNetworksCompilation_addExtensionAttribute;
  EXPECT_EQ(add_to_compilation(nullptr, kName, 0, &data, 4), kNull);
  EXPECT_EQ(add_to_compilation(open.get(), nullptr, 0, &data, 4), kNull);
  EXPECT_EQ(add_to_compilation(open.get(), kName, 0, nullptr, 4), kNull);
  EXPECT_EQ(add_to_compilation(open.get(), kName, 0, &data, 4), kData);
  EXPECT_EQ(add_to_compilation(ready.compilation.get(), kName, 0, &data, 4), kState);
  const auto add_to_execution = ANeuralNetworksExecution_addExtensionAttribute;
  EXPECT_EQ(add_to_execution(nullptr, kName, 0, &data, 4), kNull);
  EXPECT_EQ(add_to_execution(ready.get(), nullptr, 0, &data, 4), kNull);
  EXPECT_EQ(add_to_execution(ready.get(), kName, 0, nullptr, 4), kNull);
  EXPECT_EQ(add_to_execution(ready.get(), kName, 0, &data, 4), kData);
  ready.bind();
  EXPECT_EQ(ANeuralNetworksExecution_compute(ready.get()), kOk);
  EXPECT_EQ(add_to_execution(ready.get(), kName, 0, &data, 4), kState);
}

std::string last_error() {
  size_t length = 0;
  EXPECT_EQ(ANeuralNetworksNNRt_getLastError(nullptr, 0, &length), kOk);
  std::string text(length + 1, '?');
  EXPECT_EQ(ANeuralNetworksNNRt_getLastError(text.data(), text.size(), &length), kOk);
  EXPECT_EQ(text.back(), '\0');
  text.pop_back();
  return text;
}

TEST(LastError, DescribesFailedCall) {
  EXPECT_EQ(ANeuralNetworksModel_finish(nullptr), kNull);
  EXPECT_EQ(last_error(), "Argument model is null.");
  const Model model = new_model();  // successful calls do not change it
  EXPECT_EQ(last_error(), "Argument model is null.");
  EXPECT_EQ(finish(model), kData);
  EXPECT_EQ(last_error(), "The model has no operation.");
  std::thread([] { EXPECT_EQ(last_error(), ""); }).join();
}

TEST(LastError, SurvivesInvalidQuery) {
  EXPECT_EQ(ANeuralNetworksModel_finish(nullptr), kNull);
  char little[4] = "abc";
  size_t length = 0;
  EXPECT_EQ(ANeuralNetworksNNRt_getLastError(nullptr, 0, nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksNNRt_getLastError(nullptr, 1, &length), kNull);
  EXPECT_EQ(ANeuralNetworksNNRt_getLastError(little, sizeof little, &length), kData);
  EXPECT_STREQ(little, "abc");
  EXPECT_EQ(last_error(), "Argument model is null.");
}

TEST(LastError, DescribesFailedComputation) {
  for (const bool is_started : {false, true}) {
    Ready ready;
    ready.fuse = 999;
    ready.bind();
    EXPECT_EQ(ANeuralNetworksModel_finish(nullptr), kNull);
    if (is_started) {
      ANeuralNetworksEvent* made = nullptr;
      EXPECT_EQ(ANeuralNetworksExecution_startCompute(ready.get(), &made), kOk);
      const Event event(made);
      EXPECT_EQ(ANeuralNetworksEvent_wait(made), kFailed);
    } else {
      EXPECT_EQ(ANeuralNetworksExecution_compute(ready.get()), kFailed);
    }
    EXPECT_EQ(last_error(), "Fuse code (999) is outside [0, 3]. While preparing operation 0.");
  }
}

}  // namespace
}  // namespace nnapi_tests
