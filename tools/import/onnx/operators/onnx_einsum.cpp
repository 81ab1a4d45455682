// Einsum: sums of products over labeled dimensions.
#include "tools/import/onnx/onnx_call.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace nnrt::import::onnx {
namespace {

struct Equation {
  List<std::string> inputs;
  std::string output;
};

// What follows "->" if the equation leaves it out: the ellipsis, and the letters that occur once.
std::string implied_output(const std::string& left) {
  std::string letters;
  std::ranges::copy_if(left, std::back_inserter(letters), [&](unsigned char c) {
    return std::isalpha(c) != 0 && std::ranges::count(left, static_cast<char>(c)) == 1;
  });
  std::ranges::sort(letters);
  return (left.find("...") == std::string::npos ? "" : "...") + letters;
}

// The equation without spaces, and with "..." replaced by as many letters as the operands need; the letters
// are right-aligned to the last dimensions.
std::string spelled_out(const std::string& text, const List<int64_t>& ranks) {
  static const std::string kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string plain, free;
  std::ranges::copy_if(text, std::back_inserter(plain), [](char c) { return c != ' '; });
  if (plain.find("->") == std::string::npos) plain += "->" + implied_output(plain);
  std::ranges::copy_if(kLetters, std::back_inserter(free),
                       [&](char c) { return plain.find(c) == std::string::npos; });
  std::string result;
  size_t term = 0, widest = 0;
  bool is_output = false;
  for (size_t at = 0; at < plain.size(); ++at) {
    if (plain[at] == ',') ++term;
    is_output = is_output || plain[at] == '>';
    if (plain.compare(at, 3, "...") != 0) {
      result += plain[at];
      continue;
    }
    const size_t end = std::min(plain.find_first_of(",-", at), plain.size());
    const size_t begin = plain.find_last_of(",>", at) + 1;  // 0 if none
    const auto letters = static_cast<int64_t>(end - begin) - 3;
    if (!is_output && term < ranks.size() && ranks[term] >= letters)
      widest = std::max(widest, static_cast<size_t>(ranks[term] - letters));
    const size_t count = is_output             ? widest
                         : term < ranks.size() ? static_cast<size_t>(ranks[term] - letters)
                                               : 0;
    if (count > free.size()) fail(unsupported("The equation (", text, ") is not supported."));
    result += free.substr(free.size() - count);
    at += 2;
  }
  return result;
}

// "bij,bjk->bik": letters only, each at most once in the output.
Equation read_equation(const std::string& text, const List<int64_t>& ranks) {
  Equation equation;
  std::string letters;
  const std::string rest = spelled_out(text, ranks);
  const size_t arrow = rest.find("->");
  const std::string left = rest.substr(0, arrow);
  for (size_t at = 0; at <= left.size();) {
    const size_t comma = std::min(left.find(',', at), left.size());
    equation.inputs.push_back(left.substr(at, comma - at));
    at = comma + 1;
  }
  for (const std::string& term : equation.inputs) {
    if (!std::ranges::all_of(term, [](unsigned char c) { return std::isalpha(c) != 0; }))
      fail(unsupported("The equation (", text, ") is not supported."));
    letters += term;
  }
  equation.output = rest.substr(arrow + 2);
  for (const char c : equation.output) {
    if (letters.find(c) == std::string::npos || std::ranges::count(equation.output, c) > 1)
      fail(unsupported("The equation (", text, ") is not supported."));
  }
  return equation;
}

// Extracts the diagonal of two dimensions with the same letter; the remaining dimension moves to the end.
TensorId diagonal(Call& call, TensorId x, std::string& term) {
  for (size_t i = 0; i < term.size(); ++i) {
    const char letter = term[i];
    const size_t second = term.find(letter, i + 1);
    if (second == std::string::npos) continue;
    const int64_t length = call.shape(x)[i];
    if (length == kUnknown || length != call.shape(x)[second])
      fail(unsupported("A diagonal of ", to_string(call.shape(x)), " is not supported."));
    List<int64_t> order, shape, positions;
    std::string rest;
    for (size_t d = 0; d < term.size(); ++d) {
      if (d == i || d == second) continue;
      order.push_back(static_cast<int64_t>(d));
      shape.push_back(call.shape(x)[d]);
      rest += term[d];
    }
    order.insert(order.end(), {static_cast<int64_t>(i), static_cast<int64_t>(second)});
    shape.push_back(length * length);
    for (int64_t k = 0; k < length; ++k) positions.push_back(k * (length + 1));
    x = call.reshape(call.transpose(x, order), shape);
    x = call.gather(x, call.vector(positions), static_cast<int64_t>(rest.size()));
    term = rest + letter;
    i = static_cast<size_t>(-1);  // restart
  }
  return x;
}

TensorId ordered(Call& call, TensorId x, const std::string& from, const std::string& to) {
  List<int64_t> order;
  for (const char c : to) order.push_back(static_cast<int64_t>(from.find(c)));
  return call.transpose(x, order);
}

// Sums over letters that only this operand has, and removes them from `term`.
TensorId summed(Call& call, TensorId x, std::string& term, const std::string& retained) {
  List<int64_t> axes;
  std::string rest;
  for (size_t i = 0; i < term.size(); ++i) {
    if (retained.find(term[i]) == std::string::npos) {
      axes.push_back(static_cast<int64_t>(i));
    } else {
      rest += term[i];
    }
  }
  if (axes.empty()) return x;
  term = rest;
  return call.sum(x, axes, false);
}

int64_t extent(Call& call, TensorId x, const std::string& term, const std::string& letters) {
  int64_t result = 1;
  for (const char c : letters) result *= call.shape(x)[term.find(c)];
  return result;
}

// Contracts two operands as batched matrices: batch letters, rows, columns, and summed letters.
TensorId contracted(Call& call, TensorId a, std::string left, TensorId b, std::string right,
                    const std::string& output) {
  a = summed(call, a, left, right + output);
  b = summed(call, b, right, left + output);
  if (!is_static(call.shape(a)) || !is_static(call.shape(b)))
    fail(unsupported("An equation on unknown shapes is not supported."));
  std::string batch, rows, columns, inner;
  for (const char c : left) {
    const bool in_right = right.find(c) != std::string::npos, in_output = output.find(c) != std::string::npos;
    (in_right ? (in_output ? batch : inner) : rows) += c;
  }
  for (const char c : right) {
    if (left.find(c) == std::string::npos) columns += c;
  }
  const TensorId transposed_a = ordered(call, a, left, batch + rows + inner);
  const TensorId transposed_b = ordered(call, b, right, batch + inner + columns);
  const int64_t count = extent(call, a, left, batch), middle = extent(call, a, left, inner);
  const TensorId x = call.reshape(transposed_a, {count, extent(call, a, left, rows), middle});
  const TensorId y =
      call.reshape(transposed_b, {count, extent(call, b, right, inner), extent(call, b, right, columns)});
  const TensorId product = call.matmul(x, y);
  Dims shape;
  for (const char c : batch + rows) shape.push_back(call.shape(a)[left.find(c)]);
  for (const char c : columns) shape.push_back(call.shape(b)[right.find(c)]);
  return ordered(call, call.reshape(product, shape), batch + rows + columns, output);
}

// Letters of both terms that the output or a later term uses.
std::string letters_to_keep(const Equation& equation, const std::string& left, size_t right) {
  std::string later = equation.output, result;
  for (size_t i = right + 1; i < equation.inputs.size(); ++i) later += equation.inputs[i];
  for (const char c : left + equation.inputs[right]) {
    if (later.find(c) != std::string::npos && result.find(c) == std::string::npos) result += c;
  }
  return result;
}

// A dimension of 1 broadcasts to the length that its letter has elsewhere. Without it, the operand says the
// same.
void drop_broadcast(Call& call, Ids& inputs, Equation& equation) {
  std::map<char, int64_t> lengths;
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t d = 0; d < equation.inputs[i].size(); ++d) {
      const char letter = equation.inputs[i][d];
      const int64_t length = call.shape(inputs[i])[d];
      if (length == 1 || length == kUnknown) continue;
      const int64_t other = lengths.emplace(letter, length).first->second;
      if (other != length)
        fail(damaged("A letter of the equation stands for dimensions of ", other, " and ", length, "."));
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    List<int64_t> axes;
    std::string rest;
    for (size_t d = 0; d < equation.inputs[i].size(); ++d) {
      const char letter = equation.inputs[i][d];
      if (call.shape(inputs[i])[d] == 1 && lengths.contains(letter)) {
        axes.push_back(static_cast<int64_t>(d));
      } else {
        rest += letter;
      }
    }
    inputs[i] = call.squeeze(inputs[i], axes);
    equation.inputs[i] = rest;
  }
}

// Pairwise, left to right.
Ids einsum(Call& call) {
  Ids inputs = call.all_inputs();
  List<int64_t> ranks;
  for (const TensorId id : inputs) ranks.push_back(call.rank(id));
  Equation equation = read_equation(call.attributes.text("equation"), ranks);
  if (inputs.size() != equation.inputs.size())
    fail(damaged("The equation has ", equation.inputs.size(), " operands, the node ", inputs.size(), "."));
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (equation.inputs[i].size() != static_cast<size_t>(call.rank(inputs[i])))
      fail(damaged("Rank (", call.rank(inputs[i]), ") of input ", i, " is not that of the equation."));
    inputs[i] = diagonal(call, inputs[i], equation.inputs[i]);
  }
  drop_broadcast(call, inputs, equation);
  TensorId made = inputs[0];
  std::string term = equation.inputs[0];
  for (size_t i = 1; i < inputs.size(); ++i) {
    const std::string result = i + 1 == inputs.size() ? equation.output : letters_to_keep(equation, term, i);
    made = contracted(call, made, term, inputs[i], equation.inputs[i], result);
    term = result;
  }
  made = summed(call, made, term, equation.output);
  return {ordered(call, made, term, equation.output)};
}

}  // namespace

std::vector<Row> einsum_rows() { return {{"Einsum", einsum}}; }

}  // namespace nnrt::import::onnx
