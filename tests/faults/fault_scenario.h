// The calls of a client with a device, from a model to the last Destroy, for tests to repeat under faults.
#pragma once

#include "tests/unit/api/execution/async_callbacks.h"

#include <string>
#include <vector>

namespace nnrt::test {

// The devices of this type, of which there is at least one.
std::vector<size_t> devices_of(OH_NN_DeviceType type);
inline size_t device_of(OH_NN_DeviceType type) { return devices_of(type).front(); }

struct Step {
  std::string name;
  int compilation = 0;    // the first or the second
  size_t first_call = 0;  // Vulkan's, since the layer was reset
  OH_NN_ReturnCode code = OH_NN_SUCCESS;
  std::vector<float> values;    // the output's, where there is one
  std::string wrong_callbacks;  // empty: each exactly once and in order
};

// y = reshape(conv2d(x), shape) + 1, where `shape` is an input: a GPU has a static part, the CPU the reshape,
// the GPU a part of dynamic shape. Not built.
api_tests::Compilation compilation_of(size_t device);

// A tensor for x or y. `shifted` memory begins at an odd offset, so that no device can bind it.
enum class Lies : uint8_t { plain, shifted };
api_tests::Tensor input_x(Lies lies = Lies::plain);
api_tests::Tensor input_shape(int32_t rows);
api_tests::Tensor output_y(int32_t rows, Lies lies = Lies::plain);

// Builds it now, from the model or from what a compilation of the model exports, and runs it with plain
// memory as often as it is called.
enum class From : uint8_t { model, cache };
class PlainRun {
 public:
  explicit PlainRun(size_t device, From from = From::model);
  OH_NN_ReturnCode operator()() const;

 private:
  const api_tests::Tensor x_ = input_x(), shape_ = input_shape(16), y_ = output_y(16);
  api_tests::Executor executor_;
};

// Builds it, runs it with two executors, now and later, in two shapes, with plain and shifted memory, exports
// it, builds a second compilation from that, runs it and destroys everything. Steps that cannot be done
// because one before failed are left out.
std::vector<Step> play(size_t device);

}  // namespace nnrt::test
