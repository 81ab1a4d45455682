#include "backends/vulkan/pipeline/spirv/instruction_ids.h"

#include <spirv/unified1/spirv.h>

namespace nnrt::vulkan::spirv {
namespace {

struct Range {
  uint32_t first, last;
};

// All operands are ids.
constexpr Range kOnlyIds[] = {
    {SpvOpFunctionParameter, SpvOpFunctionCall},
    {SpvOpAccessChain, SpvOpAccessChain},
    {SpvOpVectorExtractDynamic, SpvOpVectorInsertDynamic},
    {SpvOpCompositeConstruct, SpvOpCompositeConstruct},
    {SpvOpCopyObject, SpvOpTranspose},
    {SpvOpImage, SpvOpImage},
    {SpvOpConvertFToU, SpvOpBitcast},
    {SpvOpSNegate, SpvOpSMulExtended},
    {SpvOpAny, SpvOpFUnordGreaterThanEqual},
    {SpvOpShiftRightLogical, SpvOpBitCount},
    {SpvOpControlBarrier, SpvOpMemoryBarrier},
    {SpvOpAtomicLoad, SpvOpAtomicXor},
    {SpvOpPhi, SpvOpPhi},
    {SpvOpLabel, SpvOpBranch},
    {SpvOpKill, SpvOpUnreachable},
    {SpvOpGroupNonUniformElect, SpvOpGroupNonUniformInverseBallot},
    {SpvOpGroupNonUniformShuffle, SpvOpGroupNonUniformShuffleDown},
    {SpvOpGroupNonUniformQuadBroadcast, SpvOpGroupNonUniformQuadSwap},
    {SpvOpCooperativeMatrixMulAddNV, SpvOpCooperativeMatrixLengthNV},
    {khr_matrix_length, khr_matrix_length},
};

}  // namespace

size_t result_word(uint32_t opcode) {
  switch (opcode) {
    case SpvOpLabel: return 1;
    case SpvOpFunctionEnd:
    case SpvOpStore:
    case SpvOpCopyMemory:
    case SpvOpImageWrite:
    case SpvOpControlBarrier:
    case SpvOpMemoryBarrier:
    case SpvOpAtomicStore:
    case SpvOpLoopMerge:
    case SpvOpSelectionMerge:
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpKill:
    case SpvOpReturn:
    case SpvOpReturnValue:
    case SpvOpUnreachable:
    case SpvOpCooperativeMatrixStoreNV:
    case khr_matrix_store: return 0;
    default: return 2;
  }
}

std::optional<Literals> literals_of(const Instruction& i) {
  const size_t end = i.words.size();
  switch (i.opcode) {
    case SpvOpFunction:
    case SpvOpVariable: return Literals{3, 4};
    case SpvOpExtInst: return Literals{4, 5};
    case SpvOpStore: return Literals{3, end};
    case SpvOpLoad:
    case SpvOpCompositeExtract:
    case SpvOpBranchConditional: return Literals{4, end};
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
    case SpvOpSDot:
    case SpvOpCooperativeMatrixStoreNV:
    case khr_matrix_store: return Literals{5, end};
    case SpvOpCooperativeMatrixLoadNV:
    case khr_matrix_load:
    case khr_matrix_multiply_add: return Literals{6, end};
    case SpvOpSelectionMerge: return Literals{2, end};
    case SpvOpLoopMerge: return Literals{3, end};
    case SpvOpImageFetch:
    case SpvOpImageRead: return end == 5 ? std::optional(Literals{end, end}) : std::nullopt;
    default: break;
  }
  if (i.opcode >= SpvOpGroupNonUniformIAdd && i.opcode <= SpvOpGroupNonUniformLogicalXor)
    return Literals{4, 5};
  for (const Range& range : kOnlyIds)
    if (i.opcode >= range.first && i.opcode <= range.last) return Literals{end, end};
  return std::nullopt;
}

}  // namespace nnrt::vulkan::spirv
