// TfIdfVectorizer: counts occurrences of sequences by comparing with each of them.
#include "tools/import/onnx/onnx_formula.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

constexpr int64_t kMaxPool = int64_t{1} << 16;

struct Grams {
  int64_t length = 0;
  List<int64_t> items;  // all sequences, concatenated
};

// The pool stores the sequences grouped by length.
Result<List<Grams>> read_pool(const Call& call) {
  const List<int64_t> pool = call.attributes.integers("pool_int64s"),
                      begins = call.attributes.integers("ngram_counts");
  const auto size = static_cast<int64_t>(pool.size());
  if (size == 0 || size > kMaxPool) return unsupported("A pool of ", size, " numbers is not supported.");
  List<Grams> all;
  for (size_t i = 0; i < begins.size(); ++i) {
    const int64_t begin = begins[i], end = i + 1 < begins.size() ? begins[i + 1] : size;
    const auto length = static_cast<int64_t>(i + 1);
    if (begin < 0 || begin > end || end > size || (end - begin) % length != 0)
      return damaged("The pool does not hold sequences of ", length, ".");
    all.push_back({length, {pool.begin() + begin, pool.begin() + end}});
  }
  return all;
}

// Counts each sequence in the rows of x, with items `step` apart: [rows, sequences].
TensorId occurrences(Formula& f, TensorId x, const Grams& grams, int64_t step) {
  const int64_t count = static_cast<int64_t>(grams.items.size()) / grams.length;
  const int64_t starts = f.length(x, 1) - (grams.length - 1) * step;
  TensorId same = 0;
  for (int64_t k = 0; k < grams.length; ++k) {
    List<double> items;
    for (int64_t i = 0; i < count; ++i)
      items.push_back(static_cast<double>(grams.items[static_cast<size_t>(i * grams.length + k)]));
    const TensorId names = f.constant(f.dtype(x), {1, 1, count}, items);
    const TensorId part = f.equal(f.unsqueeze(f.slice(x, 1, k * step, k * step + starts), {2}), names);
    same = k == 0 ? part : f.emit(OH_NN_OPS_LOGICAL_AND, {same, part});
  }
  return f.sum(f.cast(same, DType::f32), {1}, false);
}

// Counts for all requested lengths and skips.
TensorId counted(Formula& f, TensorId x, const Grams& grams) {
  const Attributes& attributes = f.call().attributes;
  const int64_t skips = grams.length == 1 ? 0 : attributes.count("max_skip_count", 0);
  constexpr int64_t kMaxSkips = 1024;
  if (skips > kMaxSkips) f.fail(unsupported("Distances above ", kMaxSkips, " are not supported."));
  TensorId sum = f.given(
      f.call().emitter().filled(DType::f32, {1, static_cast<int64_t>(grams.items.size()) / grams.length}, 0));
  const bool is_counted = grams.length >= attributes.integer("min_gram_length", 1) &&
                          grams.length <= attributes.integer("max_gram_length", 1);
  for (int64_t step = 1; is_counted && step <= skips + 1; ++step) {
    if ((grams.length - 1) * step >= f.length(x, 1)) break;
    sum = f.add(sum, occurrences(f, x, grams, step));
  }
  return sum;
}

// Moves each sequence's column to its requested position.
Result<TensorId> placed(Formula& f, TensorId counts, int64_t sequences) {
  const List<int64_t> columns = f.call().attributes.integers("ngram_indexes");
  const List<float> weights = f.call().attributes.floats("weights");
  if (static_cast<int64_t>(columns.size()) != sequences || sequences == 0)
    return damaged("The columns (", columns.size(), ") are not one for each of ", sequences, " sequences.");
  const int64_t width = std::min(*std::ranges::max_element(columns), kMaxPool) + 1;
  if (*std::ranges::min_element(columns) < 0 || width > kMaxPool || width * sequences > kMaxPool * 64)
    return unsupported("A result of ", width, " columns is not supported.");
  const std::string mode = f.call().attributes.text("mode", "TF");
  List<double> matrix(static_cast<size_t>(sequences * width), 0.0);
  for (size_t i = 0; i < columns.size(); ++i) {
    const bool weighs = mode != "TF" && i < weights.size();
    matrix[i * static_cast<size_t>(width) + static_cast<size_t>(columns[i])] =
        weighs ? static_cast<double>(weights[i]) : 1.0;
  }
  if (mode == "IDF") counts = f.min(counts, f.number(counts, 1));
  return f.matmul(counts, f.constant(DType::f32, {sequences, width}, matrix));
}

Result<Ids> vectorize(Call& call) {
  Formula f(call);
  NNRT_ASSIGN(const List<Grams> pool, read_pool(call));
  TensorId x = f.input(0);
  const bool is_row = f.rank(x) == 1;
  if (is_row) x = f.unsqueeze(x, {0});
  if (f.rank(x) != 2) return damaged("The rank (", f.rank(x), ") is neither 1 nor 2.");
  const int64_t rows = f.length(x, 0);
  Ids parts;
  int64_t sequences = 0;
  for (const Grams& grams : pool) {
    if (grams.items.empty()) continue;
    const int64_t count = static_cast<int64_t>(grams.items.size()) / grams.length;
    const TensorId part = counted(f, x, grams);
    parts.push_back(f.broadcast(part, {rows, count}));
    sequences += count;
  }
  const TensorId counts = f.concat(parts, 1);
  NNRT_ASSIGN(const TensorId y, placed(f, counts, sequences));
  return Ids{is_row ? f.squeeze(y, {0}) : y};
}

}  // namespace

std::vector<Row> tfidf_rows() { return {{"TfIdfVectorizer", vectorize}}; }

}  // namespace nnrt::import::onnx
