// ATTENTION: tiles of queries times tiles of keys, with online softmax: for each row, the running maximum,
// the sum of exponentials and the weighted sum of values are rescaled from tile to tile.
#include "backends/cpu/base/element.h"
#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/gemm/f32_gemm.h"
#include "backends/cpu/gemm/generic_microkernel.h"
#include "backends/cpu/kernels/appended_rows.h"
#include "backends/cpu/kernels/attention_rows.h"
#include "backends/cpu/simd/elementwise_loops.h"
#include "backends/cpu/simd/stream_copy.h"
#include "core/schema/attention_geometry.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace nnrt::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

enum Input : size_t { kQuery, kKey, kValue, kMask };

// How each matrix's rows are divided, and the offsets of the parts of a worker's memory, in floats.
struct Plan {
  int64_t chunks, chunk_rows;  // chunks per matrix; a task is one
  int64_t block_rows;          // rows multiplied with a tile of keys at once
  int64_t tile_keys;
  int64_t weight_floats() const { return round_up(tile_keys, kRowFloats); }  // per row
  bool is_narrow;  // so few rows that keys and values are read in place
  int64_t query, sums, softmax, weights, keys, values, panels, value_panels, zeros, floats;
};

int64_t panel_floats(int64_t columns, int64_t inner) {
  const int64_t lanes = f32_block(vector_bytes()).lanes;
  return round_up(columns, lanes) * inner;
}

void lay_out(const Attention& work, Plan& plan) {
  constexpr int64_t kLine = 16;  // floats per cache line
  const auto take = [&](int64_t& part, int64_t floats) {
    part = plan.floats;
    plan.floats += round_up(floats, kLine);
  };
  const int64_t tile = plan.tile_keys, packed = plan.is_narrow ? 0 : 1;
  take(plan.query, plan.chunk_rows * work.size);
  take(plan.sums, plan.chunk_rows * work.value_size);
  take(plan.softmax, plan.chunk_rows * int64_t(sizeof(RowSoftmax) / sizeof(float)));
  take(plan.weights, plan.block_rows * plan.weight_floats());
  take(plan.keys, tile * work.size);
  take(plan.values, tile * work.value_size);
  take(plan.panels, packed * panel_floats(tile, work.size));
  take(plan.value_panels, packed * panel_floats(work.value_size, tile));
  take(plan.zeros, packed * (std::max(tile, work.value_size) + f32_block(vector_bytes()).columns));
}

bool is_narrow(const Attention& work) {
  constexpr int64_t kNarrowRows = 8;
  return work.rows() <= kNarrowRows;
}

Plan plan_of(const Attention& work, unsigned threads) {
  constexpr int64_t kBlockRows = 48, kChunkRows = 384, kTileKeys = 256;
  Plan plan{};
  plan.is_narrow = is_narrow(work);
  // Each chunk packs keys and values again, so use only as many chunks as keep the threads busy.
  const int64_t wanted = divide_up(2 * int64_t(threads), work.matrices());
  const int64_t max_chunks = divide_up(work.rows(), plan.is_narrow ? 1 : kBlockRows);
  plan.chunks = std::max(divide_up(work.rows(), kChunkRows), std::min(wanted, max_chunks));
  plan.chunk_rows = divide_up(work.rows(), plan.chunks);
  plan.chunks = divide_up(work.rows(), plan.chunk_rows);
  plan.block_rows = std::min(kBlockRows, plan.chunk_rows);
  plan.tile_keys = std::min(kTileKeys, work.keys);
  lay_out(work, plan);
  return plan;
}

template <typename F>
void for_each_mask(int64_t count, int64_t step, const F& f) {
  if (step == 1) {
    for (int64_t i = 0; i < count; ++i) f(i, i);
  } else {
    for (int64_t i = 0; i < count; ++i) f(i, i * step);
  }
}

// One past the last element of [begin, end) that is true, or `begin`.
int64_t last_true(const Bool* mask, int64_t begin, int64_t end) {
  constexpr int64_t kWord = sizeof(uint64_t);
  for (; end - begin >= kWord; end -= kWord) {
    uint64_t word;
    std::memcpy(&word, mask + end - kWord, kWord);
    if (word != 0) break;
  }
  while (end > begin && !widen(mask[end - 1])) --end;
  return end;
}

// Rows of one matrix, computed by one thread.
class Chunk {
 public:
  Chunk(const KernelArgs& args, const AppendedInputs& joined, const Attention& work, const Plan& plan,
        float* memory, int64_t task)
      : args_(args),
        joined_(joined),
        work_(work),
        plan_(plan),
        memory_(memory),
        alone_(args.pool.share(1, 0)),
        matrix_(task / plan.chunks),
        first_(task % plan.chunks * plan.chunk_rows),
        joins_(task % plan.chunks == 0),
        rows_(std::min(plan.chunk_rows, work.rows() - first_)),
        sums_(args.node.dtype() == DType::f32
                  ? args.output<float>() + (matrix_ * work.rows() + first_) * work.value_size
                  : memory + plan.sums) {}

  void run() {
    begin();
    const int64_t end = unmasked_end(seen_by_any(0, rows_));
    for (int64_t key = 0; key < end; key += plan_.tile_keys)
      add_tile(key, std::min(plan_.tile_keys, end - key));
    join(kKey, end, work_.keys - end, work_.size);
    join(kValue, end, work_.keys - end, work_.value_size);
    finish();
  }

 private:
  float* at(int64_t part, int64_t place = 0) const { return memory_ + part + place; }

  // The largest number of keys visible to any of these rows.
  int64_t seen_by_any(int64_t row, int64_t count) const {
    int64_t seen = 0;
    for (int64_t r = row; r < row + count; ++r) seen = std::max(seen, work_.seen_by(first_ + r));
    return seen;
  }

  // The end of the keys that a BOOL mask shows to any row: a cache of fixed capacity is read only as far as
  // it is filled.
  int64_t unmasked_end(int64_t end) const {
    if (!work_.has_mask || args_.node.dtype(kMask) != DType::boolean || work_.mask_strides[3] != 1)
      return end;
    int64_t seen = 0;
    for (int64_t row = rows_; row-- > first_distinct_row() && seen < end;)
      seen = last_true(args_.input<Bool>(kMask) + mask_offset(first_ + row), seen, end);
    return seen;
  }

  // The rows from this one on have all the masks.
  int64_t first_distinct_row() const {
    if (work_.mask_strides[1] != 0) return 0;
    return rows_ - std::min(rows_, work_.mask_strides[2] == 0 ? 1 : work_.queries);
  }

  int64_t mask_offset(int64_t row) const {
    const auto& strides = work_.mask_strides;
    const int64_t batch = matrix_ / work_.key_heads,
                  head = matrix_ % work_.key_heads * work_.group + row / work_.queries;
    return batch * strides[0] + head * strides[1] + row % work_.queries * strides[2];
  }

  void widen(Input input, const std::byte* from, int64_t first, int64_t count, float* to) {
    const Tensor& tensor = args_.node.input(input);
    to_floats(tensor, from + first * int64_t(size_of(tensor.dtype)), {to, size_t(count)}, alone_);
  }
  void widen(Input input, int64_t first, int64_t count, float* to) {
    widen(input, args_.in[input], first, count, to);
  }

  // Where rows from `key` on are in the two tensors to join, in elements, and how many are in the first.
  struct Parts {
    int64_t first_rows, first, second;
  };
  Parts parts_of(const AppendedRows& rows, int64_t key, int64_t count, int64_t size) const {
    const int64_t in_second = std::max<int64_t>(key - rows.first_rows, 0);
    return {std::clamp<int64_t>(rows.first_rows - key, 0, count),
            (matrix_ * rows.first_rows + std::min(key, rows.first_rows)) * size,
            (matrix_ * (work_.keys - rows.first_rows) + in_second) * size};
  }

  // Writes rows of keys or values that are still in two tensors.
  void join(Input input, int64_t key, int64_t count, int64_t size) const {
    const AppendedRows& rows = joined_[input - kKey];
    if (rows.to == nullptr || !joins_ || count == 0) return;
    const Parts parts = parts_of(rows, key, count, size);
    const auto element = int64_t(size_of(args_.node.dtype(input)));
    std::byte* const to = rows.to + (matrix_ * work_.keys + key) * size * element;
    const int64_t first_bytes = parts.first_rows * size * element;
    stream_copy(rows.first + parts.first * element, size_t(first_bytes), to);
    stream_copy(rows.second + parts.second * element, size_t(count * size * element - first_bytes),
                to + first_bytes);
  }

  // Reads where the rows come from, because the joined ones are not in the caches.
  const float* unjoined_rows(Input input, int64_t key, int64_t count, int64_t size, float* memory) {
    const AppendedRows& rows = joined_[input - kKey];
    const Parts parts = parts_of(rows, key, count, size);
    if (parts.first_rows == count && args_.node.dtype() == DType::f32)
      return reinterpret_cast<const float*>(rows.first) + parts.first;
    widen(input, rows.first, parts.first, parts.first_rows * size, memory);
    widen(input, rows.second, parts.second, (count - parts.first_rows) * size,
          memory + parts.first_rows * size);
    return memory;
  }

  // Rows of keys or values: in place, or converted to floats in `memory`.
  const float* rows_of(Input input, int64_t key, int64_t count, int64_t size, float* memory) {
    if (joined_[input - kKey].to != nullptr) {
      join(input, key, count, size);
      return unjoined_rows(input, key, count, size, memory);
    }
    const int64_t first = (matrix_ * work_.keys + key) * size;
    if (args_.node.dtype() == DType::f32) return args_.input<float>(input) + first;
    widen(input, first, count * size, memory);
    return memory;
  }

  void begin() {
    widen(kQuery, (matrix_ * work_.rows() + first_) * work_.size, rows_ * work_.size, at(plan_.query));
    scale_loop(at(plan_.query), float(work_.scale), rows_ * work_.size);
    if (plan_.is_narrow) std::fill_n(sums_, rows_ * work_.value_size, 0.0f);
    for (int64_t row = 0; row < rows_; ++row) softmax_of(row) = {-kInfinity, 0};
    if (!plan_.is_narrow) std::fill(at(plan_.zeros), at(plan_.floats), 0.0f);
  }

  void add_tile(int64_t key, int64_t count) {
    const float* const keys = rows_of(kKey, key, count, work_.size, at(plan_.keys));
    const float* const values = rows_of(kValue, key, count, work_.value_size, at(plan_.values));
    if (!plan_.is_narrow) pack(keys, values, count);
    for (int64_t row = 0; row < rows_; row += plan_.block_rows) {
      const int64_t rows = std::min(plan_.block_rows, rows_ - row);
      const int64_t seen = std::min(seen_by_any(row, rows) - key, count);
      if (seen <= 0) continue;
      multiply_keys(row, rows, keys, count, seen);
      for (int64_t r = 0; r < rows; ++r) weigh(row + r, key, count, weights_of(r));
      multiply_values(row, rows, values, count, key > 0);
    }
  }

  float* weights_of(int64_t row) const { return at(plan_.weights, row * plan_.weight_floats()); }
  float* sums_of(int64_t row) const { return sums_ + row * work_.value_size; }
  RowSoftmax& softmax_of(int64_t row) const { return reinterpret_cast<RowSoftmax*>(at(plan_.softmax))[row]; }

  void pack(const float* keys, const float* values, int64_t count) {
    GemmProblem by_keys, by_values;
    by_keys.columns = by_values.tap_elements = count;
    by_keys.tap_elements = work_.size;
    by_values.columns = work_.value_size;
    by_values.columns_first = false;
    pack_f32(by_keys, keys, alone_, at(plan_.panels));
    pack_f32(by_values, values, alone_, at(plan_.value_panels));
  }

  // Products with the first `seen` keys of a tile; with panels, all their columns.
  void multiply_keys(int64_t row, int64_t rows, const float* keys, int64_t count, int64_t seen) const {
    const float* const query = at(plan_.query, row * work_.size);
    if (plan_.is_narrow) {
      for (int64_t r = 0; r < rows; ++r)
        inner_products(vector_bytes(), query + r * work_.size, keys, work_.size, seen, weights_of(r));
      return;
    }
    const int64_t width = f32_block(vector_bytes()).columns;
    const int64_t columns = std::min(round_up(seen, width), count);
    multiply_rows({query, work_.size, rows, work_.size}, at(plan_.panels), columns, at(plan_.zeros),
                  {weights_of(0), plan_.weight_floats(), false});
  }

  void multiply_values(int64_t row, int64_t rows, const float* values, int64_t count, bool adds) const {
    float* const sums = sums_of(row);
    if (plan_.is_narrow) {
      for (int64_t r = 0; r < rows; ++r)
        add_weighted_rows(vector_bytes(), weights_of(r), values, count, work_.value_size,
                          sums + r * work_.value_size);
      return;
    }
    multiply_rows({weights_of(0), plan_.weight_floats(), rows, count}, at(plan_.value_panels),
                  work_.value_size, at(plan_.zeros), {sums, work_.value_size, adds});
  }

  // Turns a row's products into exponentials and rescales its running sums.
  void weigh(int64_t row, int64_t key, int64_t count, float* products) {
    const int64_t seen = std::clamp<int64_t>(work_.seen_by(first_ + row) - key, 0, count);
    std::fill(products + seen, products + count, -kInfinity);
    if (work_.has_mask) add_mask(first_ + row, key, seen, products);
    const float factor = continue_softmax(vector_bytes(), products, count, softmax_of(row));
    if (key > 0 && factor != 1) scale_loop(sums_of(row), factor, work_.value_size);
  }

  void add_mask(int64_t row, int64_t key, int64_t count, float* products) const {
    const auto& strides = work_.mask_strides;
    const int64_t first = mask_offset(row) + key * strides[3];
    switch (args_.node.dtype(kMask)) {
      case DType::boolean: {
        const Bool* const mask = args_.input<Bool>(kMask) + first;
        return for_each_mask(count, strides[3], [&](int64_t i, int64_t from) {
          products[i] = nnrt::cpu::widen(mask[from]) ? products[i] : -kInfinity;
        });
      }
      case DType::f16: {
        const Half* const mask = args_.input<Half>(kMask) + first;
        return for_each_mask(count, strides[3],
                             [&](int64_t i, int64_t from) { products[i] += to_float(mask[from]); });
      }
      default: {
        const float* const mask = args_.input<float>(kMask) + first;
        return for_each_mask(count, strides[3], [&](int64_t i, int64_t from) { products[i] += mask[from]; });
      }
    }
  }

  void finish() {
    for (int64_t row = 0; row < rows_; ++row) {
      float* const sums = sums_of(row);
      const float total = softmax_of(row).total;
      const bool is_zero = work_.zero_rows == ZeroRows::nan && std::isnan(total);
      if (total == 0 || is_zero) {
        std::fill_n(sums, work_.value_size, work_.zero_rows == ZeroRows::none ? kNan : 0.0f);
      } else {
        scale_loop(sums, 1 / total, work_.value_size);
      }
    }
    const Tensor& output = args_.node.output(0);
    if (output.dtype == DType::f32) return;
    const int64_t first = (matrix_ * work_.rows() + first_) * work_.value_size;
    from_floats(output, {sums_, size_t(rows_ * work_.value_size)},
                args_.out[0] + first * int64_t(size_of(output.dtype)), alone_);
  }

  const KernelArgs& args_;
  const AppendedInputs& joined_;
  const Attention& work_;
  const Plan& plan_;
  float* const memory_;
  ThreadPool alone_;
  const int64_t matrix_, first_;
  const bool joins_;  // of the chunks of a matrix, the one that joins its keys and values
  const int64_t rows_;
  float* const sums_;  // the output itself if it is FLOAT32
};

Status attend(const KernelArgs& args, const AppendedInputs& joined) {
  const Attention work = attention_of(args.node);
  if (work.matrices() * work.rows() * work.value_size == 0) return {};
  const Plan plan = plan_of(work, args.pool.threads());
  const size_t bytes = size_t(plan.floats) * sizeof(float);
  args.scratch->reserve(args.pool.threads(), bytes);
  args.pool.parallel_for(work.matrices() * plan.chunks, 1, [&](int64_t begin, int64_t end, unsigned worker) {
    auto* const memory = reinterpret_cast<float*>(args.scratch->of_worker(worker, bytes));
    for (int64_t task = begin; task < end; ++task) Chunk(args, joined, work, plan, memory, task).run();
    if (joined[0].to != nullptr || joined[1].to != nullptr) finish_stream_copies();
  });
  return {};
}

Status attention(const KernelArgs& args) { return attend(args, {}); }

constexpr KernelRow kAttentionKernels[] = {{Op::attention, attention}};

}  // namespace

bool can_append_and_attend(const NodeView& node) {
  const Attention work = attention_of(node);
  return is_narrow(work) && work.matrices() * work.rows() * work.value_size > 0 && work.keys > 0 &&
         work.size > 0;
}

Status append_and_attend(const KernelArgs& args, const AppendedInputs& joined) {
  return attend(args, joined);
}

std::span<const KernelRow> attention_kernels() { return kAttentionKernels; }

}  // namespace nnrt::cpu
