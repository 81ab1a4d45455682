// Sequences, which exist only in the reader: lists of tensors. Their lengths and the positions in them must
// be known.
#include "tools/import/onnx/onnx_formula.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

Result<Ids> elements_of(Call& call, size_t input) {
  if (const auto& elements = call.value(input).elements) return *elements;
  return damaged("Input ", input, " is not a sequence.");
}

// The node's output; it has no tensor.
Result<Ids> sequence(Call& call, Ids elements) {
  call.sequences.emplace(0, std::move(elements));
  return Ids{};
}

// A position in [0, size), or `size` too if `may_end`.
Result<size_t> position(Call& call, size_t input, size_t size, bool may_end = false) {
  NNRT_ASSIGN(const List<int64_t> given, call.integers(input));
  const auto length = static_cast<int64_t>(size);
  if (given.size() != 1 || given[0] < -length || given[0] >= length + (may_end ? 1 : 0))
    return damaged("The position is outside the sequence of ", size, " elements.");
  return static_cast<size_t>(given[0] < 0 ? given[0] + length : given[0]);
}

Result<Ids> construct(Call& call) {
  NNRT_ASSIGN(Ids elements, call.all_inputs());
  return sequence(call, std::move(elements));
}

Result<Ids> at(Call& call) {
  NNRT_ASSIGN(const Ids elements, elements_of(call, 0));
  NNRT_ASSIGN(const size_t place, position(call, 1, elements.size()));
  return Ids{elements[place]};
}

Result<Ids> insert(Call& call) {
  NNRT_ASSIGN(Ids elements, elements_of(call, 0));
  NNRT_ASSIGN(const TensorId element, call.plain_input(1));
  NNRT_ASSIGN(const size_t place,
              call.has(2) ? position(call, 2, elements.size(), true) : Result<size_t>(elements.size()));
  elements.insert_at(place, element);
  return sequence(call, std::move(elements));
}

Result<Ids> erase(Call& call) {
  NNRT_ASSIGN(Ids elements, elements_of(call, 0));
  if (elements.empty()) return damaged("The sequence is empty.");
  NNRT_ASSIGN(const size_t place,
              call.has(1) ? position(call, 1, elements.size()) : Result<size_t>(elements.size() - 1));
  elements.erase_at(place);
  return sequence(call, std::move(elements));
}

Result<Ids> length(Call& call) {
  NNRT_ASSIGN(const Ids elements, elements_of(call, 0));
  return single(call.reshape(call.emitter().integers({static_cast<int64_t>(elements.size())}), {}));
}

Result<Ids> concat_elements(Call& call) {
  NNRT_ASSIGN(const Ids elements, elements_of(call, 0));
  if (elements.empty()) return damaged("The sequence is empty.");
  const bool is_new = call.attributes.integer("new_axis", 0) != 0;
  const int64_t rank = call.rank(elements[0]) + (is_new ? 1 : 0);
  NNRT_ASSIGN(const int64_t axis, call.axis(call.attributes.integer("axis", 0), rank));
  Formula f(call);
  Ids parts;
  for (const TensorId element : elements) parts.push_back(is_new ? f.unsqueeze(element, {axis}) : element);
  return Ids{f.concat(parts, axis)};
}

// The lengths of the parts: given, in steps of one length, or 1.
Result<List<int64_t>> part_lengths(Call& call, int64_t total) {
  constexpr int64_t kMaxParts = 1024;
  List<int64_t> lengths{1};
  bool is_list = false;
  if (call.has(1)) {
    NNRT_ASSIGN(lengths, call.integers(1));
    NNRT_ASSIGN(const TensorId given, call.plain_input(1));
    is_list = call.rank(given) > 0;
  }
  if (is_list && std::ranges::any_of(lengths, [](int64_t part) { return part < 0; }))
    return damaged("The length of a part is negative.");
  if (is_list) return lengths;
  if (lengths.size() != 1 || lengths[0] < 1) return damaged("The length of a part is not positive.");
  if (total == kUnknown || total / lengths[0] > kMaxParts)
    return unsupported("The number of parts of a dimension (", total, ") is unknown or above ", kMaxParts,
                       ".");
  List<int64_t> parts(static_cast<size_t>(total / lengths[0]), lengths[0]);
  if (total % lengths[0] != 0) parts.push_back(total % lengths[0]);
  return parts;
}

Result<Ids> split_to_sequence(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.plain_input(0));
  NNRT_ASSIGN(const int64_t axis, call.axis(call.attributes.integer("axis", 0), call.rank(x)));
  const int64_t total = call.shape(x)[static_cast<size_t>(axis)];
  NNRT_ASSIGN(const List<int64_t> lengths, part_lengths(call, total));
  const bool squeezes = !call.has(1) && call.attributes.integer("keepdims", 1) == 0;
  Formula f(call);
  Ids elements;
  int64_t begin = 0;
  for (const int64_t part : lengths) {
    const TensorId element = f.slice(x, axis, begin, begin + part);
    elements.push_back(squeezes ? f.squeeze(element, {axis}) : element);
    begin += part;
  }
  if (total != kUnknown && begin != total)
    return damaged("The parts have ", begin, " of ", total, " elements of the dimension.");
  return sequence(call, std::move(elements));
}

// An optional is the tensor or the sequence itself, or absent.
Result<Ids> optional_value(Call& call) {
  if (!call.has(0)) return unsupported("An optional without a value is not supported.");
  if (const auto& elements = call.value(0).elements) return sequence(call, *elements);
  return single(call.plain_input(0));
}

Result<Ids> has_value(Call& call) { return Ids{call.emitter().number(DType::boolean, call.has(0) ? 1 : 0)}; }

// Inlines the body for each element. The other inputs are sequences of the same length, or the same tensor
// for all elements.
Result<Ids> map_elements(Call& call) {
  NNRT_ASSIGN(const auto* const body, call.body("body"));
  NNRT_ASSIGN(const Ids first, elements_of(call, 0));
  List<Ids> results(static_cast<size_t>(body->output_size()));
  for (size_t i = 0; i < first.size(); ++i) {
    Values inputs;
    for (size_t k = 0; k < call.input_count(); ++k) {
      const auto& elements = call.value(k).elements;
      if (elements && elements->size() != first.size()) return damaged("The sequences differ in length.");
      NNRT_ASSIGN(const TensorId input, elements ? Result<TensorId>((*elements)[i]) : call.plain_input(k));
      inputs.push_back({.plain = input});
    }
    NNRT_ASSIGN(const Values made, call.bodies->run_body(*body, inputs));
    for (size_t k = 0; k < results.size(); ++k) {
      if (!made[k].plain) return unsupported("A sequence of sequences is not supported.");
      results[k].push_back(*made[k].plain);
    }
  }
  for (size_t k = 0; k < results.size(); ++k) call.sequences.emplace(k, std::move(results[k]));
  return Ids{};
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
