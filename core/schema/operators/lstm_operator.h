// The largest of the gemm_conv rows.
#pragma once

#include "core/schema/schema.h"

namespace nnrt {

OpSchema lstm_row();

}  // namespace nnrt
