/**
 * @file nnrt_types.h
 *
 * V2_1 differs from V2_0 by node types and attributes, which V2_0's headers have as well: the namespaces are
 * one.
 */
#ifndef NNRT_HDI_V2_1_NNRT_TYPES_H
#define NNRT_HDI_V2_1_NNRT_TYPES_H

#include "../v2_0/nnrt_types.h"

namespace nnrt::hdi {

namespace V2_1 = V2_0;

}  // namespace nnrt::hdi

#endif
