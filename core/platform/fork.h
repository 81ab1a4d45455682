// fork() makes of a process that has devices a child with copies of all objects, but without the threads that
// work on them, with locks as they were at that moment, and with drivers that serve its parent. Nothing of
// that can be used, nor destroyed.
#pragma once

#include "core/base/result.h"

namespace nnrt {

// To be called when devices are made: children from now on are such.
void expect_forks();

// Returns whether this process is such a child.
bool is_forked();

// unavailable_device in such a child.
Error forked_error();

}  // namespace nnrt
