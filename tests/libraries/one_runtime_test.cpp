// What the libraries have in common in a process that uses all of them.
#include "tests/nnapi/front_ends/paired_graph.h"
#ifdef NNRT_VULKAN
#include "tests/support/fault_layer/fault_layer.h"
#endif

#ifdef DIGITS
#include <neural_network_runtime/nnrt_import.h>
#endif

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <future>
#include <iterator>
#include <thread>

namespace nnrt::front_ends {
namespace {

void import_model([[maybe_unused]] bool on_gpu) {
#ifdef DIGITS
  OH_NNRt_ImportedModel* imported = nullptr;
  ASSERT_EQ(OH_NNRt_ImportModel(DIGITS, nullptr, &imported), OH_NN_SUCCESS);
  const OH_NNModel* model = nullptr;
  EXPECT_EQ(OH_NNRt_ImportedModel_GetModel(imported, &model), OH_NN_SUCCESS);
  const api_tests::Compilation compilation(OH_NNCompilation_Construct(model));
  if (on_gpu) {
    const size_t gpu = api_tests::device_ids().at(0);
    EXPECT_EQ(OH_NNCompilation_SetDevice(compilation.get(), gpu), OH_NN_SUCCESS);
  }
  EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  OH_NNRt_ImportedModel_Destroy(&imported);
#endif
}

void use_all_libraries(bool on_gpu) {
  PairedGraph graph(Kind::floats);
  const Paired input = graph.tensor({1, 16, 16, 8}), output = graph.tensor(input.shape);
  graph.add_oh(OH_NN_OPS_TANH, {input.oh}, {}, output);
  graph.add_nn(ANEURALNETWORKS_TANH, {input.nn}, output);
  graph.finish(input, output);
  const std::vector<std::byte> zeros(input.elements() * sizeof(float));
  EXPECT_EQ(graph.run_oh(zeros, on_gpu), zeros);
  EXPECT_EQ(graph.run_nn(zeros, on_gpu), zeros);
  import_model(on_gpu);
}

size_t threads_of_process() {
  return size_t(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

TEST(OneRuntime, HasOnePoolOfThreads) {
  ASSERT_STREQ(std::getenv("NNRT_THREADS"), "5");
  // With the first thread, some sanitizers start one of their own.
  std::promise<void> end;
  std::thread first([&] { end.get_future().wait(); });
  const size_t before = threads_of_process();
  use_all_libraries(false);
  EXPECT_EQ(threads_of_process(), before + 4);
  end.set_value();
  first.join();
}

#ifdef NNRT_VULKAN
TEST(OneRuntimeOnGpu, OpensOneDevice) {
  use_all_libraries(true);
  EXPECT_EQ(fault::live().at("Device"), 1);
}
#endif

}  // namespace
}  // namespace nnrt::front_ends
