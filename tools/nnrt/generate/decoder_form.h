// What the inputs and outputs of a language model's decoder are for, by their names and shapes.
#pragma once

#include "tools/import/network/import_options.h"

#include <span>
#include <vector>

namespace nnrt::tool {

enum class Role : uint8_t {
  tokens,     // the new tokens
  positions,  // of the new tokens
  mask,       // 1 for every position that has a token, the new ones included
  filled,     // how many positions have a token
  last,       // the last of these positions
  past,       // how many of them are not new
  one,        // always 1: a switch, or the number of logits
  state,      // what the previous run left, such as keys and values
};

struct DecoderForm {
  struct State {
    size_t input = 0, output = 0;
  };

  std::vector<Role> roles;  // of the inputs
  size_t logits = 0;        // the output
  std::vector<State> states;
};

// Inputs and outputs as exporters name them, or a token, its position and states in any order of names. Fails
// with the input's name if an input has no known role.
Result<DecoderForm> form_of(std::span<const import::Tensor> inputs, std::span<const import::Tensor> outputs);

// Whether the tensor is one INT32 or INT64.
bool is_number(const import::Tensor& tensor);
// The dimension of a state that counts positions: the last open one, else the second to last.
size_t position_axis(const import::Shape& shape);

// Adds to `options` how to read a model with this interface: one sequence, and, if its attention writes into
// a cache of fixed size (GroupQueryAttention), that many positions. Shapes in `options` stay.
Status fit_to_generation(const import::Interface& interface, int64_t positions, import::Options& options);

}  // namespace nnrt::tool
