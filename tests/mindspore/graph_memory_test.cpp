// Memory that a graph's model takes: each constant is copied once, and the client's may be freed.
#include "tests/import/mindspore/product_file.h"
#include "tests/mindspore/lite_graph_maker.h"
#include "tests/support/process_resources.h"
#include "tests/unit/api/api_test_handles.h"

#include <neural_network_runtime/neural_network_runtime_inner.h>

#include <algorithm>

namespace nnrt::test {
namespace {

using namespace api_tests;

// Peak memory of a model with this many rows of weights, besides the client's graph.
size_t memory_of_model(int64_t rows) {
  const Bytes file = product_file(rows, 0.5f);
  LiteGraph* const graph = load_graph(file);
  const size_t before = held().resident;
  forget_peak();
  const Model model(OH_NNModel_Construct());
  EXPECT_EQ(OH_NNModel_BuildFromLiteGraph(model.get(), graph, nullptr, 0), OH_NN_SUCCESS);
  return peak_resident() - std::min(before, peak_resident());
}

TEST(GraphMemory, HasWeightsOnce) { expect_weights_once(16 << 10, memory_of_model); }  // 64 MiB

// MindSpore may free the model's buffer after Build, which the runtime must not read again.
TEST(GraphMemory, DoesNotReferToTheClientsBuffer) {
  Bytes file = product_file(4, 0.5f);
  Model model(OH_NNModel_Construct());
  ASSERT_EQ(OH_NNModel_BuildFromLiteGraph(model.get(), load_graph(file), nullptr, 0), OH_NN_SUCCESS);
  std::ranges::fill(file, std::byte{0xff});
  file = {};
  const Compilation compilation(OH_NNCompilation_Construct(model.get()));
  ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  model.reset();
  const Executor executor(OH_NNExecutor_Construct(compilation.get()));
  const api_tests::Tensor x = tensor_of({1, 1024}, std::vector<float>(1024, 1)), y = tensor_of({1, 4});
  NN_Tensor *inputs[] = {x.get()}, *outputs[] = {y.get()};
  ASSERT_EQ(OH_NNExecutor_RunSync(executor.get(), inputs, 1, outputs, 1), OH_NN_SUCCESS);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(static_cast<const float*>(OH_NNTensor_GetDataBuffer(y.get()))[i], 512);
}

}  // namespace
}  // namespace nnrt::test
