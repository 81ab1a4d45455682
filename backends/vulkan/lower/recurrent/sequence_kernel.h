// All time steps of an LSTM, GRU or RNN layer in one dispatch. Each workgroup keeps the states of one batch
// row.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "core/passes/kernel_choice.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

// Must match recurrent_sequence.comp.
enum class CellKind : uint32_t { rnn_tanh, rnn_relu, gru, gru_reset, lstm };

struct SequenceLayer {
  CellKind cell{};
  bool has_bias = true;
  uint32_t steps = 0, batch = 0, hidden = 0, directions = 1;
  uint32_t all_directions = 1;  // directions of all layers
  uint32_t first = 0;           // this layer's first direction among them
  uint32_t place = 0;           // offset of the layer's states
  uint32_t backward = 0;        // bit mask of the directions that run backwards
  float keep_cell = 0, keep_hidden = 0, cell_clip = 0;
  Buffer gates;                     // input part of the gates
  Buffer first_hidden, first_cell;  // RNN and GRU have no cell state and pass any buffer
  Buffer last_hidden, last_cell;
  Buffer to;
};

inline constexpr std::string_view kSequence = "recurrent_sequence", kSteps = "recurrent_steps";

WhyNot why_not_sequence(const LoweringContext& context, const SequenceLayer& layer);
Status add_sequence(const LoweringContext& context, const SequenceLayer& layer);
std::vector<std::string_view> recurrent_kernels();

}  // namespace nnrt::vulkan
