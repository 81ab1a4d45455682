#include "tools/nnrt/generate/decoder_form.h"

#include "core/base/counted.h"
#include "core/base/text.h"
#include "tools/nnrt/base/array.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace nnrt::tool {
namespace {

constexpr size_t kPositionsFromEnd = 2;

constexpr std::pair<std::string_view, Role> kNames[] = {
    {"input_ids", Role::tokens},
    {"position_ids", Role::positions},
    {"cache_position", Role::positions},
    {"attention_mask", Role::mask},
    {"seqlens_k", Role::last},
    {"total_sequence_length", Role::filled},
    {"past_sequence_length", Role::past},
    {"past_key_values_length", Role::past},
    {"use_cache_branch", Role::one},
    {"num_logits_to_keep", Role::one},
};

std::optional<Role> role_of(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name, &std::pair<std::string_view, Role>::first);
  return found == std::end(kNames) ? std::nullopt : std::optional(found->second);
}

// The same type, rank and known dimensions, except for the number of positions.
bool may_follow(const import::Tensor& before, const import::Tensor& after) {
  if (before.type != after.type || before.shape.size() != after.shape.size()) return false;
  const size_t axis = before.shape.size() < kPositionsFromEnd ? 0 : position_axis(before.shape);
  for (size_t d = 0; d < before.shape.size(); ++d) {
    const bool is_known = before.shape[d] >= 0 && after.shape[d] >= 0;
    if (d != axis && is_known && before.shape[d] != after.shape[d]) return false;
  }
  return true;
}

// "past_key_values.0.key" -> "present.0.key" or "present_key_values.0.key", "past_conv.0" ->
// "present_conv.0".
std::vector<std::string> next_names(const std::string& name) {
  std::vector<std::string> names;
  for (const std::string_view before : {"past_key_values", "past"}) {
    if (!name.starts_with(before)) continue;
    names.push_back("present" + name.substr(before.size()));
  }
  return names;
}

std::optional<size_t> output_named(std::span<const import::Tensor> outputs, const std::string& name) {
  const auto found = std::ranges::find(outputs, name, &import::Tensor::name);
  if (found == outputs.end()) return {};
  return static_cast<size_t>(found - outputs.begin());
}

Error cannot_fill(const import::Tensor& input) {
  return {Code::invalid_parameter, cat("The graph takes `", input.name, "` (",
                                       describe(input.type, input.shape), "), which generate cannot fill.")};
}

// Of files whose names tell nothing: a token, then its position, and as many states as further outputs.
Result<std::vector<Role>> roles_in_order(std::span<const import::Tensor> inputs) {
  std::vector<Role> roles;
  size_t numbers = 0;
  for (const import::Tensor& input : inputs) {
    const bool counts = is_number(input);
    roles.push_back(!counts ? Role::state : numbers == 0 ? Role::tokens : Role::positions);
    numbers += counts ? 1 : 0;
  }
  if (numbers == 2) return roles;
  return Error{Code::invalid_parameter, cat("The model is not a decoder: it has no input `input_ids`, and ",
                                            counted(numbers, "input"), " of one integer, not 2.")};
}

Result<std::vector<Role>> roles_by_name(std::span<const import::Tensor> inputs) {
  const auto has_tokens = [](const import::Tensor& input) { return role_of(input.name) == Role::tokens; };
  if (std::ranges::none_of(inputs, has_tokens)) return roles_in_order(inputs);
  std::vector<Role> roles;
  for (const import::Tensor& input : inputs) roles.push_back(role_of(input.name).value_or(Role::state));
  return roles;
}

}  // namespace

bool is_number(const import::Tensor& tensor) {
  const bool is_integer = tensor.type == OH_NN_INT32 || tensor.type == OH_NN_INT64;
  return is_integer && std::ranges::all_of(tensor.shape, [](int32_t size) { return size == 1; });
}

size_t position_axis(const import::Shape& shape) {
  for (size_t d = shape.size(); d-- > 1;)
    if (shape[d] < 0) return d;
  return shape.size() - std::min(shape.size(), kPositionsFromEnd);
}

Result<DecoderForm> form_of(std::span<const import::Tensor> inputs, std::span<const import::Tensor> outputs) {
  DecoderForm form;
  NNRT_ASSIGN(form.roles, roles_by_name(inputs));
  form.logits = output_named(outputs, "logits").value_or(0);
  if (outputs.empty() || !is_float(outputs[form.logits].type))
    return Error{Code::invalid_parameter, "The model is not a decoder: its first output is not of floats."};
  size_t next = 0;  // output, for states whose names tell nothing
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (form.roles[i] != Role::state) continue;
    if (next == form.logits) ++next;
    std::optional<size_t> output;
    for (const std::string& name : next_names(inputs[i].name))
      if (!output) output = output_named(outputs, name);
    if (!output && next < outputs.size() && is_float(inputs[i].type)) output = next;
    if (!output || !may_follow(inputs[i], outputs[*output])) return cannot_fill(inputs[i]);
    form.states.push_back({i, *output});
    ++next;
  }
  if (form.states.empty())
    return Error{
        Code::invalid_parameter,
        "The model has no inputs for keys and values, such as `past_key_values.0.key`: export it with "
        "a cache."};
  return form;
}

Status fit_to_generation(const import::Interface& interface, int64_t positions, import::Options& options) {
  NNRT_ASSIGN(const DecoderForm form, form_of(interface.inputs, interface.outputs));
  // The branch for later tokens was traced with one: it may have no mask between several.
  const bool has_branches = std::ranges::any_of(
      interface.inputs, [](const import::Tensor& input) { return input.name == "use_cache_branch"; });
  const int32_t new_tokens = has_branches ? 1 : -1;
  const int32_t room =
      interface.operators.contains("GroupQueryAttention") ? static_cast<int32_t>(positions) : -1;
  for (size_t i = 0; i < interface.inputs.size(); ++i) {
    const import::Tensor& input = interface.inputs[i];
    const Role role = form.roles[i];
    if (role == Role::one) options.fixed_inputs.emplace(input.name, 1);
    if (role == Role::one || !is_dynamic(input.shape)) continue;
    import::Shape shape = input.shape;
    const size_t axis = role == Role::state ? position_axis(shape) : shape.size() - 1;
    const bool is_long =
        role == Role::tokens || role == Role::positions || role == Role::mask || role == Role::state;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] >= 0) continue;
      const bool counts_positions = d == axis && is_long;
      const bool is_room = role == Role::mask || role == Role::state;
      shape[d] = !counts_positions ? 1 : is_room ? room : new_tokens;
    }
    options.input_shapes.emplace(input.name, std::move(shape));
  }
  return {};
}

}  // namespace nnrt::tool
