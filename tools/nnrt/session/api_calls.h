// Wraps calls of the C API in Results whose errors hold the reason.
#pragma once

#include "core/base/text.h"
#include "tools/import/description.h"
#include "tools/import/nn_handles.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <optional>
#include <string>
#include <string_view>

namespace nnrt::tool {

Status check(OH_NN_ReturnCode code, std::string_view call);
Error made_nothing(std::string_view call);

// Takes ownership of a handle returned by a call.
template <typename Handle>
Result<Handle> own(typename Handle::pointer made, std::string_view call) {
  if (made == nullptr) return made_nothing(call);
  return Handle(made);
}

// Call before the first API call. Errors of calls are then logged only if NNRT_LOG is set, since the
// command reports them itself.
void tell_errors_once();

// Call before the first API call. Builds then compile optimized shaders, so that the first run is as fast
// as later ones.
void expect_steady_runs();

struct Device {
  size_t id = 0;
  std::string name;
  OH_NN_DeviceType type = OH_NN_OTHERS;
  std::string fault;  // why it is unavailable; else empty
};

// All devices, including unavailable ones: a failing driver does not affect other devices.
Result<std::vector<Device>> list_devices();

// The first device that matches by type (gpu, cpu, accelerator), id, name or part of a name. Fails if it
// is unavailable. If `gpu` can only be a software driver, there is one warning.
Result<Device> find_device(const std::string& wanted);
// The first available device.
Result<Device> first_device();

// JSON from OH_NNRt_DescribeDevice, or the basics if the API implementation lacks it.
std::string describe(const Device& device);
// The name without a vendor prefix that its beginning repeats.
std::string short_name(const std::string& name);

struct OfflineModelDevice {
  std::string id, name;
  bool float16 = false;  // compiled with float16
};
// The device the file was compiled for; empty if a plugin or another API implementation compiled it.
Result<std::optional<OfflineModelDevice>> device_of_offline_model(const std::string& path);

// The description stored by `nnrt compile` in an offline model, if any.
Result<std::optional<import::Description>> description_of_offline_model(const std::string& path);
// The note of a compiled model; empty if it has none or cannot be read.
import::Bytes note_of_offline_model(const std::string& path);
// Stored with the model. No effect with other API implementations.
Status set_note(OH_NNCompilation* compilation, const import::Bytes& note);
// Stores a description in the offline model exported by a compilation. No effect with other API
// implementations.
Status attach_description(OH_NNCompilation* compilation, const import::Description& description);

// Whether runs may write the output over the input; false with other API implementations.
bool may_share_memory(const OH_NNExecutor* executor, size_t input, size_t output);

// Lets the tensor's contents stay on the device between runs ("nnrt.device_local"). No effect with other
// API implementations.
Status keep_on_device(NN_Tensor* tensor);
// Lets runs reallocate an output whose size is known only in the run. With other API implementations such
// a run fails.
Status grow_in_runs(NN_Tensor* tensor);
// Makes host writes to the tensor's memory visible to the next run, or its contents on the device to the
// host.
Status synchronize(NN_Tensor* tensor, OH_NNRt_SyncDirection direction);

std::string_view type_name(OH_NN_DeviceType type);

}  // namespace nnrt::tool
