// Control flow. Whether the models match the operands is checked in nnapi/builder/model_checks.h.
#include "nnapi/operations/checked_rows.h"

namespace nnrt::nnapi {
namespace {

constexpr OperationRow kControlOperations[] = {
    row(96, "IF", 30, "b8 MODEL MODEL any... -> any any..."),
    row(97, "WHILE", 30, "MODEL MODEL any any... -> any any..."),
};
static_assert(are_valid(kControlOperations));

}  // namespace

std::span<const OperationRow> control_operations() { return kControlOperations; }

}  // namespace nnrt::nnapi
