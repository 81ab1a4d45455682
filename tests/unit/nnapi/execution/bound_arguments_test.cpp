// Argument types versus the model's: known, with unknown dimensions, of unknown rank.
#include "tests/unit/nnapi/nnapi_test_handles.h"

#include <optional>

namespace nnapi_tests {
namespace {

enum class Place { buffer, memory, nowhere };

struct Binding {
  bool is_input;
  Place place;
  std::optional<std::vector<uint32_t>> given;  // empty: no type
};

int bind(const Ready& ready, const Binding& binding) {
  const SharedFile file(16);
  float buffer[4] = {};
  Type type = floats(binding.given.value_or(std::vector<uint32_t>()));
  const ANeuralNetworksOperandType* const given =
      binding.given ? type.operator const ANeuralNetworksOperandType*() : nullptr;
  float* const data = binding.place == Place::buffer ? buffer : nullptr;
  const size_t bytes = binding.place == Place::nowhere ? 0 : sizeof buffer;
  if (binding.place == Place::memory)
    return binding.is_input
               ? ANeuralNetworksExecution_setInputFromMemory(ready.get(), 0, given, file.get(), 0, bytes)
               : ANeuralNetworksExecution_setOutputFromMemory(ready.get(), 0, given, file.get(), 0, bytes);
  return binding.is_input ? ANeuralNetworksExecution_setInput(ready.get(), 0, given, data, bytes)
                          : ANeuralNetworksExecution_setOutput(ready.get(), 0, given, data, bytes);
}

bool is_known(const std::vector<uint32_t>& dims) {
  return !dims.empty() && std::find(dims.begin(), dims.end(), 0u) == dims.end();
}

// The header's rule: a type repeats everything that the model specifies, and completes an input's dimensions.
int expected(const std::vector<uint32_t>& model, const Binding& binding) {
  const std::vector<uint32_t> dims = binding.given.value_or(model);
  if (!model.empty()) {
    if (dims.size() != model.size()) return kData;
    for (size_t i = 0; i < dims.size(); ++i)
      if (model[i] != 0 && model[i] != dims[i]) return kData;
  }
  const bool needs_all = binding.is_input && binding.place != Place::nowhere;
  return needs_all && !is_known(dims) ? kData : kOk;
}

using Levels = std::vector<std::vector<uint32_t>>;

TEST(BoundArguments, CompleteDeclaredTypes) {
  size_t refused = 0;
  for (const auto& model : Levels{{2, 2}, {0, 2}, {2, 0}, {0, 0}, {}}) {
    const Ready made(false, floats(model));
    for (const auto& given : Levels{{2, 2}, {0, 2}, {2, 0}, {0, 0}, {}, {3, 2}, {4}, {2, 2, 1}, {77}}) {
      for (const Place place : {Place::buffer, Place::memory, Place::nowhere}) {
        for (const bool is_input : {true, false}) {
          Ready ready(false, floats(model));
          Binding binding{is_input, place, given};
          if (given == std::vector<uint32_t>{77}) binding.given.reset();
          int code = expected(model, binding);
          const auto& dims = binding.given.value_or(model);
          size_t count = 1;
          for (const uint32_t dimension : dims) count *= dimension;
          if (is_known(dims) && count != 4 && place != Place::nowhere) code = kData;
          EXPECT_EQ(bind(ready, binding), code)
              << "model " << testing::PrintToString(model) << ", given " << testing::PrintToString(dims)
              << ", place " << static_cast<int>(place) << (is_input ? ", input" : ", output");
          refused += code == kData ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(refused, 100u);
}

TEST(BoundArguments, OfScalarsHaveNoDimensions) {
  Ready ready;
  const int32_t fuse = 0;
  Type scalar = int_scalar(), tensor(ANEURALNETWORKS_TENSOR_INT32, {1});
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 2, tensor, &fuse, sizeof fuse), kData);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 2, scalar, &fuse, sizeof fuse), kOk);
}

TEST(BoundArguments, InferUnknownDimensions) {
  Ready ready(false, floats({0, 2}));
  const float a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40};
  float out[4] = {};
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 0, floats({2, 2}), a, sizeof a), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 1, floats({2, 2}), b, sizeof b), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 2, nullptr, &ready.fuse, sizeof ready.fuse), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(ready.get(), 0, floats({0, 2}), out, sizeof out), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_compute(ready.get()), kOk);
  EXPECT_EQ(out[0], 11);
  EXPECT_EQ(out[3], 44);
}

}  // namespace
}  // namespace nnapi_tests
