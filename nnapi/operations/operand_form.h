// Parser of the notation in operation_row.h: what each operand of a form may be.
#pragma once

#include <android/NeuralNetworksTypes.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace nnrt::nnapi {

// An operand's type may depend on T.
enum class Tie : uint8_t { none, t, scalar_of_t, filter_of_t, bias_of_t };

constexpr uint16_t type_bit(int32_t code) { return static_cast<uint16_t>(1u << code); }

struct OperandForm {
  uint16_t types = 0;  // bits of the types allowed for any T
  Tie tie = Tie::none;
  uint8_t min_rank = 0, max_rank = 255;
};

// The inputs or outputs of a form.
template <size_t kMax>
struct Side {
  std::array<OperandForm, kMax> operands{};
  uint32_t count = 0;
  uint64_t may_end = 0;   // bit n: n operands are allowed
  int32_t repeated = -1;  // the operand that may be repeated
};

struct Form {
  uint16_t types = 0;  // types allowed for T
  Side<62> inputs;
  Side<8> outputs;
  bool valid = false;
};

namespace form_text {

struct Name {
  std::string_view text;
  uint16_t types;
  Tie tie = Tie::none;
};

constexpr uint16_t kF32 = type_bit(ANEURALNETWORKS_TENSOR_FLOAT32),
                   kF16 = type_bit(ANEURALNETWORKS_TENSOR_FLOAT16),
                   kU8 = type_bit(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM),
                   kS8 = type_bit(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED),
                   kAny = static_cast<uint16_t>(~type_bit(ANEURALNETWORKS_MODEL));

constexpr std::array<Name, 22> kNames{{
    {"f32", kF32},
    {"f16", kF16},
    {"fl", kF32 | kF16},
    {"u8", kU8},
    {"s8", kS8},
    {"q", kU8 | kS8},
    {"i32", type_bit(ANEURALNETWORKS_TENSOR_INT32)},
    {"b8", type_bit(ANEURALNETWORKS_TENSOR_BOOL8)},
    {"q8", type_bit(ANEURALNETWORKS_TENSOR_QUANT8_SYMM)},
    {"pc8", type_bit(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL)},
    {"s16", type_bit(ANEURALNETWORKS_TENSOR_QUANT16_SYMM)},
    {"u16", type_bit(ANEURALNETWORKS_TENSOR_QUANT16_ASYMM)},
    {"any", kAny},
    {"INT", type_bit(ANEURALNETWORKS_INT32)},
    {"BOOL", type_bit(ANEURALNETWORKS_BOOL)},
    {"F32", type_bit(ANEURALNETWORKS_FLOAT32)},
    {"F16", type_bit(ANEURALNETWORKS_FLOAT16)},
    {"MODEL", type_bit(ANEURALNETWORKS_MODEL)},
    {"T", 0, Tie::t},
    {"FLT", 0, Tie::scalar_of_t},
    {"W", 0, Tie::filter_of_t},
    {"B", 0, Tie::bias_of_t},
}};

constexpr const Name* find_name(std::string_view text) {
  for (const Name& name : kNames) {
    if (!text.empty() && name.text == text) return &name;
  }
  return nullptr;
}

// Removes and returns the text before the first `end`, and removes that.
constexpr std::string_view take_until(std::string_view& text, char end) {
  const size_t found = text.find(end);
  const std::string_view taken = text.substr(0, found);
  text.remove_prefix(found == std::string_view::npos ? text.size() : found + 1);
  return taken;
}

constexpr bool read_number(std::string_view text, uint8_t& number) {
  if (text.empty() || text.size() > 2) return false;
  number = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return false;
    number = static_cast<uint8_t>(number * 10 + (digit - '0'));
  }
  return true;
}

// "4", "2..4" or "..4".
constexpr bool read_rank(std::string_view text, OperandForm& operand) {
  const size_t range = text.find("..");
  if (range == std::string_view::npos)
    return read_number(text, operand.min_rank) && read_number(text, operand.max_rank);
  if (range > 0 && !read_number(text.substr(0, range), operand.min_rank)) return false;
  return read_number(text.substr(range + 2), operand.max_rank);
}

// "f32/f16[2..4]".
constexpr bool read_operand(std::string_view text, OperandForm& operand) {
  if (text.ends_with(']')) {
    const size_t open = text.find('[');
    if (open == std::string_view::npos) return false;
    if (!read_rank(text.substr(open + 1, text.size() - open - 2), operand)) return false;
    text = text.substr(0, open);
  }
  while (!text.empty()) {
    const Name* name = find_name(take_until(text, '/'));
    if (name == nullptr) return false;
    operand.types |= name->types;
    if (name->tie != Tie::none) operand.tie = name->tie;
  }
  return true;
}

// Parses one word: an operand with its modifiers.
template <size_t kMax>
constexpr bool read_word(std::string_view word, Side<kMax>& side, bool& in_group) {
  const auto may_end_here = [&side] { side.may_end |= uint64_t{1} << side.count; };
  if (word.starts_with('(')) {
    may_end_here();
    in_group = true;
    word.remove_prefix(1);
  }
  if (word.ends_with(")?")) {
    if (!in_group) return false;
    in_group = false;
    word.remove_suffix(2);
  } else if (word.ends_with('?')) {
    may_end_here();
    word.remove_suffix(1);
  }
  if (word.ends_with("...")) {
    if (side.repeated >= 0) return false;
    side.repeated = static_cast<int32_t>(side.count);
    word.remove_suffix(3);
  }
  uint8_t times = 1;
  const size_t star = word.find('*');
  if (star != std::string_view::npos) {
    if (!read_number(word.substr(star + 1), times)) return false;
    word = word.substr(0, star);
  }
  for (uint8_t i = 0; i < times; ++i) {
    if (side.count == kMax || !read_operand(word, side.operands[side.count])) return false;
    ++side.count;
  }
  return true;
}

template <size_t kMax>
constexpr bool read_side(std::string_view text, Side<kMax>& side) {
  bool in_group = false;
  while (!text.empty()) {
    const std::string_view word = take_until(text, ' ');
    if (!word.empty() && !read_word(word, side, in_group)) return false;
  }
  side.may_end |= uint64_t{1} << side.count;
  return !in_group && side.count > 0;
}

}  // namespace form_text

// Removes and parses the first form. `valid` is false if it does not match the notation.
constexpr Form next_form(std::string_view& rest, const Form& before) {
  std::string_view text = form_text::take_until(rest, '|');
  Form form;
  form.types = before.types;
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    OperandForm t;
    for (std::string_view types = form_text::take_until(text, ':'); !types.empty();) {
      if (!form_text::read_operand(form_text::take_until(types, ' '), t) || t.tie != Tie::none) return form;
    }
    form.types = t.types;
  }
  const size_t arrow = text.find("->");
  if (arrow == std::string_view::npos) return form;
  form.valid = form_text::read_side(text.substr(0, arrow), form.inputs) &&
               form_text::read_side(text.substr(arrow + 2), form.outputs);
  return form;
}

}  // namespace nnrt::nnapi
