/** @file innrt_device.h  The same as V2_0's. */
#include "../v2_0/innrt_device.h"
#include "nnrt_types.h"
