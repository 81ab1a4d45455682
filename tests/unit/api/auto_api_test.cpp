// The auto device, in a process that offers it.
#include "tests/unit/api/api_test_handles.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

using namespace api_tests;

namespace {

void require(bool holds, int number) {
  if (holds) return;
  std::cerr << "Requirement " << number << " does not hold.\n";
  _exit(number);
}

// Ends the process: 0, or the number of the failed check.
[[noreturn]] void use_auto(const char* devices, uint32_t expected_devices) {
  setenv("NNRT_DEVICES", devices, 1);
  const size_t* ids = nullptr;
  uint32_t count = 0;
  require(OH_NNDevice_GetAllDevicesID(&ids, &count) == OH_NN_SUCCESS && count > 0, 1);
  require(expected_devices == 0 || count == expected_devices, 2);
  const size_t last = ids[count - 1];
  const char* name = nullptr;
  OH_NN_DeviceType type = OH_NN_CPU;
  require(OH_NNDevice_GetName(last, &name) == OH_NN_SUCCESS && std::string_view(name) == "NNRt auto", 3);
  require(OH_NNDevice_GetType(last, &type) == OH_NN_SUCCESS && type == OH_NN_OTHERS, 4);

  const Model model = finished_model({2});
  const bool* supported = nullptr;
  uint32_t operations = 0;
  require(OH_NNModel_GetAvailableOperations(model.get(), last, &supported, &operations) == OH_NN_SUCCESS, 5);
  require(operations == 2 && supported[0] && supported[1], 6);
  const Compilation compilation(OH_NNCompilation_Construct(model.get()));
  require(OH_NNCompilation_SetDevice(compilation.get(), last) == OH_NN_SUCCESS, 7);
  require(OH_NNCompilation_Build(compilation.get()) == OH_NN_SUCCESS, 8);
  const Executor executor(OH_NNExecutor_Construct(compilation.get()));
  const Tensor a = tensor_of({2}, {1, -3}), b = tensor_of({2}, {1, 1}), y = tensor_of({2});
  require(run(executor.get(), {a.get(), b.get()}, {y.get()}) == OH_NN_SUCCESS, 9);
  require(values_of(y, 2) == std::vector<float>{2, 0}, 10);
  _exit(0);
}

// Asks the first device about an addition of FLOAT64, which GPUs lack, as MindSpore Lite of OpenHarmony 3.2
// does, and runs it there. Ends the process.
[[noreturn]] void add_float64_on_auto() {
  setenv("NNRT_DEVICES", "auto", 1);
  const Model model(OH_NNModel_Construct());
  for (int i = 0; i < 3; ++i)
    require(OH_NNModel_AddTensorToModel(model.get(), desc_of({1}, OH_NN_FLOAT64).get()) == OH_NN_SUCCESS, 1);
  const Indices none{}, a_b{0, 1}, y{2};
  require(OH_NNModel_AddOperation(model.get(), OH_NN_OPS_ADD, &none, &a_b, &y) == OH_NN_SUCCESS, 2);
  require(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &a_b, &y) == OH_NN_SUCCESS, 3);
  require(OH_NNModel_Finish(model.get()) == OH_NN_SUCCESS, 4);
  const size_t* ids = nullptr;
  const bool* supported = nullptr;
  uint32_t count = 0;
  require(OH_NNDevice_GetAllDevicesID(&ids, &count) == OH_NN_SUCCESS && count > 0, 5);
  require(OH_NNModel_GetAvailableOperations(model.get(), ids[0], &supported, &count) == OH_NN_SUCCESS, 6);
  require(count == 1 && supported[0], 7);
  const Compilation compilation(OH_NNCompilation_Construct(model.get()));
  require(OH_NNCompilation_SetDevice(compilation.get(), ids[0]) == OH_NN_SUCCESS, 8);
  require(OH_NNCompilation_Build(compilation.get()) == OH_NN_SUCCESS, 9);
  const Executor executor(OH_NNExecutor_Construct(compilation.get()));
  const std::vector<int32_t> shape{1};
  const OH_NN_Tensor tensor = legacy_tensor(shape, OH_NN_FLOAT64);
  const double one = 1, two = 2;
  double sum = 0;
  require(OH_NNExecutor_SetInput(executor.get(), 0, &tensor, &one, sizeof one) == OH_NN_SUCCESS, 10);
  require(OH_NNExecutor_SetInput(executor.get(), 1, &tensor, &two, sizeof two) == OH_NN_SUCCESS, 11);
  require(OH_NNExecutor_SetOutput(executor.get(), 0, &sum, sizeof sum) == OH_NN_SUCCESS, 12);
  require(OH_NNExecutor_Run(executor.get()) == OH_NN_SUCCESS && sum == 3, 13);
  _exit(0);
}

class Auto : public testing::Test {
 protected:
  Auto() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }  // a process of its own
};

}  // namespace

TEST_F(Auto, IsListedBehindTheOthers) {
  EXPECT_EXIT(use_auto("cpu,auto", 2), testing::ExitedWithCode(0), "");
}

// With all devices; without a driver that is the CPU.
TEST_F(Auto, AloneIsTheOnlyDevice) { EXPECT_EXIT(use_auto("auto", 1), testing::ExitedWithCode(0), ""); }

TEST_F(Auto, AloneSupportsOperatorsGpusLack) {
  EXPECT_EXIT(add_float64_on_auto(), testing::ExitedWithCode(0), "");
}

TEST_F(Auto, IsListedBehindGpus) {
  EXPECT_EXIT(use_auto("vulkan,cpu,auto", 0), testing::ExitedWithCode(0), "");
}
