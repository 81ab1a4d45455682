// The longest of the linear rows.
#pragma once

#include "core/schema/schema.h"

namespace nnrt {

OpSchema lstm_row();

}  // namespace nnrt
