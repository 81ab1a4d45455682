/** @file node_attr_types.h  The same as V2_0's. */
#include "../v2_0/node_attr_types.h"
#include "nnrt_types.h"
