// A client's calls from creating a model to the last Destroy, to be repeated under faults.
#pragma once

#include "tests/unit/api/execution/async_callbacks.h"

#include <string>
#include <vector>

namespace nnrt::test {

// All devices of this type; at least one.
std::vector<size_t> devices_of(OH_NN_DeviceType type);
inline size_t device_of(OH_NN_DeviceType type) { return devices_of(type).front(); }

struct Step {
  std::string name;
  int compilation = 0;    // first or second
  size_t first_call = 0;  // number of the first Vulkan call since the layer was reset
  OH_NN_ReturnCode code = OH_NN_SUCCESS;
  std::vector<float> values;    // of the output, if any
  std::string wrong_callbacks;  // empty: each exactly once and in order
};

// y = reshape(conv2d(x), shape) + 1 with `shape` as an input, so the GPU gets a static partition, the CPU the
// reshape, and the GPU a dynamic partition. Not built yet.
api_tests::Compilation compilation_of(size_t device);

// Memory of x or y. `shifted` starts at an odd offset, which no device can bind.
enum class Lies : uint8_t { plain, shifted };
api_tests::Tensor input_x(Lies lies = Lies::plain);
api_tests::Tensor input_shape(int32_t rows);
api_tests::Tensor output_y(int32_t rows, Lies lies = Lies::plain);

// Builds at once, from the model or from a compilation's export; can run repeatedly with plain memory.
enum class From : uint8_t { model, cache };
class PlainRun {
 public:
  explicit PlainRun(size_t device, From from = From::model);
  OH_NN_ReturnCode operator()() const;

 private:
  const api_tests::Tensor x_ = input_x(), shape_ = input_shape(16), y_ = output_y(16);
  api_tests::Executor executor_;
};

// Builds; runs two executors, synchronously and asynchronously, in two shapes, with plain and shifted memory;
// exports; builds a second compilation from the export and runs it; destroys everything. Skips steps whose
// predecessors failed.
std::vector<Step> play(size_t device);

}  // namespace nnrt::test
