// Convolutions, products, pooling, resizing and normalization. Explicit padding is four INT that come first;
// otherwise there is one INT for it.
#include "nnapi/operations/checked_rows.h"

namespace nnrt::nnapi {
namespace {

constexpr OperationRow kGemmConvOperations[] = {
    row(3, "CONV_2D", 27,
        "fl q: T[4] W[4] B INT*4 INT*2 INT BOOL? (INT INT)? -> T "
        "| T[4] W[4] B INT INT*2 INT BOOL? (INT INT)? -> T"),
    row(4, "DEPTHWISE_CONV_2D", 27,
        "fl q: T[4] W[4] B INT*4 INT*2 INT INT BOOL? (INT INT)? -> T "
        "| T[4] W[4] B INT INT*2 INT INT BOOL? (INT INT)? -> T"),
    row(55, "GROUPED_CONV_2D", 29,
        "fl q: T[4] W[4] B INT*4 INT*2 INT INT BOOL -> T "
        "| T[4] W[4] B INT INT*2 INT INT BOOL -> T"),
    row(91, "TRANSPOSE_CONV_2D", 29,
        "fl q: T[4] W[4] B INT*4 INT*2 INT BOOL -> T "
        "| T[4] W[4] B i32 INT INT*2 INT BOOL -> T"),
    row(9, "FULLY_CONNECTED", 27, "fl q: T[2..4] T[2] B[1] INT -> T"),
    row(102, "BATCH_MATMUL", 1000006, "fl s8 i32: T[2..4] T[2..4] BOOL BOOL -> T"),
    row(1, "AVERAGE_POOL_2D", 27,
        "fl q: T[4] INT*4 INT*2 INT*2 INT BOOL? -> T "
        "| T[4] INT INT*2 INT*2 INT BOOL? -> T"),
    row(17, "MAX_POOL_2D", 27,
        "fl q: T[4] INT*4 INT*2 INT*2 INT BOOL? -> T "
        "| T[4] INT INT*2 INT*2 INT BOOL? -> T"),
    row(12, "L2_POOL_2D", 27,
        "fl: T[4] INT*4 INT*2 INT*2 INT BOOL? -> T "
        "| T[4] INT INT*2 INT*2 INT BOOL? -> T"),
    row(23, "RESIZE_BILINEAR", 27,
        "fl q: T[4] INT INT BOOL? BOOL? BOOL? -> T "
        "| T[4] FLT FLT BOOL? BOOL? BOOL? -> T"),
    row(94, "RESIZE_NEAREST_NEIGHBOR", 29,
        "fl q: T[4] INT INT BOOL BOOL? BOOL? -> T "
        "| T[4] FLT FLT BOOL BOOL? BOOL? -> T"),
    row(25, "SOFTMAX", 27, "fl q: T[..4] FLT INT? -> T"),
    row(64, "LOG_SOFTMAX", 29, "fl: T FLT INT -> T"),
    row(11, "L2_NORMALIZATION", 27, "fl q: T[..4] INT? -> T"),
    row(13, "LOCAL_RESPONSE_NORMALIZATION", 27, "fl: T[..4] INT FLT FLT FLT INT? -> T"),
    row(57, "INSTANCE_NORMALIZATION", 29, "fl: T FLT FLT FLT BOOL -> T"),
};
static_assert(are_valid(kGemmConvOperations));

}  // namespace

std::span<const OperationRow> gemm_conv_operations() { return kGemmConvOperations; }

}  // namespace nnrt::nnapi
