// Sequences, which exist only in the reader: lists of tensors. Their lengths and the positions in them must
// be known.
#include "core/base/counted.h"
#include "tools/import/onnx/onnx_call.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

Ids elements_of(Call& call, size_t input) {
  if (const auto& elements = call.value(input).elements) return *elements;
  fail(damaged("Input ", input, " is not a sequence."));
}

// The node's output; it has no tensor.
Ids sequence(Call& call, Ids elements) {
  call.sequences.emplace(0, std::move(elements));
  return {};
}

// A position in [0, size), or `size` too if `may_end`.
size_t position(Call& call, size_t input, size_t size, bool may_end = false) {
  const List<int64_t> given = call.integers(input);
  const auto length = static_cast<int64_t>(size);
  if (given.size() != 1 || given[0] < -length || given[0] >= length + (may_end ? 1 : 0))
    fail(damaged("The position is outside the sequence of ", counted(size, "element"), "."));
  return static_cast<size_t>(given[0] < 0 ? given[0] + length : given[0]);
}

Ids construct(Call& call) { return sequence(call, call.all_inputs()); }

Ids at(Call& call) {
  const Ids elements = elements_of(call, 0);
  return {elements[position(call, 1, elements.size())]};
}

Ids insert(Call& call) {
  Ids elements = elements_of(call, 0);
  const TensorId element = call.plain_input(1);
  const size_t place = call.has(2) ? position(call, 2, elements.size(), true) : elements.size();
  elements.insert_at(place, element);
  return sequence(call, std::move(elements));
}

Ids erase(Call& call) {
  Ids elements = elements_of(call, 0);
  if (elements.empty()) fail(damaged("The sequence is empty."));
  const size_t place = call.has(1) ? position(call, 1, elements.size()) : elements.size() - 1;
  elements.erase_at(place);
  return sequence(call, std::move(elements));
}

Ids length(Call& call) {
  const Ids elements = elements_of(call, 0);
  return {call.reshape(call.vector({static_cast<int64_t>(elements.size())}), {})};
}

Ids concat_elements(Call& call) {
  const Ids elements = elements_of(call, 0);
  if (elements.empty()) fail(damaged("The sequence is empty."));
  const bool is_new = call.attributes.flag("new_axis");
  const int64_t rank = call.rank(elements[0]) + (is_new ? 1 : 0);
  const int64_t axis = call.axis(call.attributes.integer("axis", 0), rank);
  Ids parts;
  for (const TensorId element : elements) parts.push_back(is_new ? call.unsqueeze(element, {axis}) : element);
  return {call.concat(parts, axis)};
}

// The lengths of the parts: given, in steps of one length, or 1.
List<int64_t> part_lengths(Call& call, int64_t total) {
  constexpr int64_t kMaxParts = 1024;
  List<int64_t> lengths{1};
  bool is_list = false;
  if (call.has(1)) {
    lengths = call.integers(1);
    is_list = call.rank(call.plain_input(1)) > 0;
  }
  if (is_list && std::ranges::any_of(lengths, [](int64_t part) { return part < 0; }))
    fail(damaged("The length of a part is negative."));
  if (is_list) return lengths;
  if (lengths.size() != 1 || lengths[0] < 1) fail(damaged("The length of a part is not positive."));
  if (total == kUnknown || total / lengths[0] > kMaxParts)
    fail(
        unsupported("The number of parts of a dimension (", total, ") is unknown or above ", kMaxParts, "."));
  List<int64_t> parts(static_cast<size_t>(total / lengths[0]), lengths[0]);
  if (total % lengths[0] != 0) parts.push_back(total % lengths[0]);
  return parts;
}

Ids split_to_sequence(Call& call) {
  const TensorId x = call.plain_input(0);
  const int64_t axis = call.axis(call.attributes.integer("axis", 0), call.rank(x));
  const int64_t total = call.shape(x)[static_cast<size_t>(axis)];
  const List<int64_t> lengths = part_lengths(call, total);
  const bool squeezes = !call.has(1) && !call.attributes.flag("keepdims", true);
  Ids elements;
  int64_t begin = 0;
  for (const int64_t part : lengths) {
    const TensorId element = call.slice(x, axis, begin, begin + part);
    elements.push_back(squeezes ? call.squeeze(element, {axis}) : element);
    begin += part;
  }
  if (total != kUnknown && begin != total)
    fail(damaged("The parts have ", begin, " of ", total, " elements of the dimension."));
  return sequence(call, std::move(elements));
}

// An optional is the tensor or the sequence itself, or absent.
Ids optional_value(Call& call) {
  if (!call.has(0)) fail(unsupported("An optional without a value is not supported."));
  if (const auto& elements = call.value(0).elements) return sequence(call, *elements);
  return {call.plain_input(0)};
}

Ids has_value(Call& call) { return {call.number(DType::boolean, call.has(0) ? 1 : 0)}; }

// Inlines the body for each element. The other inputs are sequences of the same length, or the same tensor
// for all elements.
Ids map_elements(Call& call) {
  const onnx_file::GraphProto& body = call.body("body");
  const Ids first = elements_of(call, 0);
  List<Ids> results(static_cast<size_t>(body.output_size()));
  for (size_t i = 0; i < first.size(); ++i) {
    Values inputs;
    for (size_t k = 0; k < call.input_count(); ++k) {
      const auto& elements = call.value(k).elements;
      if (elements && elements->size() != first.size()) fail(damaged("The sequences differ in length."));
      inputs.push_back({.plain = elements ? (*elements)[i] : call.plain_input(k)});
    }
    const Values made = required(call.bodies->run_body(body, inputs));
    for (size_t k = 0; k < results.size(); ++k) {
      if (!made[k].plain) fail(unsupported("A sequence of sequences is not supported."));
      results[k].push_back(*made[k].plain);
    }
  }
  for (size_t k = 0; k < results.size(); ++k) call.sequences.emplace(k, std::move(results[k]));
  return {};
}

}  // namespace

std::vector<Row> sequence_rows() {
  return {
      {"ConcatFromSequence", concat_elements},
      {.type = "Optional", .handler = optional_value, .required = 0},
      {"OptionalGetElement", optional_value},
      {.type = "OptionalHasElement", .handler = has_value, .required = 0},
      {"SequenceAt", at},
      {"SequenceConstruct", construct},
      {.type = "SequenceEmpty", .handler = construct, .required = 0},
      {"SequenceErase", erase},
      {"SequenceInsert", insert},
      {"SequenceLength", length},
      {"SequenceMap", map_elements},
      {"SplitToSequence", split_to_sequence},
  };
}

}  // namespace nnrt::import::onnx
