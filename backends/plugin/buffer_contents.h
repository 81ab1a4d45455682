// Reads what a client passes to our own driver. Not by mapping it: the client may shorten its file at any
// time.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"

#include <neural_network_runtime/hdi/v2_0/nnrt_types.h>

namespace nnrt::plugin {

// A copy. invalid_parameter: the data are outside the buffer, or the buffer outside its file.
Result<SharedBytes> contents_of(const ::nnrt::hdi::V2_0::SharedBuffer& buffer);

}  // namespace nnrt::plugin
