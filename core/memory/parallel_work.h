// Parallel loops for work that is too rare to keep threads for it, such as hashing files or creating
// pipelines.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <functional>

namespace nnrt {

// Calls body(i) for each i < count, lower ones first, on up to `max_threads` threads including the caller's;
// on fewer if threads cannot be created. After an error the remaining calls are skipped; returns the error of
// the lowest i that failed. Exceptions become errors.
Status parallel_work(size_t count, size_t max_threads, const std::function<Status(size_t)>& body);

}  // namespace nnrt
