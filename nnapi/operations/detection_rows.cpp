// Boxes, lookup tables and random numbers.
#include "nnapi/operations/checked_rows.h"

namespace nnrt::nnapi {
namespace {

constexpr OperationRow kDetectionOperations[] = {
    row(47, "DETECTION_POSTPROCESSING", 29, "fl: T T T FLT*4 BOOL INT INT INT FLT FLT BOOL -> T T i32 i32"),
    row(41, "AXIS_ALIGNED_BBOX_TRANSFORM", 29, "fl: T T i32 T -> T | u16 q i32 u16 -> u16"),
    row(44, "BOX_WITH_NMS_LIMIT", 29,
        "fl: T T i32 FLT INT INT FLT*3 -> T T i32 i32 "
        "| q: T u16 i32 FLT INT INT FLT*3 -> T u16 i32 i32"),
    row(52, "GENERATE_PROPOSALS", 29,
        "fl: T T T T FLT FLT INT INT FLT FLT BOOL -> T T i32 "
        "| q: T T s16 u16 FLT FLT INT INT FLT FLT BOOL -> T u16 i32"),
    row(81, "ROI_ALIGN", 29,
        "fl: T T i32 INT INT FLT FLT INT INT BOOL -> T "
        "| q: T u16 i32 INT INT FLT FLT INT INT BOOL -> T"),
    row(82, "ROI_POOLING", 29,
        "fl: T T i32 INT INT FLT FLT BOOL -> T "
        "| q: T u16 i32 INT INT FLT FLT BOOL -> T"),
    row(56, "HEATMAP_MAX_KEYPOINT", 29, "fl: T T BOOL -> T T | q: T u16 BOOL -> T u16"),
    row(10, "HASHTABLE_LOOKUP", 27, "f32 i32 u8: i32 i32 T -> T u8"),
    row(15, "LSH_PROJECTION", 27, "fl: T any T INT -> i32"),
    row(74, "RANDOM_MULTINOMIAL", 29, "fl: T INT i32 -> i32"),
};
static_assert(are_valid(kDetectionOperations));

}  // namespace

std::span<const OperationRow> detection_operations() { return kDetectionOperations; }

}  // namespace nnrt::nnapi
