// What the libraries have in common in a process that uses all of them.
#include "tests/nnapi/front_ends/paired_graph.h"
#ifdef NNRT_VULKAN
#include "tests/support/fault_layer/fault_layer.h"
#endif

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>

namespace nnrt::front_ends {
namespace {

void use_all_libraries(bool on_gpu) {
  PairedGraph graph(Kind::floats);
  const Paired input = graph.tensor({1, 16, 16, 8}), output = graph.tensor(input.shape);
  graph.add_oh(OH_NN_OPS_TANH, {input.oh}, {}, output);
  graph.add_nn(ANEURALNETWORKS_TANH, {input.nn}, output);
  graph.finish(input, output);
  const std::vector<std::byte> zeros(input.elements() * sizeof(float));
  EXPECT_EQ(graph.run_oh(zeros, on_gpu), zeros);
  EXPECT_EQ(graph.run_nn(zeros, on_gpu), zeros);
}

size_t threads_of_process() {
  return size_t(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

TEST(OneRuntime, HasOnePoolOfThreads) {
  ASSERT_STREQ(std::getenv("NNRT_THREADS"), "5");
  use_all_libraries(false);
  EXPECT_EQ(threads_of_process(), 5u);
}

#ifdef NNRT_VULKAN
TEST(OneRuntimeOnGpu, OpensOneDevice) {
  use_all_libraries(true);
  EXPECT_EQ(fault::live().at("Device"), 1);
}
#endif

}  // namespace
}  // namespace nnrt::front_ends
