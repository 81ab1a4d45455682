/**
 * @file nnrt_types.h
 *
 * V2_1 adds node types and attributes to V2_0; the V2_0 headers already contain them, so both are one
 * namespace.
 */
#ifndef NNRT_HDI_V2_1_NNRT_TYPES_H
#define NNRT_HDI_V2_1_NNRT_TYPES_H

#include "../v2_0/nnrt_types.h"

namespace nnrt::hdi {

namespace V2_1 = V2_0;

}  // namespace nnrt::hdi

#endif
