#include "tests/faults/fault_scenario.h"

#include "tests/support/fault_layer/fault_layer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <span>

namespace nnrt::test {
namespace {

using namespace api_tests;

constexpr int32_t kElements = 64;  // elements of y

template <typename T>
uint32_t add_tensor(OH_NNModel* model, uint32_t& count, const std::vector<int32_t>& shape,
                    OH_NN_DataType type, const std::vector<T>& data = {}) {
  const Desc desc = desc_of(shape, type);
  EXPECT_EQ(OH_NNTensorDesc_SetFormat(desc.get(), OH_NN_FORMAT_NHWC), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_AddTensorToModel(model, desc.get()), OH_NN_SUCCESS);
  if (!data.empty()) {
    EXPECT_EQ(OH_NNModel_SetTensorData(model, count, data.data(), data.size() * sizeof(T)), OH_NN_SUCCESS);
  }
  return count++;
}

std::vector<float> numbers(size_t count, float step) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = step * static_cast<float>(i % 17) - 0.5f;
  return values;
}

Tensor tensor_at(const Desc& desc, size_t bytes, size_t offset) {
  const int fd = memfd_create("faults", MFD_CLOEXEC);
  EXPECT_EQ(ftruncate(fd, static_cast<off_t>(bytes + offset)), 0);
  Tensor tensor(OH_NNTensor_CreateWithFd(0, desc.get(), fd, bytes + offset, offset));
  close(fd);
  EXPECT_NE(tensor, nullptr);
  return tensor;
}

Tensor make_tensor(const std::vector<int32_t>& shape, size_t elements, Lies lies) {
  if (lies == Lies::plain) return tensor_of(shape);
  return tensor_at(desc_of(shape), elements * sizeof(float), 4);
}

// Describes wrong callbacks of a started run; empty if they are correct.
std::string judge(std::span<const RunLog::Entry> entries, OH_NN_ReturnCode& code) {
  if (entries.empty()) return "There is no callback.";
  code = entries.back().code;
  if (entries.back().died) return "OnServiceDied is not followed by OnRunDone.";
  const size_t wanted = code == OH_NN_UNAVAILABLE_DEVICE ? 2 : 1;
  if (entries.size() != wanted) return "The number of callbacks is " + std::to_string(entries.size()) + ".";
  return wanted == 1 || entries.front().died ? "" : "OnServiceDied is not called.";
}

// The started runs of one executor, as steps.
class AsyncRuns {
 public:
  explicit AsyncRuns(Executor executor) : executor_(std::move(executor)) {}

  void start(const std::string& name, const Tensor& x, const Tensor& shape, Tensor y) {
    NotedRun& run = runs_.emplace_back(NotedRun{log_, static_cast<int>(runs_.size())});
    const auto code = run_async(executor_.get(), {x.get(), shape.get()}, {y.get()}, &run);
    steps_.push_back({name, 0, 0, code, {}, {}});
    outputs_.push_back(std::move(y));
  }
  std::vector<Step> finish() {
    executor_.reset();
    const std::vector<RunLog::Entry> entries = log_.entries();
    for (size_t i = 0; i < steps_.size(); ++i) {
      std::vector<RunLog::Entry> own;
      std::ranges::copy_if(entries, std::back_inserter(own),
                           [&](const auto& entry) { return entry.run == static_cast<int>(i); });
      Step& step = steps_[i];
      if (step.code == OH_NN_SUCCESS) {
        step.wrong_callbacks = judge(own, step.code);
      } else if (!own.empty()) {
        step.wrong_callbacks = "A run that did not begin has callbacks.";
      }
      step.values = values_of(outputs_[i], kElements);
    }
    return steps_;
  }

 private:
  RunLog log_;
  std::deque<NotedRun> runs_;
  std::vector<Step> steps_;
  std::vector<Tensor> outputs_;
  Executor executor_;  // last, because its runs use all other members
};

Step run_step(const std::string& name, int compilation, const Executor& executor, const Tensor& x,
              const Tensor& shape, const Tensor& y) {
  const OH_NN_ReturnCode code = run(executor.get(), {x.get(), shape.get()}, {y.get()});
  return {name, compilation, 0, code, values_of(y, kElements), {}};
}

// A compilation's exported bytes, which must outlive what is restored from them.
struct Exported {
  explicit Exported(const Compilation& compilation)
      : code(OH_NNCompilation_ExportCacheToBuffer(compilation.get(), buffer.data(), buffer.size(), &bytes)) {}

  Compilation import(size_t device) const {
    Compilation compilation(OH_NNCompilation_ConstructForCache());
    EXPECT_EQ(OH_NNCompilation_ImportCacheFromBuffer(compilation.get(), buffer.data(), bytes), OH_NN_SUCCESS);
    EXPECT_EQ(OH_NNCompilation_SetDevice(compilation.get(), device), OH_NN_SUCCESS);
    return compilation;
  }

  std::vector<char> buffer = std::vector<char>(1 << 22);
  size_t bytes = 0;
  OH_NN_ReturnCode code;
};

// A second compilation, restored from the first one's export.
void play_restored(size_t device, const Compilation& first, std::vector<Step>& steps) {
  const size_t calls = fault::calls().size();
  const Exported exported(first);
  steps.push_back({"export", 0, calls, exported.code, {}, {}});
  if (exported.code != OH_NN_SUCCESS) return;
  const Compilation second = exported.import(device);
  steps.push_back({"restoring Build", 1, 0, OH_NNCompilation_Build(second.get()), {}, {}});
  if (steps.back().code != OH_NN_SUCCESS) return;
  const Executor executor(OH_NNExecutor_Construct(second.get()));
  steps.push_back(run_step("restored run", 1, executor, input_x(), input_shape(16), output_y(16)));
}

}  // namespace

std::vector<size_t> devices_of(OH_NN_DeviceType type) {
  std::vector<size_t> devices;
  const size_t* ids = nullptr;
  uint32_t count = 0;
  EXPECT_EQ(OH_NNDevice_GetAllDevicesID(&ids, &count), OH_NN_SUCCESS);
  for (const size_t id : std::span(ids, count)) {
    OH_NN_DeviceType found = OH_NN_OTHERS;
    EXPECT_EQ(OH_NNDevice_GetType(id, &found), OH_NN_SUCCESS);
    if (found == type) devices.push_back(id);
  }
  EXPECT_FALSE(devices.empty()) << "There is no device of type " << type;
  return devices;
}

Compilation compilation_of(size_t device) {
  const Model model(OH_NNModel_Construct());
  OH_NNModel* m = model.get();
  uint32_t n = 0;
  const Indices none{};
  const Indices x_w_b{add_tensor<float>(m, n, {1, 6, 6, 3}, OH_NN_FLOAT32),
                      add_tensor(m, n, {4, 3, 3, 3}, OH_NN_FLOAT32, numbers(108, 0.0625f)),
                      add_tensor(m, n, {4}, OH_NN_FLOAT32, numbers(4, 0.25f))};
  const Indices c{add_tensor<float>(m, n, {1, 4, 4, 4}, OH_NN_FLOAT32)};
  const Indices c_shape{c.numbers[0], add_tensor<int32_t>(m, n, {2}, OH_NN_INT32)};
  const Indices r{add_tensor<float>(m, n, {-1, -1}, OH_NN_FLOAT32)};
  const Indices r_one{r.numbers[0], add_tensor<float>(m, n, {1}, OH_NN_FLOAT32, {1})};
  const Indices y{add_tensor<float>(m, n, {-1, -1}, OH_NN_FLOAT32)};
  EXPECT_EQ(OH_NNModel_AddOperation(m, OH_NN_OPS_CONV2D, &none, &x_w_b, &c), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_AddOperation(m, OH_NN_OPS_RESHAPE, &none, &c_shape, &r), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_AddOperation(m, OH_NN_OPS_ADD, &none, &r_one, &y), OH_NN_SUCCESS);
  const Indices x_shape{x_w_b.numbers[0], c_shape.numbers[1]};
  EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(m, &x_shape, &y), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_Finish(m), OH_NN_SUCCESS);
  Compilation compilation(OH_NNCompilation_Construct(m));
  EXPECT_EQ(OH_NNCompilation_SetDevice(compilation.get(), device), OH_NN_SUCCESS);
  return compilation;
}

Tensor input_x(Lies lies) {
  Tensor x = make_tensor({1, 6, 6, 3}, 108, lies);
  const std::vector<float> values = numbers(108, 0.125f);
  std::memcpy(OH_NNTensor_GetDataBuffer(x.get()), values.data(), values.size() * sizeof(float));
  return x;
}

Tensor input_shape(int32_t rows) {
  Tensor shape(OH_NNTensor_Create(0, desc_of({2}, OH_NN_INT32).get()));
  const int32_t values[] = {rows, kElements / rows};
  std::memcpy(OH_NNTensor_GetDataBuffer(shape.get()), values, sizeof values);
  return shape;
}

Tensor output_y(int32_t rows, Lies lies) { return make_tensor({rows, kElements / rows}, kElements, lies); }

PlainRun::PlainRun(size_t device, From from) {
  Compilation compilation = compilation_of(device);
  EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  const Exported exported(compilation);
  if (from == From::cache) {
    compilation = exported.import(device);
    EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  }
  executor_.reset(OH_NNExecutor_Construct(compilation.get()));
}

OH_NN_ReturnCode PlainRun::operator()() const {
  return run(executor_.get(), {x_.get(), shape_.get()}, {y_.get()});
}

std::vector<Step> play(size_t device) {
  std::vector<Step> steps;
  const Compilation compilation = compilation_of(device);
  steps.push_back({"Build", 0, 0, OH_NNCompilation_Build(compilation.get()), {}, {}});
  if (steps.back().code != OH_NN_SUCCESS) return steps;
  AsyncRuns runs(async_executor_of(compilation));
  const Executor executor(OH_NNExecutor_Construct(compilation.get()));

  const Tensor x = input_x(), shifted_x = input_x(Lies::shifted);
  const Tensor shape = input_shape(16), other_shape = input_shape(4);
  steps.push_back(run_step("plain run", 0, executor, x, shape, output_y(16)));
  steps.push_back(run_step("shifted run", 0, executor, shifted_x, shape, output_y(16, Lies::shifted)));
  runs.start("first background run", x, shape, output_y(16));
  runs.start("background run of another shape", x, other_shape, output_y(4));
  for (Step& step : runs.finish()) steps.push_back(std::move(step));
  steps.push_back(run_step("run of another shape", 0, executor, x, other_shape, output_y(4)));
  play_restored(device, compilation, steps);
  return steps;
}

}  // namespace nnrt::test
