// All steps of a layer of LSTM, GRU or RNN in one dispatch, where a workgroup holds the states of a row of
// the batch.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "core/passes/kernel_choice.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

// As recurrent_sequence.comp has them.
enum class CellKind : uint32_t { rnn_tanh, rnn_relu, gru, gru_reset, lstm };

struct SequenceLayer {
  CellKind cell{};
  bool has_bias = true;
  uint32_t steps = 0, batch = 0, hidden = 0, directions = 1;
  uint32_t all_directions = 1;  // directions of all layers
  uint32_t first = 0;           // the layer's first among them
  uint32_t place = 0;           // the beginning of its states
  uint32_t backward = 0;        // a bit for each direction that runs from the end
  float keep_cell = 0, keep_hidden = 0;
  Buffer gates;                     // the input's share of the gates
  Buffer first_hidden, first_cell;  // an RNN and a GRU have no cells, and name other buffers
  Buffer last_hidden, last_cell;
  Buffer to;
};

inline constexpr std::string_view kSequence = "recurrent_sequence", kSteps = "recurrent_steps";

WhyNot why_not_sequence(const LoweringContext& context, const SequenceLayer& layer);
Status add_sequence(const LoweringContext& context, const SequenceLayer& layer);
std::vector<std::string_view> recurrent_kernels();

}  // namespace nnrt::vulkan
