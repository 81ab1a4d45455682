/** @file iprepared_model.h  The same as V2_0's. */
#include "../v2_0/iprepared_model.h"
#include "nnrt_types.h"
