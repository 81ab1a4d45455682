// State of a sequence of NNAPI calls: live handles, and arguments chosen by bytes. Everything is valid C:
// pointers are null or valid, and buffers have the stated length and live as long as the state.
#pragma once

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksExtensions.h>
#include <android/NeuralNetworksNNRt.h>
#include <android/NeuralNetworksOEM.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace nnapi_calls {

// Choices made by bytes; past their end, always the first.
class Choices {
 public:
  explicit Choices(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool ended() const { return bytes_.empty(); }
  size_t below(size_t bound);
  bool rarely() { return below(16) == 15; }

 private:
  std::span<const uint8_t> bytes_;
};

template <auto kFree>
struct Freer {
  template <typename T>
  void operator()(T* handle) const {
    kFree(handle);
  }
};
template <typename T, auto kFree>
using Pool = std::vector<std::unique_ptr<T, Freer<kFree>>>;

class CallState {
 public:
  explicit CallState(std::span<const uint8_t> bytes);
  ~CallState();
  CallState(const CallState&) = delete;
  CallState& operator=(const CallState&) = delete;

  Choices choices;

  // A live handle, or null.
  template <typename Owned>
  auto* pick(const std::vector<Owned>& pool) {
    return pool.empty() || choices.rarely() ? nullptr : pool[choices.below(pool.size())].get();
  }

  // Keeps the result of a call, if any. `call` gets the output pointer, or occasionally null.
  template <typename Owned, typename Call>
  int keep(std::vector<Owned>& pool, const Call& call) {
    typename Owned::pointer made = nullptr;
    const int code = call(choices.rarely() ? nullptr : &made);
    if (made != nullptr) pool.emplace_back(made);
    return code;
  }

  template <typename Owned>
  int free_one(std::vector<Owned>& pool) {
    if (!pool.empty()) pool.erase(pool.begin() + static_cast<std::ptrdiff_t>(choices.below(pool.size())));
    return ANEURALNETWORKS_NO_ERROR;
  }

  template <typename T>
  T* out(T& variable) {
    return choices.rarely() ? nullptr : &variable;
  }

  int32_t index();
  size_t length();
  uint64_t duration();
  void* buffer() { return choices.rarely() ? nullptr : scratch_.data(); }
  // A new buffer of `bytes` bytes.
  void* new_buffer(size_t bytes);
  // Waits for all computations, so that later calls don't share their buffers.
  void settle();
  const ANeuralNetworksOperandType* type();
  const ANeuralNetworksOperandType* optional_type() { return choices.below(3) == 0 ? type() : nullptr; }
  const ANeuralNetworksDevice* const* devices(uint32_t& count);
  // Up to five operand indices, valid until the next call.
  const uint32_t* indices(uint32_t& count);

  Pool<ANeuralNetworksModel, ANeuralNetworksModel_free> models;
  Pool<ANeuralNetworksCompilation, ANeuralNetworksCompilation_free> compilations;
  Pool<ANeuralNetworksMemory, ANeuralNetworksMemory_free> memories;
  Pool<ANeuralNetworksMemoryDesc, ANeuralNetworksMemoryDesc_free> descs;
  Pool<ANeuralNetworksBurst, ANeuralNetworksBurst_free> bursts;
  Pool<ANeuralNetworksExecution, ANeuralNetworksExecution_free> executions;
  Pool<ANeuralNetworksEvent, ANeuralNetworksEvent_free> events;  // destroyed first: they wait

  int file = -1;   // 64 bytes long
  int fence = -1;  // signaled

  uint32_t number = 0;
  std::array<uint32_t, 64> dimensions{};

 private:
  void begin_with_add(size_t how_far);
  void begin_model(bool is_complete);

  std::array<int64_t, 512> scratch_{};
  std::vector<std::unique_ptr<std::byte[]>> buffers_;
  std::array<std::array<uint32_t, 5>, 2> lists_{};
  size_t next_list_ = 0;
  std::array<const ANeuralNetworksDevice*, 3> devices_{};
  std::array<uint32_t, 4> type_dimensions_{};
  ANeuralNetworksOperandType type_{};
};

// A call chosen by bytes, and its permitted results.
struct Step {
  const char* function;
  uint32_t results;  // bit n: may return n
  int (*call)(CallState&);
};
std::span<const Step> steps();

// Makes calls until the bytes end, at most `limit`. Returns the function that gave a forbidden result, or
// null. `successes`, if given, counts successful calls per step.
const char* run_calls(std::span<const uint8_t> bytes, size_t limit, std::vector<int>* successes);

}  // namespace nnapi_calls
