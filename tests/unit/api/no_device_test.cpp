// A process without devices: nothing crashes, and each function returns the right code.
#include "tests/unit/api/api_test_handles.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>

using namespace api_tests;

namespace {

OH_NN_ReturnCode list() {
  const size_t* ids = nullptr;
  uint32_t count = 1;
  const OH_NN_ReturnCode code = OH_NNDevice_GetAllDevicesID(&ids, &count);
  return ids == nullptr && count == 0 ? code : OH_NN_NULL_PTR;
}

OH_NN_ReturnCode name() {
  const char* text = nullptr;
  const OH_NN_ReturnCode code = OH_NNDevice_GetName(0, &text);
  return text == nullptr ? code : OH_NN_NULL_PTR;
}

OH_NN_ReturnCode type() {
  OH_NN_DeviceType value = OH_NN_OTHERS;
  return OH_NNDevice_GetType(0, &value);
}

OH_NN_ReturnCode available_operations() {
  const bool* flags = nullptr;
  uint32_t count = 0;
  return OH_NNModel_GetAvailableOperations(finished_model({2}).get(), 0, &flags, &count);
}

OH_NN_ReturnCode build() {
  const Compilation compilation(OH_NNCompilation_Construct(finished_model({2}).get()));
  const OH_NN_ReturnCode code = OH_NNCompilation_Build(compilation.get());
  return OH_NNExecutor_Construct(compilation.get()) == nullptr ? code : OH_NN_NULL_PTR;
}

OH_NN_ReturnCode tensors() {
  const Desc desc = desc_of({2});
  const bool none = OH_NNTensor_Create(0, desc.get()) == nullptr &&
                    OH_NNTensor_CreateWithSize(0, desc.get(), 8) == nullptr &&
                    OH_NNTensor_CreateWithFd(0, desc.get(), 0, 8, 0) == nullptr;
  return none ? OH_NN_SUCCESS : OH_NN_NULL_PTR;
}

// Ends the process: 0, or the number of the first wrong result.
[[noreturn]] void ask_everything() {
  setenv("NNRT_DEVICES", "none", 1);
  const std::pair<OH_NN_ReturnCode (*)(), OH_NN_ReturnCode> answers[] = {
      {list, OH_NN_SUCCESS},           {name, OH_NN_FAILED},
      {type, OH_NN_INVALID_PARAMETER}, {available_operations, OH_NN_FAILED},
      {build, OH_NN_FAILED},           {tensors, OH_NN_SUCCESS},
  };
  int number = 0;
  for (const auto& [ask, expected] : answers) {
    ++number;
    if (const OH_NN_ReturnCode code = ask(); code != expected) {
      std::cerr << "Answer " << number << " is " << code << ", not " << expected << ".\n";
      _exit(number);
    }
  }
  _exit(0);
}

}  // namespace

TEST(NoDevice, EveryFunctionAnswersWithItsCode) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process: this one already has devices
  EXPECT_EXIT(ask_everything(), testing::ExitedWithCode(0), "");
}
