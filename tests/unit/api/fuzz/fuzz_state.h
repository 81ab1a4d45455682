// The state of a fuzzed call sequence: live handles and random arguments. Everything is legal C: pointers are
// null or valid, buffers are as long as their lengths say. A seed determines the sequence.
#pragma once

#include "core/graph/op.h"
#include "tests/unit/api/api_test_handles.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <random>

namespace api_tests {

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

}  // namespace api_tests
