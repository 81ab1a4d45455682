// Upstream mode, NNRT_TEST_COMPAT=openharmony: where the documentation and OpenHarmony's own runtime differ,
// this runtime follows the documentation, and in this mode the other. All code that depends on the mode asks
// here.
#pragma once

#include "core/base/result.h"

namespace nnrt::compat {

// Read once.
bool upstream();

// A setter for what the device does not support is refused at once where the device is known; else Build
// answers. Upstream's setters know no devices.
inline bool setters_ask_device() { return !upstream(); }
inline Code lacking_feature() { return upstream() ? Code::forbidden : Code::unavailable_device; }

// Return codes of Build for a cache: its version is later; its directory is not there.
inline Code newer_cache() { return upstream() ? Code::forbidden : Code::invalid_parameter; }
inline Code missing_directory() { return upstream() ? Code::invalid_parameter : Code::invalid_path; }

// RunAsync and its callbacks, and the export of a plugin's cache to a buffer.
inline bool has_async_runs() { return !upstream(); }
inline bool exports_plugin_caches() { return !upstream(); }

// True: the CPU runs what the chosen device refuses.
inline bool has_fallback() { return !upstream(); }

// Calls that come too late: a setter after Build and AddTensorToModel after Finish do nothing and succeed.
inline bool ignores_late_calls() { return upstream(); }

// SetOutput compares the buffer with the output, not only the run.
inline bool set_output_checks_room() { return upstream(); }

// GetByteSize of a dynamic shape gives 0, and success or not.
inline bool dynamic_byte_size_succeeds() { return upstream(); }

// Operators and parameters of nnrt_operators.h are taken.
inline bool has_extensions() { return !upstream(); }

// True: SetTensorData takes data for an input or output of the model.
inline bool boundary_tensors_take_data() { return upstream(); }

// Ranges that a driver reports for inputs that the model does not have are ignored, or an error.
inline bool ignores_further_ranges() { return upstream(); }

// A driver is asked for a result that an output has no room for, whatever the output's shape says, and what
// fits is copied; or the run is refused before.
inline bool cuts_results_of_drivers() { return upstream(); }

// Inputs of runs may have dimensions of 0.
inline bool supports_empty_inputs() { return !upstream(); }

// A device's own code counts, or only which call failed.
inline bool keeps_device_error_codes() { return !upstream(); }

}  // namespace nnrt::compat
