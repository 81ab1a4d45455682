// Random sequences of calls of all 75 functions. Only documented codes may be returned, and nothing may crash
// or leak; meant for the sanitizers.
#include "core/graph/op.h"
#include "tests/support/test_settings.h"
#include "tests/unit/api/api_test_handles.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>

using namespace api_tests;

namespace {

// Live handles and random arguments. Everything is legal C: pointers are null or valid, buffers are as long
// as their lengths say. A seed determines the sequence.
class FuzzState {
 public:
  explicit FuzzState(uint32_t seed) : random_(seed) {
    for (int64_t& number : scratch_) number = std::array<int64_t, 8>{0, 1, 2, 3, 4, -1, 8, 77}[below(8)];
    // Without a valid start, hardly any sequence would ever run anything.
    if (const size_t start = below(4); start > 0) {
      models.push_back(finished_model(start == 3 ? std::vector<int32_t>{2, -1} : std::vector<int32_t>{2, 3}));
      compilations.emplace_back(OH_NNCompilation_Construct(models.back().get()));
      if (start > 1) {
        EXPECT_EQ(OH_NNCompilation_Build(compilations.back().get()), OH_NN_SUCCESS);
        executors.emplace_back(OH_NNExecutor_Construct(compilations.back().get()));
      }
      descs.push_back(desc_of({2, 3}));
      for (int i = 0; i < 3; ++i) tensors.push_back(tensor_of({2, 3}));
      if (start == 3) bind_all(executors.back().get());
    }
  }

  size_t below(size_t bound) { return random_() % bound; }
  bool rarely() { return below(16) == 0; }

  // A live handle, or null.
  template <typename Owned>
  auto* pick(const std::vector<Owned>& pool) {
    return pool.empty() || rarely() ? nullptr : pool[below(pool.size())].get();
  }
  NN_TensorDesc* desc() { return pick(descs); }
  NN_Tensor* tensor() { return pick(tensors); }
  NN_QuantParam* quant() { return pick(quants); }
  OH_NNModel* model() { return pick(models); }
  OH_NNCompilation* compilation() { return pick(compilations); }
  OH_NNExecutor* executor() { return pick(executors); }

  // Stores the result of a call, if there is one.
  template <typename Owned>
  OH_NN_ReturnCode keep(std::vector<Owned>& pool, typename Owned::pointer made) {
    if (made == nullptr) return OH_NN_INVALID_PARAMETER;
    pool.emplace_back(made);
    return OH_NN_SUCCESS;
  }

  // Destroys a handle with the function under test, which must null the pointer.
  template <typename Owned, typename Destroy>
  OH_NN_ReturnCode destroy(std::vector<Owned>& pool, const Destroy& function) {
    if (pool.empty() || rarely()) {
      typename Owned::pointer nothing = nullptr;
      return function(rarely() ? nullptr : &nothing);
    }
    const size_t position = below(pool.size());
    auto* handle = pool[position].release();
    pool.erase(pool.begin() + static_cast<ptrdiff_t>(position));
    const OH_NN_ReturnCode code = function(&handle);
    EXPECT_EQ(handle, nullptr);
    return code;
  }

  // Where a call writes its result, or null.
  template <typename T>
  T* out() {
    static T variable;
    return rarely() ? nullptr : &variable;
  }
  // The same of a pointer, which must be null on entry.
  template <typename T>
  T** empty_out() {
    static std::remove_const_t<T> taken{};
    T** const variable = out<T*>();
    if (variable != nullptr) *variable = rarely() ? &taken : nullptr;
    return variable;
  }

  // Readable and writable bytes; 8-byte numbers, mostly small.
  template <typename T = void>
  T* buffer() {
    return rarely() ? nullptr : reinterpret_cast<T*>(scratch_.data());
  }
  size_t length() {
    constexpr std::array<size_t, 8> kBytes = {0, 1, 4, 8, 16, 24, 25, kScratchBytes};
    return kBytes[below(kBytes.size())];
  }
  size_t count() { return length() / 8; }

  size_t device() { return below(8) == 0 ? 12345 : 0; }
  uint32_t index() { return static_cast<uint32_t>(rarely() ? random_() : below(6)); }
  uint32_t input() { return index() / 2; }
  uint32_t output() { return index() / 4; }
  // Mostly inside an enumeration that ends with `last`.
  int enumerator(int last) {
    return rarely() ? static_cast<int>(random_())
                    : static_cast<int>(below(static_cast<size_t>(last) + 2)) - 1;
  }
  template <auto kLast>
  auto up_to() {
    return any<decltype(kLast)>(enumerator(kLast));
  }
  // Mostly the number of an operator.
  int operation_type() {
    const int place = enumerator(int(nnrt::kOpCount)) - 1;
    return place >= 0 && place < int(nnrt::kOpCount) ? int(nnrt::kOperators[place]) : place;
  }
  const char* text() {
    constexpr std::array<const char*, 5> kTexts = {"", "name", "nnrt.fallback", "off",
                                                   "/nonexistent/directory"};
    return rarely() ? nullptr : kTexts[below(kTexts.size())];
  }

  std::vector<int32_t> shape() {
    constexpr std::array<int32_t, 10> kDimensions = {2, 2, 3, 3, 1, 5, -1, 0, -7, 2147483647};
    std::vector<int32_t> dimensions;
    if (below(2) == 0) return {2, 3};
    for (size_t rank = below(5); rank > 0; --rank)
      dimensions.push_back(kDimensions[below(kDimensions.size())]);
    return dimensions;
  }

  // Lists live until the next step; some are inconsistent.
  const OH_NN_UInt32Array* list() { return list(below(4)); }
  const OH_NN_UInt32Array* list(size_t size) {
    if (rarely()) return nullptr;
    List& made = lists_[below(lists_.size())];
    made.numbers.clear();
    for (; size > 0; --size) made.numbers.push_back(index());
    made.array = {made.numbers.data(), static_cast<uint32_t>(made.numbers.size())};
    if (made.numbers.empty()) made.array.data = rarely() ? &unread_ : nullptr;
    if (!made.numbers.empty() && rarely()) made.array.data = nullptr;
    return &made.array;
  }

  const OH_NN_Tensor* legacy() {
    if (rarely()) return nullptr;
    dimensions_ = shape();
    tensor_ = legacy_tensor(dimensions_, any<OH_NN_DataType>(below(2) == 0 ? OH_NN_FLOAT32 : enumerator(12)));
    if (rarely()) tensor_.type = any<OH_NN_TensorType>(enumerator(162));
    if (rarely()) tensor_.dimensions = nullptr;
    quant_ = {1, &bits_, rarely() ? nullptr : &scale_, &zero_point_};
    if (rarely()) tensor_.quantParam = &quant_;
    return &tensor_;
  }

  // Tensors for a run: mostly two float inputs and one output, with the models' shape.
  NN_Tensor** arguments(size_t usual_count, size_t& count) {
    count = rarely() ? below(300) : usual_count;
    for (NN_Tensor*& tensor : arguments_[usual_count]) tensor = pick(tensors);
    return rarely() ? nullptr : arguments_[usual_count].data();
  }

  // Memory is freed with its executor, so it is looked up there.
  struct Memory {
    OH_NNExecutor* executor;
    OH_NN_Memory* memory;
  };
  OH_NN_Memory* memory() {
    return memories.empty() || rarely() ? nullptr : memories[below(memories.size())].memory;
  }
  void forget_memory(const OH_NNExecutor* executor) {
    std::erase_if(memories, [&](const Memory& one) { return one.executor == executor; });
  }

  std::vector<Desc> descs;
  std::vector<Tensor> tensors;
  std::vector<QuantParam> quants;
  std::vector<Model> models;
  std::vector<Compilation> compilations;
  std::vector<Executor> executors;
  std::vector<Memory> memories;
  std::atomic<int> runs_done = 0;  // counts callbacks

  static constexpr size_t kScratchBytes = 4096;

 private:
  void bind_all(OH_NNExecutor* executor) {
    dimensions_ = {2, 3};
    tensor_ = legacy_tensor(dimensions_);
    for (const uint32_t input : {0u, 1u}) {
      EXPECT_EQ(OH_NNExecutor_SetInput(executor, input, &tensor_, scratch_.data(), 24), OH_NN_SUCCESS);
    }
    EXPECT_EQ(OH_NNExecutor_SetOutput(executor, 0, scratch_.data(), 24), OH_NN_SUCCESS);
  }

  struct List {
    std::vector<uint32_t> numbers;
    OH_NN_UInt32Array array{};
  };

  std::mt19937 random_;
  std::array<int64_t, kScratchBytes / 8> scratch_{};
  std::array<List, 8> lists_;
  uint32_t unread_ = 0;
  std::array<std::array<NN_Tensor*, 300>, 3> arguments_{};
  std::vector<int32_t> dimensions_;
  OH_NN_Tensor tensor_{};
  OH_NN_QuantParam quant_{};
  const uint32_t bits_ = 8;
  const double scale_ = 0.5;
  const int32_t zero_point_ = 0;
};

using ReturnCodes = std::set<OH_NN_ReturnCode>;

const ReturnCodes kSimple = {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER};
const ReturnCodes kStateful = {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, OH_NN_OPERATION_FORBIDDEN};
const ReturnCodes kSize = {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, OH_NN_DYNAMIC_SHAPE};
const ReturnCodes kMayLackMemory = {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, OH_NN_MEMORY_ERROR};
const ReturnCodes kCache = {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, OH_NN_OPERATION_FORBIDDEN,
                            OH_NN_UNSUPPORTED};
const ReturnCodes kBuild = {OH_NN_SUCCESS,      OH_NN_INVALID_PARAMETER, OH_NN_FAILED,      OH_NN_UNSUPPORTED,
                            OH_NN_MEMORY_ERROR, OH_NN_INVALID_FILE,      OH_NN_INVALID_PATH};
const ReturnCodes kRun = {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, OH_NN_UNSUPPORTED, OH_NN_MEMORY_ERROR,
                          OH_NN_FAILED};

struct Step {
  std::string function;
  ReturnCodes return_codes;
  std::function<OH_NN_ReturnCode(FuzzState&)> call;
};

// Calls a function with arguments that are drawn.
template <typename Function, typename... Draws>
Step step(std::string name, ReturnCodes codes, Function function, Draws... draws) {
  return {std::move(name), std::move(codes),
          [=](FuzzState& w) { return function(std::invoke(draws, w)...); }};
}
// The same for a function that makes a handle.
template <typename Owned, typename Function, typename... Draws>
Step making(std::string name, std::vector<Owned> FuzzState::*pool, Function function, Draws... draws) {
  return {std::move(name), kSimple,
          [=](FuzzState& w) { return w.keep(w.*pool, function(std::invoke(draws, w)...)); }};
}
template <typename Owned, typename Code>
Step destroying(std::string name, std::vector<Owned> FuzzState::*pool,
                Code (*function)(typename Owned::pointer*)) {
  return {std::move(name), kSimple, [=](FuzzState& w) {
            return w.destroy(w.*pool, [&](typename Owned::pointer* handle) {
              if constexpr (!std::is_void_v<Code>) return function(handle);
              function(handle);
              return OH_NN_SUCCESS;
            });
          }};
}

OH_NN_ReturnCode pointer_code(const void* pointer) {
  return pointer == nullptr ? OH_NN_INVALID_PARAMETER : OH_NN_SUCCESS;
}

using W = FuzzState;

ReturnCodes with(ReturnCodes codes, OH_NN_ReturnCode other) {
  codes.insert(other);
  return codes;
}

void on_run_done(void* user_data, OH_NN_ReturnCode, void*[], int32_t) {
  W& state = *static_cast<W*>(user_data);
  state.runs_done = 1;
  state.runs_done.notify_one();
}
void on_service_died(void*) {}

std::vector<Step> device_steps() {
  return {
      step("GetAllDevicesID", kSimple, OH_NNDevice_GetAllDevicesID, &W::empty_out<const size_t>,
           &W::out<uint32_t>),
      step("GetName", with(kSimple, OH_NN_FAILED), OH_NNDevice_GetName, &W::device,
           &W::empty_out<const char>),
      step("GetType", kSimple, OH_NNDevice_GetType, &W::device, &W::out<OH_NN_DeviceType>),
  };
}

std::vector<Step> compilation_steps() {
  const auto version = [](W& w) { return w.rarely() ? UINT32_MAX : 1; };
  const auto flag = [](W& w) { return w.below(2) == 0; };
  return {
      making("Construct", &W::compilations, OH_NNCompilation_Construct, &W::model),
      making("ConstructWithOfflineModelFile", &W::compilations,
             OH_NNCompilation_ConstructWithOfflineModelFile, &W::text),
      making("ConstructWithOfflineModelBuffer", &W::compilations,
             OH_NNCompilation_ConstructWithOfflineModelBuffer, &W::buffer<void>, &W::length),
      {"ConstructForCache",
       {OH_NN_SUCCESS},
       [](W& w) { return w.keep(w.compilations, OH_NNCompilation_ConstructForCache()); }},
      step("ExportCacheToBuffer", kCache, OH_NNCompilation_ExportCacheToBuffer, &W::compilation,
           &W::buffer<void>, &W::length, &W::out<size_t>),
      step("ImportCacheFromBuffer", kCache, OH_NNCompilation_ImportCacheFromBuffer, &W::compilation,
           &W::buffer<void>, &W::length),
      step("AddExtensionConfig", kStateful, OH_NNCompilation_AddExtensionConfig, &W::compilation, &W::text,
           &W::buffer<void>, &W::length),
      step("SetDevice", kStateful, OH_NNCompilation_SetDevice, &W::compilation, &W::device),
      step("SetCache", kCache, OH_NNCompilation_SetCache, &W::compilation, &W::text, version),
      step("SetPerformanceMode", kStateful, OH_NNCompilation_SetPerformanceMode, &W::compilation,
           &W::up_to<OH_NN_PERFORMANCE_EXTREME>),
      step("SetPriority", kStateful, OH_NNCompilation_SetPriority, &W::compilation,
           &W::up_to<OH_NN_PRIORITY_HIGH>),
      step("EnableFloat16", kStateful, OH_NNCompilation_EnableFloat16, &W::compilation, flag),
      step("Build", kBuild, OH_NNCompilation_Build, &W::compilation),
      destroying("Compilation_Destroy", &W::compilations, OH_NNCompilation_Destroy),
  };
}

std::vector<Step> desc_steps() {
  const auto mostly_float = [](W& w) { return w.below(2) == 0 ? OH_NN_FLOAT32 : w.up_to<OH_NN_FLOAT64>(); };
  return {
      making("TensorDesc_Create", &W::descs, OH_NNTensorDesc_Create),
      destroying("TensorDesc_Destroy", &W::descs, OH_NNTensorDesc_Destroy),
      step("SetName", kSimple, OH_NNTensorDesc_SetName, &W::desc, &W::text),
      step("TensorDesc_GetName", kSimple, OH_NNTensorDesc_GetName, &W::desc, &W::empty_out<const char>),
      step("SetDataType", kSimple, OH_NNTensorDesc_SetDataType, &W::desc, mostly_float),
      step("GetDataType", kSimple, OH_NNTensorDesc_GetDataType, &W::desc, &W::out<OH_NN_DataType>),
      {"SetShape", kSimple,
       [](W& w) {
         const std::vector<int32_t> shape = w.shape();
         return OH_NNTensorDesc_SetShape(w.desc(), shape.data(), shape.size());
       }},
      step("GetShape", kSimple, OH_NNTensorDesc_GetShape, &W::desc, &W::empty_out<int32_t>, &W::out<size_t>),
      step("SetFormat", kSimple, OH_NNTensorDesc_SetFormat, &W::desc, &W::up_to<OH_NN_FORMAT_ND>),
      step("GetFormat", kSimple, OH_NNTensorDesc_GetFormat, &W::desc, &W::out<OH_NN_Format>),
      step("GetElementCount", kSize, OH_NNTensorDesc_GetElementCount, &W::desc, &W::out<size_t>),
      step("GetByteSize", kSize, OH_NNTensorDesc_GetByteSize, &W::desc, &W::out<size_t>),
  };
}

std::vector<Step> tensor_steps() {
  const auto maybe_too_large = [](W& w) { return w.rarely() ? w.below(SIZE_MAX) : w.length(); };
  return {
      making("Tensor_Create", &W::tensors, OH_NNTensor_Create, &W::device, &W::desc),
      making("Tensor_CreateWithSize", &W::tensors, OH_NNTensor_CreateWithSize, &W::device, &W::desc,
             maybe_too_large),
      {"Tensor_CreateWithFd", kSimple,
       [](W& w) {
         int fd = -1;
         size_t size = w.length();
         if (NN_Tensor* source = w.tensor(); source != nullptr) {
           OH_NNTensor_GetFd(source, &fd);
           OH_NNTensor_GetSize(source, &size);
         }
         // A shorter file than claimed is refused; the tensor's own may be closed later.
         if (w.rarely()) size = w.length();
         return w.keep(w.tensors, OH_NNTensor_CreateWithFd(w.device(), w.desc(), fd, size,
                                                           w.below(3) == 0 ? w.length() : 0));
       }},
      destroying("Tensor_Destroy", &W::tensors, OH_NNTensor_Destroy),
      {"GetTensorDesc", kSimple,
       [](W& w) {
         NN_TensorDesc* desc = OH_NNTensor_GetTensorDesc(w.tensor());
         if (desc != nullptr && w.rarely()) {
           const std::vector<int32_t> shape = w.shape();
           OH_NNTensorDesc_SetShape(desc, shape.data(), shape.size());
         }
         return pointer_code(desc);
       }},
      {"GetDataBuffer", kSimple, [](W& w) { return pointer_code(OH_NNTensor_GetDataBuffer(w.tensor())); }},
      step("GetFd", kSimple, OH_NNTensor_GetFd, &W::tensor, &W::out<int>),
      step("GetSize", kSimple, OH_NNTensor_GetSize, &W::tensor, &W::out<size_t>),
      step("GetOffset", kSimple, OH_NNTensor_GetOffset, &W::tensor, &W::out<size_t>),
  };
}

OH_NN_ReturnCode run_sync(W& w) {
  size_t inputs, outputs;
  NN_Tensor** input = w.arguments(2, inputs);
  NN_Tensor** output = w.arguments(1, outputs);
  return OH_NNExecutor_RunSync(w.executor(), input, inputs, output, outputs);
}

OH_NN_ReturnCode run_async(W& w) {
  size_t inputs, outputs;
  NN_Tensor** input = w.arguments(2, inputs);
  NN_Tensor** output = w.arguments(1, outputs);
  const int32_t timeout = w.rarely() ? 1 : 0;
  w.runs_done = 0;
  const OH_NN_ReturnCode code = OH_NNExecutor_RunAsync(w.executor(), input, inputs, output, outputs, timeout,
                                                       w.rarely() ? nullptr : &w);
  if (code == OH_NN_SUCCESS) w.runs_done.wait(0);
  return code;
}

OH_NN_ReturnCode destroy_executor(W& w) {
  return w.destroy(w.executors, [&](OH_NNExecutor** executor) {
    if (executor != nullptr) w.forget_memory(*executor);
    OH_NNExecutor_Destroy(executor);
    return OH_NN_SUCCESS;
  });
}

std::vector<Step> executor_steps() {
  const auto done = [](W& w) { return w.rarely() ? nullptr : on_run_done; };
  const auto died = [](W& w) { return w.rarely() ? nullptr : on_service_died; };
  const auto range = [](W& w) {
    size_t *min, *max;
    return OH_NNExecutor_GetInputDimRange(w.executor(), w.index(), w.rarely() ? nullptr : &min,
                                          w.rarely() ? nullptr : &max, w.out<size_t>());
  };
  return {
      making("Executor_Construct", &W::executors, OH_NNExecutor_Construct, &W::compilation),
      step("GetOutputShape", kSimple, OH_NNExecutor_GetOutputShape, &W::executor, &W::input,
           &W::empty_out<int32_t>, &W::out<uint32_t>),
      {"Executor_Destroy", kSimple, destroy_executor},
      step("GetInputCount", kSimple, OH_NNExecutor_GetInputCount, &W::executor, &W::out<size_t>),
      step("GetOutputCount", kSimple, OH_NNExecutor_GetOutputCount, &W::executor, &W::out<size_t>),
      making("CreateInputTensorDesc", &W::descs, OH_NNExecutor_CreateInputTensorDesc, &W::executor,
             &W::index),
      making("CreateOutputTensorDesc", &W::descs, OH_NNExecutor_CreateOutputTensorDesc, &W::executor,
             &W::index),
      {"GetInputDimRange", kSimple, range},
      step("SetOnRunDone", kSimple, OH_NNExecutor_SetOnRunDone, &W::executor, done),
      step("SetOnServiceDied", kSimple, OH_NNExecutor_SetOnServiceDied, &W::executor, died),
      {"RunSync", kRun, run_sync},
      {"RunAsync", with(kRun, OH_NN_OPERATION_FORBIDDEN), run_async},
  };
}

NN_QuantParam* make_quant(bool is_filled) {
  NN_QuantParam* quant = OH_NNQuantParam_Create();
  const double scale = 0.5;
  const int32_t zero_point = 3;
  const uint32_t bits = 8;
  if (is_filled) {
    OH_NNQuantParam_SetScales(quant, &scale, 1);
    OH_NNQuantParam_SetZeroPoints(quant, &zero_point, 1);
    OH_NNQuantParam_SetNumBits(quant, &bits, 1);
  }
  return quant;
}

std::vector<Step> quant_steps() {
  return {
      making("QuantParam_Create", &W::quants, make_quant, [](W& w) { return w.below(2) == 0; }),
      step("SetScales", kSimple, OH_NNQuantParam_SetScales, &W::quant, &W::buffer<double>, &W::count),
      step("SetZeroPoints", kSimple, OH_NNQuantParam_SetZeroPoints, &W::quant, &W::buffer<int32_t>,
           &W::count),
      {"SetNumBits", kSimple,
       [](W& w) {
         const std::vector<uint32_t> bits(w.below(4), w.rarely() ? 4 : 8);
         return OH_NNQuantParam_SetNumBits(w.quant(), bits.data(), bits.size());
       }},
      destroying("QuantParam_Destroy", &W::quants, OH_NNQuantParam_Destroy),
  };
}

OH_NN_ReturnCode construct_model(W& w) {
  const size_t content = w.below(4);
  if (content == 0) w.models.push_back(open_model({2, 3}));
  if (content == 0) return OH_NN_SUCCESS;
  OH_NNModel* model = OH_NNModel_Construct();
  for (size_t i = 0; i < content; ++i) OH_NNModel_AddTensorToModel(model, desc_of({2, 3}).get());
  return w.keep(w.models, model);
}

OH_NN_ReturnCode add_operation(W& w) {
  if (w.below(2) == 0)
    return OH_NNModel_AddOperation(w.model(), OH_NN_OPS_RELU, w.list(0), w.list(1), w.list(1));
  return OH_NNModel_AddOperation(w.model(), any<OH_NN_OperationType>(w.operation_type()), w.list(), w.list(),
                                 w.list());
}

std::vector<Step> model_steps() {
  const auto specify = [](W& w) {
    return OH_NNModel_SpecifyInputsAndOutputs(w.model(), w.list(1), w.list());
  };
  const ReturnCodes finish = with(kStateful, OH_NN_FAILED);
  return {
      {"Model_Construct", kSimple, construct_model},
      step("AddTensorToModel", kStateful, OH_NNModel_AddTensorToModel, &W::model, &W::desc),
      step("SetTensorData", kStateful, OH_NNModel_SetTensorData, &W::model, &W::index, &W::buffer<void>,
           &W::length),
      step("SetTensorQuantParams", kStateful, OH_NNModel_SetTensorQuantParams, &W::model, &W::index,
           &W::quant),
      step("SetTensorType", kStateful, OH_NNModel_SetTensorType, &W::model, &W::index,
           &W::up_to<OH_NN_REDUCE_L2_COEFF>),
      {"AddOperation", kStateful, add_operation},
      {"SpecifyInputsAndOutputs", kStateful, specify},
      step("Finish", finish, OH_NNModel_Finish, &W::model),
      destroying("Model_Destroy", &W::models, OH_NNModel_Destroy),
      step("GetAvailableOperations", finish, OH_NNModel_GetAvailableOperations, &W::model, &W::device,
           &W::empty_out<const bool>, &W::out<uint32_t>),
      step("AddTensor", kStateful, OH_NNModel_AddTensor, &W::model, &W::legacy),
  };
}

template <typename Function>
auto destroy_memory(Function function) {
  return [function](W& w) {
    OH_NN_Memory* memory = w.memory();
    OH_NN_Memory* const before = memory;
    function(w.executor(), w.input(), w.rarely() ? nullptr : &memory);
    if (memory != before) std::erase_if(w.memories, [&](const auto& one) { return one.memory == before; });
    return OH_NN_SUCCESS;
  };
}

template <typename Function>
auto allocate_memory(Function function) {
  return [function](W& w) {
    OH_NNExecutor* executor = w.executor();
    OH_NN_Memory* memory = function(executor, w.input(), w.length());
    if (memory != nullptr) w.memories.push_back({executor, memory});
    return pointer_code(memory);
  };
}

std::vector<Step> legacy_steps() {
  return {
      step("SetInput", kMayLackMemory, OH_NNExecutor_SetInput, &W::executor, &W::input, &W::legacy,
           &W::buffer<void>, &W::length),
      step("SetOutput", kMayLackMemory, OH_NNExecutor_SetOutput, &W::executor, &W::output, &W::buffer<void>,
           &W::length),
      step("Run", kRun, OH_NNExecutor_Run, &W::executor),
      {"AllocateInputMemory", kSimple, allocate_memory(OH_NNExecutor_AllocateInputMemory)},
      {"AllocateOutputMemory", kSimple, allocate_memory(OH_NNExecutor_AllocateOutputMemory)},
      {"DestroyInputMemory", kSimple, destroy_memory(OH_NNExecutor_DestroyInputMemory)},
      {"DestroyOutputMemory", kSimple, destroy_memory(OH_NNExecutor_DestroyOutputMemory)},
      step("SetInputWithMemory", kSimple, OH_NNExecutor_SetInputWithMemory, &W::executor, &W::input,
           &W::legacy, &W::memory),
      step("SetOutputWithMemory", kSimple, OH_NNExecutor_SetOutputWithMemory, &W::executor, &W::output,
           &W::memory),
  };
}

std::vector<Step> all_steps() {
  std::vector<Step> steps;
  for (const auto& some : {device_steps(), compilation_steps(), desc_steps(), tensor_steps(),
                           executor_steps(), quant_steps(), model_steps(), legacy_steps()})
    steps.insert(steps.end(), some.begin(), some.end());
  return steps;
}

}  // namespace

TEST(Fuzz, RandomCallsAnswerWithDocumentedCodes) {
  const std::vector<Step> steps = all_steps();
  ASSERT_EQ(steps.size(), 75u);
  std::vector<int> successes(steps.size(), 0);
  for (uint32_t seed = 0; seed < nnrt::test::draws(10'000); ++seed) {
    FuzzState state(seed);
    for (int call = 0; call < 40; ++call) {
      const size_t position = state.below(steps.size());
      const OH_NN_ReturnCode code = steps[position].call(state);
      ASSERT_TRUE(steps[position].return_codes.contains(code))
          << steps[position].function << " answered " << code << " in call " << call << " of seed " << seed;
      if (code == OH_NN_SUCCESS) ++successes[position];
    }
  }
  // Otherwise the sequences would test little.
  for (size_t position = 0; position < steps.size(); ++position)
    EXPECT_GT(successes[position], 0) << steps[position].function;
}
