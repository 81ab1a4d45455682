// Calls of the C API as Results, whose errors say why a call failed.
#pragma once

#include "core/base/text.h"
#include "tools/import/description.h"
#include "tools/import/nn_handles.h"

#include <optional>
#include <string>
#include <string_view>

namespace nnrt::tool {

Status check(OH_NN_ReturnCode code, std::string_view call);
Error made_nothing(std::string_view call);

// Takes over what a call made.
template <typename Handle>
Result<Handle> own(typename Handle::pointer made, std::string_view call) {
  if (made == nullptr) return made_nothing(call);
  return Handle(made);
}

// Before the first call: why calls fail stands in the command's own error, and in the log as well only where
// NNRT_LOG is set.
void tell_errors_once();

// Before the first call: runs are as fast from the first one on as they get, however long a build takes.
void expect_steady_runs();

struct Device {
  size_t id = 0;
  std::string name;
  OH_NN_DeviceType type = OH_NN_OTHERS;
  std::string fault;  // the reason if it is unavailable; empty: it is there
};

// All, also those that are unavailable: one driver's fault leaves the other devices as they are.
Result<std::vector<Device>> list_devices();

// By type (gpu, cpu, accelerator), id, name or part of a name; the first that fits. Fails where that one is
// unavailable.
Result<Device> find_device(const std::string& wanted);
// The first that is available.
Result<Device> first_device();

// A JSON object: that of OH_NNRt_DescribeDevice, or what another implementation of the API knows.
std::string describe(const Device& device);

struct OfflineModelDevice {
  std::string id, name;
  bool float16 = false;  // it was compiled so
};
// Returns the device that the file was made for; nothing where another implementation of the API, or a
// plugin, made it.
Result<std::optional<OfflineModelDevice>> device_of_offline_model(const std::string& path);

// The description that `nnrt compile` stored in an offline model; nothing if it has none.
Result<std::optional<import::Description>> description_of_offline_model(const std::string& path);
// Stores a description in the offline model that a compilation exports. Another implementation of the API
// does not.
Status attach_description(OH_NNCompilation* compilation, const import::Description& description);

// Returns whether runs may write that output over that input; false with another implementation of the API.
bool may_share_memory(const OH_NNExecutor* executor, size_t input, size_t output);

// Lets runs keep the tensor's contents on the device ("nnrt.device_local"); another implementation of the API
// does not.
Status keep_on_device(NN_Tensor* tensor);
// Lets runs give an output a larger memory where its size is only known then; with another implementation of
// the API such a run fails.
Status grow_in_runs(NN_Tensor* tensor);
// The contents that were written to the tensor's memory count from now on.
Status sync_from_host(NN_Tensor* tensor);

std::string_view type_name(OH_NN_DeviceType type);

}  // namespace nnrt::tool
