// A child forked from a process with devices has copies of all objects, but no worker threads, locks in
// arbitrary state, and drivers that serve the parent. It can neither use nor destroy any of them.
#pragma once

#include "core/base/result.h"

namespace nnrt {

// Called when devices are created: later children count as forked.
void expect_forks();

// Returns whether this process is such a child.
bool is_forked();

// unavailable_device in such a child.
Error forked_error();

}  // namespace nnrt
