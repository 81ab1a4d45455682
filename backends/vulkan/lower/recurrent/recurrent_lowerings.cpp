#include "backends/vulkan/lower/common/lowering_families.h"
#include "backends/vulkan/lower/elementwise/lower_dequantized.h"
#include "backends/vulkan/lower/recurrent/lower_recurrent.h"

namespace nnrt::vulkan {
namespace {

constexpr LoweringRow kRecurrentLowerings[] = {
    {Op::lstm, {refuse_conversion, via_f32<lower_lstm>}},
    {Op::gru, {refuse_conversion, via_f32<lower_recurrent>}},
    {Op::rnn, {refuse_conversion, via_f32<lower_recurrent>}},
};

}  // namespace

std::span<const LoweringRow> recurrent_lowerings() { return kRecurrentLowerings; }

}  // namespace nnrt::vulkan
