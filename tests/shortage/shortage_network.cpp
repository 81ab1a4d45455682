#include "tests/shortage/shortage_network.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace nnrt::test {
namespace {

using namespace api_tests;

std::vector<float> numbers(int32_t count, float step) {
  std::vector<float> values;
  for (int32_t i = 0; i < count; ++i) values.push_back(step * float(i % 13 - 6));
  return values;
}
std::vector<float> x_values(int32_t rows) { return numbers(rows * kInner, 0.25f); }
std::vector<float> w_values() { return numbers(kInner * kOuter, 0.125f); }
std::vector<float> b_values() { return numbers(kOuter, 0.5f); }

std::vector<float> expected_y(int32_t rows) {
  const std::vector<float> x = x_values(rows), w = w_values(), b = b_values();
  std::vector<float> y;
  for (int32_t row = 0; row < rows; ++row) {
    for (int32_t column = 0; column < kOuter; ++column) {
      float sum = b[size_t(column)];
      for (int32_t i = 0; i < kInner; ++i)
        sum += x[size_t(row * kInner + i)] * w[size_t(i * kOuter + column)];
      y.push_back(std::max(sum, 0.0f) + 1);
    }
  }
  return y;
}

void expect_right_values(const float* values, int32_t rows) {
  const std::vector<float> expected = expected_y(rows);
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::abs(values[i] - expected[i]) < 1e-4f * (1 + std::abs(expected[i]))) continue;
    ADD_FAILURE() << "y[" << i << "] is " << values[i] << ", not " << expected[i];
    return;
  }
}

Desc make_desc(Attempts& attempts, const std::vector<int32_t>& shape, OH_NN_DataType type) {
  Desc desc = attempts.get<Desc>("TensorDesc_Create", [] { return OH_NNTensorDesc_Create(); });
  attempts.make("SetDataType", [&] { return OH_NNTensorDesc_SetDataType(desc.get(), type); });
  attempts.make("SetShape", [&] { return OH_NNTensorDesc_SetShape(desc.get(), shape.data(), shape.size()); });
  attempts.make("SetName", [&] { return OH_NNTensorDesc_SetName(desc.get(), "a name that takes memory"); });
  attempts.make("SetFormat", [&] { return OH_NNTensorDesc_SetFormat(desc.get(), OH_NN_FORMAT_NONE); });
  return desc;
}

// Adds and numbers tensors and operations.
class Composer {
 public:
  Composer(Attempts& attempts, OH_NNModel* model) : attempts_(attempts), model_(model) {}

  uint32_t tensor(const std::vector<int32_t>& shape, const std::vector<float>& data = {},
                  OH_NN_DataType type = OH_NN_FLOAT32) {
    const Desc desc = make_desc(attempts_, shape, type);
    attempts_.make("AddTensorToModel", [&] { return OH_NNModel_AddTensorToModel(model_, desc.get()); });
    if (!data.empty()) {
      attempts_.make("SetTensorData", [&] {
        return OH_NNModel_SetTensorData(model_, count_, data.data(), data.size() * sizeof(float));
      });
    }
    return count_++;
  }
  void operation(OH_NN_OperationType type, const Indices& inputs, const Indices& outputs) {
    const Indices none{};
    attempts_.make("AddOperation",
                   [&] { return OH_NNModel_AddOperation(model_, type, &none, &inputs, &outputs); });
  }
  void finish(const Indices& inputs, const Indices& outputs) {
    attempts_.make("SpecifyInputsAndOutputs",
                   [&] { return OH_NNModel_SpecifyInputsAndOutputs(model_, &inputs, &outputs); });
    attempts_.make("Finish", [&] { return OH_NNModel_Finish(model_); });
  }

 private:
  Attempts& attempts_;
  OH_NNModel* model_;
  uint32_t count_ = 0;
};

Tensor make_tensor(Attempts& attempts, const std::vector<int32_t>& shape, OH_NN_DataType type,
                   size_t offset) {
  const Desc desc = make_desc(attempts, shape, type);
  if (offset == 0)
    return attempts.get<Tensor>("Tensor_Create", [&] { return OH_NNTensor_Create(0, desc.get()); });
  size_t bytes = 0;
  attempts.make("GetByteSize", [&] { return OH_NNTensorDesc_GetByteSize(desc.get(), &bytes); });
  const int fd = memfd_create("shortage", MFD_CLOEXEC);
  EXPECT_EQ(ftruncate(fd, off_t(bytes + offset)), 0);
  Tensor tensor = attempts.get<Tensor>(
      "CreateWithFd", [&] { return OH_NNTensor_CreateWithFd(0, desc.get(), fd, bytes + offset, offset); });
  close(fd);
  return tensor;
}

template <typename T>
void fill(const Tensor& tensor, const std::vector<T>& values) {
  if (tensor == nullptr) return;
  std::memcpy(OH_NNTensor_GetDataBuffer(tensor.get()), values.data(), values.size() * sizeof(T));
}

}  // namespace

Model make_model(Attempts& attempts, int32_t rows) {
  Model model = attempts.get<Model>("Model_Construct", [] { return OH_NNModel_Construct(); });
  Composer composer(attempts, model.get());
  const uint32_t x = composer.tensor({rows, kInner}), w = composer.tensor({kInner, kOuter}, w_values());
  const uint32_t product = composer.tensor({rows, kOuter}), b = composer.tensor({kOuter}, b_values());
  const uint32_t sum = composer.tensor({rows, kOuter}), positive = composer.tensor({rows, kOuter});
  const uint32_t shape = composer.tensor({2}, {}, OH_NN_INT32), reshaped = composer.tensor({-1, -1});
  const uint32_t one = composer.tensor({1}, {1}), y = composer.tensor({-1, -1});
  composer.operation(OH_NN_OPS_MATMUL, {x, w}, {product});
  composer.operation(OH_NN_OPS_ADD, {product, b}, {sum});
  composer.operation(OH_NN_OPS_RELU, {sum}, {positive});
  composer.operation(OH_NN_OPS_RESHAPE, {positive, shape}, {reshaped});
  composer.operation(OH_NN_OPS_ADD, {reshaped, one}, {y});
  composer.finish({x, shape}, {y});
  return model;
}

Model make_model(int32_t rows) {
  Attempts attempts;
  return make_model(attempts, rows);
}

Model make_small_model() {
  Attempts attempts;
  Model model(OH_NNModel_Construct());
  Composer composer(attempts, model.get());
  const std::vector<int32_t> shape{4};
  const uint32_t x = composer.tensor(shape), squared = composer.tensor(shape), y = composer.tensor(shape);
  composer.operation(OH_NN_OPS_SQUARE, {x}, {squared});
  composer.operation(OH_NN_OPS_SOFTMAX, {squared}, {y});
  composer.finish({x}, {y});
  return model;
}

Compilation make_compilation(Attempts& attempts, const OH_NNModel* model, const Settings& settings) {
  Compilation compilation = attempts.get<Compilation>("Compilation_Construct", [&] {
    return model == nullptr ? OH_NNCompilation_ConstructForCache() : OH_NNCompilation_Construct(model);
  });
  OH_NNCompilation* const c = compilation.get();
  attempts.make("SetDevice", [&] { return OH_NNCompilation_SetDevice(c, settings.device); });
  for (const char* const name : {"nnrt.fallback", "of nobody, and long"}) {
    constexpr std::string_view kOn = "on";
    attempts.make("AddExtensionConfig",
                  [&] { return OH_NNCompilation_AddExtensionConfig(c, name, kOn.data(), kOn.size()); });
  }
  if (!settings.cache.empty())
    attempts.make("SetCache", [&] { return OH_NNCompilation_SetCache(c, settings.cache.c_str(), 1); });
  return compilation;
}

Compilation build(Attempts& attempts, const OH_NNModel* model, const Settings& settings) {
  Compilation compilation;
  attempts.make("Build", [&] {
    compilation = make_compilation(attempts, model, settings);
    return OH_NNCompilation_Build(compilation.get());
  });
  return compilation;
}

Compilation build(const OH_NNModel* model, const Settings& settings) {
  Attempts attempts;
  return build(attempts, model, settings);
}

Tensors::Tensors(Attempts& attempts, int32_t count, size_t offset)
    : rows(count),
      x(make_tensor(attempts, {rows, kInner}, OH_NN_FLOAT32, offset)),
      shape(make_tensor(attempts, {2}, OH_NN_INT32, 0)),
      y(make_tensor(attempts, {rows * 2, kOuter / 2}, OH_NN_FLOAT32, offset)) {
  fill(x, x_values(rows));
  fill(shape, std::vector<int32_t>{rows * 2, kOuter / 2});
}

void Tensors::expect_right() const {
  expect_right_values(static_cast<const float*>(OH_NNTensor_GetDataBuffer(y.get())), rows);
}

void Tensors::clear() const { fill(y, std::vector<float>(size_t(rows * kOuter), -1)); }

void run(Attempts& attempts, const Executor& executor, const Tensors& tensors) {
  tensors.clear();
  attempts.make("RunSync", [&] {
    return api_tests::run(executor.get(), {tensors.x.get(), tensors.shape.get()}, {tensors.y.get()});
  });
  tensors.expect_right();
}

// A started run's result is reported exactly once, by its completion callback.
void run_deferred(Attempts& attempts, const Executor& executor, const Tensors& tensors) {
  tensors.clear();
  attempts.make("RunAsync", [&] {
    RunLog log;
    NotedRun noted{log};
    const OH_NN_ReturnCode begun =
        run_async(executor.get(), {tensors.x.get(), tensors.shape.get()}, {tensors.y.get()}, &noted);
    if (begun != OH_NN_SUCCESS) return begun;
    const std::vector<RunLog::Entry> entries = log.wait_for(1);
    EXPECT_EQ(entries.size(), 1u);
    return entries.empty() ? OH_NN_FAILED : entries.front().code;
  });
  tensors.expect_right();
}

void run_as_api_9(Attempts& attempts, const Executor& executor, int32_t rows) {
  OH_NNExecutor* const e = executor.get();
  const std::vector<float> x = x_values(rows);
  const std::vector<int32_t> x_shape{rows, kInner}, two{2}, shape{rows * 2, kOuter / 2};
  std::vector<float> y(size_t(rows * kOuter), -1);
  const OH_NN_Tensor x_tensor = legacy_tensor(x_shape), shape_tensor = legacy_tensor(two, OH_NN_INT32);
  attempts.make("SetInput",
                [&] { return OH_NNExecutor_SetInput(e, 0, &x_tensor, x.data(), x.size() * sizeof(float)); });
  OH_NN_Memory* memory = nullptr;
  attempts.make("AllocateInputMemory", [&] {
    memory = OH_NNExecutor_AllocateInputMemory(e, 1, 2 * sizeof(int32_t));
    return memory == nullptr ? OH_NN_MEMORY_ERROR : OH_NN_SUCCESS;
  });
  if (memory == nullptr) return;
  std::memcpy(const_cast<void*>(memory->data), shape.data(), 2 * sizeof(int32_t));
  attempts.make("SetInputWithMemory",
                [&] { return OH_NNExecutor_SetInputWithMemory(e, 1, &shape_tensor, memory); });
  attempts.make("SetOutput",
                [&] { return OH_NNExecutor_SetOutput(e, 0, y.data(), y.size() * sizeof(float)); });
  attempts.make("Run", [&] { return OH_NNExecutor_Run(e); });
  expect_right_values(y.data(), rows);
  OH_NNExecutor_DestroyInputMemory(e, 1, &memory);
}

void expect_works(const Compilation& compilation, int32_t rows) {
  Attempts attempts;
  const Executor executor(OH_NNExecutor_Construct(compilation.get()));
  run(attempts, executor, Tensors(attempts, rows));
  EXPECT_EQ(attempts.failures(), 0u);
}

}  // namespace nnrt::test
