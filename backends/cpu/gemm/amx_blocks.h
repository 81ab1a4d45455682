// The loops of multiply_amx() and multiply_split().
#pragma once

#if defined(__x86_64__)
#include "backends/cpu/gemm/amx_microkernel.h"
#include "backends/cpu/gemm/int8_epilogue.h"
#include "backends/cpu/gemm/split_rows.h"

#include <type_traits>

// Products of counters within a tile fit in 32 bits.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)
namespace nnrt::cpu {

// LDTILECFG operand.
struct alignas(64) TileShapes {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

// The tile instructions. Tests have the same in plain code.
struct AmxTiles {
  static void configure(const TileShapes& shapes) { asm volatile("ldtilecfg %0" : : "m"(shapes)); }
  static void release() { asm volatile("tilerelease"); }
  template <int kTile>
  static void load(const void* from, int64_t row_bytes) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(row_bytes), "i"(kTile) : "memory");
  }
  template <int kTile>
  static void store(void* to, int64_t row_bytes) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(row_bytes), "i"(kTile) : "memory");
  }
  // kSums += kRows * kWeights, of signed bytes.
  template <int kSums, int kRows, int kWeights>
  static void add_products() {
    asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSums), "i"(kRows), "i"(kWeights));
  }
  // The same for pairs of BF16 numbers, in FLOAT32.
  template <int kSums, int kRows, int kWeights>
  static void add_float_products() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSums), "i"(kRows), "i"(kWeights));
  }
};

// Tiles 0 to 3 hold 2x2 accumulators, 4 and 5 rows, 6 and 7 weights.
inline TileShapes shapes_of(int64_t rows, int64_t quads) {
  TileShapes shapes;
  const int64_t high = rows > kTileRows ? rows / 2 : 0, low = rows - high;
  const auto set = [&](int number, int64_t count, int64_t bytes) {
    shapes.rows[number] = uint8_t(std::max<int64_t>(count, 1));  // a tile without rows is invalid
    shapes.row_bytes[number] = uint16_t(bytes);
  };
  constexpr int64_t kVectorBytes = kInt32Lanes * int64_t(sizeof(int32_t));
  for (int v = 0; v < 2; ++v) {
    set(v, low, kVectorBytes);
    set(2 + v, high, kVectorBytes);
    set(6 + v, quads, kVectorBytes);
  }
  set(4, low, quads * kDotDepth);
  set(5, high, quads * kDotDepth);
  return shapes;
}

// Evenly spaced rows, of which a tile takes the first `low`.
struct BlockRows {
  const int8_t* first;
  int64_t pitch, count;

  int64_t low() const { return count > kTileRows ? count - count / 2 : count; }
};

// Lines to prefetch to L2 with each group of a panel, `step` bytes from group to group.
struct Ahead {
  const int8_t* data = nullptr;
  int64_t lines = 0, step = 0;
};

// Adds the products of a group of quads with signed weights.
struct Int8Products {
  template <typename Tiles, int RowTiles, int Vectors>
  static void add(const BlockRows& rows, const int8_t* values, const int8_t* panel,
                  const TileGroups& groups) {
    Tiles::template load<4>(values, rows.pitch);
    Tiles::template load<6>(panel, 64);
    Tiles::template add_products<0, 4, 6>();
    if constexpr (RowTiles > 1) {
      Tiles::template load<5>(values + rows.low() * rows.pitch, rows.pitch);
      Tiles::template add_products<2, 5, 6>();
    }
    if constexpr (Vectors > 1) {
      Tiles::template load<7>(panel + groups.vector_bytes(), 64);
      Tiles::template add_products<1, 4, 7>();
      if constexpr (RowTiles > 1) Tiles::template add_products<3, 5, 7>();
    }
  }
};

// The same for pairs of floats and their remainders, without the products of remainders.
struct SplitProducts {
  template <typename Tiles, int RowTiles, int Vectors>
  static void add(const BlockRows& rows, const int8_t* values, const int8_t* panel,
                  const TileGroups& groups) {
    const int8_t* const remainders = panel + Vectors * groups.vector_bytes();
    load_rows<Tiles, RowTiles>(rows, values);
    load_weights<Tiles, Vectors>(remainders, groups);
    add_loaded<Tiles, RowTiles, Vectors>();
    load_weights<Tiles, Vectors>(panel, groups);
    add_loaded<Tiles, RowTiles, Vectors>();
    load_rows<Tiles, RowTiles>(rows, values + groups.piece_bytes());
    add_loaded<Tiles, RowTiles, Vectors>();
  }

 private:
  template <typename Tiles, int RowTiles>
  static void load_rows(const BlockRows& rows, const int8_t* values) {
    Tiles::template load<4>(values, rows.pitch);
    if constexpr (RowTiles > 1) Tiles::template load<5>(values + rows.low() * rows.pitch, rows.pitch);
  }
  template <typename Tiles, int Vectors>
  static void load_weights(const int8_t* panel, const TileGroups& groups) {
    Tiles::template load<6>(panel, 64);
    if constexpr (Vectors > 1) Tiles::template load<7>(panel + groups.vector_bytes(), 64);
  }
  template <typename Tiles, int RowTiles, int Vectors>
  static void add_loaded() {
    Tiles::template add_float_products<0, 4, 6>();
    if constexpr (RowTiles > 1) Tiles::template add_float_products<2, 5, 6>();
    if constexpr (Vectors > 1) Tiles::template add_float_products<1, 4, 7>();
    if constexpr (RowTiles > 1 && Vectors > 1) Tiles::template add_float_products<3, 5, 7>();
  }
};

// The accumulators begin with `start` of each column and end up in sums[row][Vectors * kInt32Lanes].
template <typename Tiles, typename Products, int RowTiles, int Vectors>
void sum_block(const BlockRows& rows, const int8_t* panel, int64_t panel_step, const TileGroups& groups,
               Ahead ahead, const void* start, void* sums) {
  constexpr int64_t kVectorBytes = kInt32Lanes * int64_t(sizeof(int32_t));
  const auto* const second = static_cast<const char*>(start) + kVectorBytes;
  Tiles::template load<0>(start, 0);
  if constexpr (Vectors > 1) Tiles::template load<1>(second, 0);
  if constexpr (RowTiles > 1) Tiles::template load<2>(start, 0);
  if constexpr (RowTiles > 1 && Vectors > 1) Tiles::template load<3>(second, 0);
  for (int64_t group = 0; group < groups.count; ++group, panel += panel_step) {
    for (int64_t line = 0; line < ahead.lines; ++line) _mm_prefetch(ahead.data + line * 64, _MM_HINT_T1);
    ahead.data += ahead.step;
    Products::template add<Tiles, RowTiles, Vectors>(rows, rows.first + groups.start(group) * kDotDepth,
                                                     panel, groups);
  }
  constexpr int64_t kLineBytes = Vectors * kVectorBytes;
  auto* const low = static_cast<char*>(sums);
  char* const high = low + rows.low() * kLineBytes;
  Tiles::template store<0>(low, kLineBytes);
  if constexpr (Vectors > 1) Tiles::template store<1>(low + kVectorBytes, kLineBytes);
  if constexpr (RowTiles > 1) Tiles::template store<2>(high, kLineBytes);
  if constexpr (RowTiles > 1 && Vectors > 1) Tiles::template store<3>(high + kVectorBytes, kLineBytes);
}

// The sums of a block of results.
template <typename To>
struct BlockSums {
  const int32_t* sums = nullptr;
  int64_t rows = 0, channel = 0, columns = 0;
  To* to = nullptr;
};

template <int Rows, int Vectors>
[[NNRT_TARGET_VNNI, gnu::always_inline]] inline void load_sums(const int32_t* from,
                                                               __m512i (&sums)[Rows][Vectors]) {
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v) sums[r][v] = _mm512_load_si512(from + (r * Vectors + v) * kInt32Lanes);
}

template <Finish How, bool Adds, int Vectors, typename To>
[[NNRT_TARGET_VNNI]] void finish_block(const BlockSums<To>& block, const Int8Epilogue& terms,
                                       int64_t stride) {
  const int columns = int(block.columns);
  __m512 scale[Vectors];
  for (int v = 0; v < Vectors; ++v)
    scale[v] = load_masked_floats(first_lanes(columns - v * kInt32Lanes),
                                  terms.scale + block.channel + v * kInt32Lanes);
  const int32_t* from = block.sums;
  To* to = block.to;
  int64_t row = 0;
  for (; row + 2 <= block.rows; row += 2, from += 2 * Vectors * kInt32Lanes, to += 2 * stride) {
    __m512i sums[2][Vectors];
    load_sums(from, sums);
    store_rows<How, Adds>(sums, scale, terms, block.channel, columns, to, stride);
  }
  if (row == block.rows) return;
  __m512i sums[1][Vectors];
  load_sums(from, sums);
  store_rows<How, Adds>(sums, scale, terms, block.channel, columns, to, stride);
}

template <int Vectors, typename To>
void finish_block(const BlockSums<To>& block, const Int8Epilogue& terms, int64_t stride) {
  if constexpr (std::is_same_v<To, int32_t>) {
    finish_block<Finish::raw, false, Vectors>(block, terms, stride);
  } else {
    const bool is_plain = finish_of(terms, block.channel, int(block.columns)) == Finish::plain;
    const auto finish = terms.residual == nullptr
                            ? (is_plain ? finish_block<Finish::plain, false, Vectors, To>
                                        : finish_block<Finish::any, false, Vectors, To>)
                            : (is_plain ? finish_block<Finish::plain, true, Vectors, To>
                                        : finish_block<Finish::any, true, Vectors, To>);
    finish(block, terms, stride);
  }
}

// A block of results; its sums have the stride of whole vectors.
template <typename Sum>
struct ResultBlock {
  const Sum* sums = nullptr;
  int64_t row = 0, rows = 0, column = 0, columns = 0;
};

// Quantized products: what a block's sums begin with, and its epilogue.
template <typename To>
struct Int8Form {
  using Sum = int32_t;
  using Products = Int8Products;
  static constexpr int64_t kPieces = 1;

  const Int8Epilogue& terms;
  int64_t channel;
  To* to;
  int64_t stride;

  const int32_t* start() const { return terms.offset + channel; }
  bool needs_floats(const BlockRows&, const TileGroups&) const { return false; }
  void finish(const ResultBlock<int32_t>& block) const {
    const auto finish_sums = block.columns > kInt32Lanes ? finish_block<2, To> : finish_block<1, To>;
    finish_sums({block.sums, block.rows, channel + block.column, block.columns,
                 to + block.row * stride + block.column},
                terms, stride);
  }
};

// Products of floats as sums of two BF16 numbers.
struct SplitForm {
  using Sum = float;
  using Products = SplitProducts;
  static constexpr int64_t kPieces = 2;

  const F32Epilogue& epilogue;  // its bias is what sums begin with
  bool finite_weights;
  float* to;
  int64_t stride;

  const float* start() const { return epilogue.bias; }
  // Whether tiles would multiply a remainder by infinity or NaN.
  bool needs_floats(const BlockRows& rows, const TileGroups& groups) const {
    bool is_finite = finite_weights;
    for (int64_t r = 0; r < rows.count; ++r)
      is_finite &= split_row_is_finite(rows.first + r * rows.pitch, groups);
    return !is_finite;
  }
  void finish(const ResultBlock<float>& block) const {
    store_split_sums(block.sums, block.rows, block.columns, epilogue, block.row * stride + block.column, to,
                     stride);
  }
};

// A block's epilogue runs while the tiles of the next one are multiplied.
template <typename Tiles, typename Form>
class AmxBlocks {
 public:
  AmxBlocks(const AmxProduct& product, const Form& form)
      : product_(product),
        groups_(product.groups),
        panels_(divide_up(product.columns, kInt8PanelColumns)),
        form_(form) {
    for (int64_t r = 0; r < product.count; ++r)
      all_finite_ &= !form.needs_floats({product.rows[r], 0, 1}, groups_);
    const int64_t last = (panels_ - 1) * kInt8PanelColumns;
    std::copy_n(form.start() + last, product.columns - last, last_start_);
  }

  void run() {
    const int64_t rows = std::min(product_.block_rows, product_.count);
    const int64_t whole = product_.count / rows;
    compute(0, rows, whole);
    if (const int64_t rest = product_.count - whole * rows; rest > 0) compute(whole * rows, rest, 1);
    finish();
    Tiles::release();
  }

 private:
  using Sum = typename Form::Sum;

  // `blocks` blocks of `rows` rows, with all panels.
  void compute(int64_t begin, int64_t rows, int64_t blocks) {
    Tiles::configure(shapes_of(rows, groups_.length));
    const int64_t parts = std::min<int64_t>(blocks, 2);  // of the next panel to prefetch, one per block
    for (int64_t panel = 0; panel < panels_; ++panel)
      for (int64_t block = 0; block < blocks; ++block)
        compute_block(begin + block * rows, rows, panel, block < parts ? parts : 0, block);
  }

  // Also prefetches a part of the next panel, unless `parts` is 0.
  void compute_block(int64_t row, int64_t rows, int64_t panel, int64_t parts, int64_t part) {
    const int64_t columns = columns_of(panel), column = panel * kInt8PanelColumns;
    const int64_t pitch = rows > 1 ? product_.rows[row + 1] - product_.rows[row] : 0;
    const BlockRows block{product_.rows[row], pitch, rows};
    const Sum* const start = panel + 1 < panels_ ? form_.start() + column : last_start_;
    Sum* const sums = sums_[next_];
    next_ = 1 - next_;
    if (!all_finite_ && form_.needs_floats(block, groups_)) {
      if constexpr (Form::kPieces > 1)
        sum_as_floats(block.first, block.pitch, rows, panel_at(panel), groups_, columns, start, sums);
    } else {
      sum_of(rows, columns)(block, panel_at(panel), group_bytes(columns), groups_,
                            ahead_of(panel + 1, parts, part), start, sums);
    }
    finish();
    pending_ = {sums, row, rows, column, columns};
  }

  static auto sum_of(int64_t rows, int64_t columns) {
    using Products = typename Form::Products;
    const bool is_wide = columns > kInt32Lanes;
    if (rows > kTileRows)
      return is_wide ? sum_block<Tiles, Products, 2, 2> : sum_block<Tiles, Products, 2, 1>;
    return is_wide ? sum_block<Tiles, Products, 1, 2> : sum_block<Tiles, Products, 1, 1>;
  }

  const int8_t* panel_at(int64_t panel) const {
    return product_.panels + panel * Form::kPieces * groups_.panel_bytes(kInt8PanelColumns);
  }
  int64_t columns_of(int64_t panel) const {
    return std::min<int64_t>(product_.columns - panel * kInt8PanelColumns, kInt8PanelColumns);
  }
  int64_t group_bytes(int64_t columns) const {
    return Form::kPieces * (columns > kInt32Lanes ? 2 : 1) * groups_.vector_bytes();
  }

  Ahead ahead_of(int64_t panel, int64_t parts, int64_t part) const {
    if (parts == 0 || panel == panels_) return {};
    const int64_t lines = group_bytes(columns_of(panel)) / kLineBytes;
    return {panel_at(panel) + part * (lines / parts) * kLineBytes, lines / parts, lines * kLineBytes};
  }

  void finish() {
    if (pending_.rows == 0) return;
    form_.finish(pending_);
    pending_.rows = 0;
  }

  static constexpr int64_t kLineBytes = 64;

  const AmxProduct& product_;
  const TileGroups& groups_;
  const int64_t panels_;
  const Form form_;
  bool all_finite_ = true;
  ResultBlock<Sum> pending_;
  int next_ = 0;
  alignas(64) Sum last_start_[kInt8PanelColumns] = {};  // of the last panel
  alignas(64) Sum sums_[2][kAmxBlockRows * kInt8PanelColumns];
};

}  // namespace nnrt::cpu
// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
#endif
