// Upstream mode, NNRT_TEST_COMPAT=openharmony: where the documentation and OpenHarmony's runtime differ, this
// runtime normally follows the documentation, and in this mode OpenHarmony's runtime. All code that depends
// on the mode calls these functions.
#pragma once

#include "core/base/result.h"

namespace nnrt::compat {

// Read once.
bool upstream();

// Setters for unsupported features fail immediately if the device is known; otherwise Build fails. Upstream's
// setters do not check.
inline bool setters_ask_device() { return !upstream(); }
inline Code lacking_feature() { return upstream() ? Code::forbidden : Code::unavailable_device; }

// Build's return codes for a cache with a newer version, and for a missing cache directory.
inline Code newer_cache() { return upstream() ? Code::forbidden : Code::invalid_parameter; }
inline Code missing_directory() { return upstream() ? Code::invalid_parameter : Code::invalid_path; }

// RunAsync and its callbacks, and exporting a plugin's cache to a buffer.
inline bool has_async_runs() { return !upstream(); }
inline bool exports_plugin_caches() { return !upstream(); }

// The CPU runs what the chosen device refuses.
inline bool has_fallback() { return !upstream(); }

// Late calls (setters after Build, AddTensorToModel after Finish) do nothing and succeed.
inline bool ignores_late_calls() { return upstream(); }

// SetOutput checks the buffer size, not only the run.
inline bool set_output_checks_room() { return upstream(); }

// GetByteSize of a dynamic shape returns 0 and success.
inline bool dynamic_byte_size_succeeds() { return upstream(); }

// Accepts operators and parameters of nnrt_operators.h.
inline bool has_extensions() { return !upstream(); }

// SetTensorData accepts model inputs and outputs.
inline bool boundary_tensors_take_data() { return upstream(); }

// Ranges that a driver reports for non-existent inputs are ignored instead of being an error.
inline bool ignores_further_ranges() { return upstream(); }

// A driver runs even if an output is too small, and the result is truncated; otherwise the run is refused
// before.
inline bool cuts_results_of_drivers() { return upstream(); }

// Run inputs may have dimensions of 0.
inline bool supports_empty_inputs() { return !upstream(); }

// A device's error code is returned, instead of one that depends on the failed call.
inline bool keeps_device_error_codes() { return !upstream(); }

}  // namespace nnrt::compat
