// Reductions over axes.
#include "nnapi/operations/checked_rows.h"

namespace nnrt::nnapi {
namespace {

constexpr OperationRow kReductionOperations[] = {
    row(31, "MEAN", 28, "fl q: T[..4] i32 INT -> T"),
    row(77, "REDUCE_MAX", 29, "fl q: T[..4] i32 BOOL -> T"),
    row(78, "REDUCE_MIN", 29, "fl q: T[..4] i32 BOOL -> T"),
    row(79, "REDUCE_PROD", 29, "fl: T[..4] i32 BOOL -> T"),
    row(80, "REDUCE_SUM", 29, "fl: T[..4] i32 BOOL -> T"),
    row(75, "REDUCE_ALL", 29, "b8[..4] i32 BOOL -> b8"),
    row(76, "REDUCE_ANY", 29, "b8[..4] i32 BOOL -> b8"),
    row(39, "ARGMAX", 29, "fl i32 q: T INT -> i32"),
    row(40, "ARGMIN", 29, "fl i32 q: T INT -> i32"),
};
static_assert(are_valid(kReductionOperations));

}  // namespace

std::span<const OperationRow> reduction_operations() { return kReductionOperations; }

}  // namespace nnrt::nnapi
