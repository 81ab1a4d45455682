// A network of floats as one of fp16 values.
#pragma once

#include "case.h"

namespace bench {

// Tensors and constants are FLOAT16 where they were FLOAT32; parameters of operators stay as they are.
conformance::Case with_fp16(conformance::Case network);

}  // namespace bench
