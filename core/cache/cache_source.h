// The bytes of a cache.
#pragma once

#include "core/memory/byte_source.h"

namespace nnrt {

using CacheSource = ByteSource;

}  // namespace nnrt
