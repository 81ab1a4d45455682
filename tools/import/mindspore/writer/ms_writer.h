// Writes a network as a MindSpore Lite model.
#pragma once

#include "tools/import/network/network.h"

namespace nnrt::import {

// The schema "MSL2", as MindSpore Lite 1.5 and later read it. Fails if an operation has no primitive, listing
// all such operations.
Result<Bytes> write_mindspore(const Network& network);

}  // namespace nnrt::import
