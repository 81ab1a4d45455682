#include "backends/vulkan/lower/gemm/shared_tiles.h"

#include "backends/vulkan/device/device_plan.h"
#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/gemm/tile_estimate.h"

#include <algorithm>
#include <array>
#include <bit>

namespace nnrt::vulkan {
namespace {

// Devices on which sweeps found the fastest tiles.
struct KnownDevices {
  uint32_t vendor_id, min_cores, max_cores;
};
// NVIDIA H100 and H200: 114 to 132 SMs.
constexpr KnownDevices kMeasured{0x10de, 112, 144};

struct KnownTile {
  bool is_fp16;
  uint8_t rows, columns, inner;
  TileOption option;
};

// For cooperative matrices split-K was measured too. GEMMs stand in for convolutions of the same size.
const std::array kTable{
    KnownTile{false, 12, 12, 12, {"tile_64x64", 1}},
    KnownTile{false, 10, 10, 10, {"tile_64x64", 1}},
    KnownTile{false, 9, 9, 9, {"tile_32x32", 1}},
    KnownTile{false, 7, 12, 10, {"tile_64x64", 1}},  // 128 x 3072 x 768
    KnownTile{false, 7, 10, 12, {"tile_32x32", 0}},  // 128 x 768 x 3072
    KnownTile{false, 6, 9, 13, {"tile_32x32", 0}},   // 64 x 512 x 4608
    KnownTile{true, 12, 12, 12, {"matrix_32x32", 1}},
    KnownTile{true, 10, 10, 10, {"matrix_32x32", 1}},
    KnownTile{true, 9, 9, 9, {"matrix_32x32", 1}},
    KnownTile{true, 7, 12, 10, {"matrix_32x32", 1}},  // 128 x 3072 x 768
    KnownTile{true, 7, 10, 12, {"matrix_32x32", 4}},  // 128 x 768 x 3072
    KnownTile{true, 6, 9, 13, {"matrix_32x32", 8}},   // 64 x 512 x 4608
    KnownTile{true, 8, 8, 12, {"matrix_32x32", 4}},   // 192 x 256 x 2304
};

// The measured tile of a class, or null if this device or the class was not measured.
const TileOption* known_tile(const TileClass& of, const DevicePlan& plan) {
  const bool is_measured = plan.vendor_id == kMeasured.vendor_id && plan.cores >= kMeasured.min_cores &&
                           plan.cores <= kMeasured.max_cores;
  if (!is_measured || of.matrices != 0) return nullptr;
  const auto found = std::ranges::find_if(kTable, [&](const KnownTile& row) {
    return row.is_fp16 == of.is_fp16 && row.rows == of.rows && row.columns == of.columns &&
           row.inner == of.inner;
  });
  return found == kTable.end() ? nullptr : &found->option;
}

// Split-K factors to try, and the fewest slices per split that are worth a workgroup. Estimates are good to
// about an eighth, so don't split for smaller gains or for a few microseconds.
constexpr std::array<uint32_t, 4> kSplitFactors{2, 4, 8, 16};
constexpr uint32_t kMinSlices = 4, kMinMatrixSlices = 2, kMaxSplits = 16;
constexpr uint32_t kFloatSlice = 16;
constexpr double kMinSplitGain = 0.125, kMinSplitMicroseconds = 2;
// Don't measure split-K once every core already has this many tiles.
constexpr uint32_t kEnoughTilesPerCore = 2;

struct TileRow {
  std::string_view name;
  WhyNot (*why_not)(const TileWork&, const DevicePlan&);
  SharedTile tile;
};

constexpr SharedTile kLarge{128, 128, 256, 2, 2, 156, 180, 152}, kMedium{64, 64, 128, 2, 1, 108, 136, 112},
    kSmall{32, 32, 64, 1, 1, 96, 120, 80};
constexpr SharedTile kLargeMatrix{128, 128}, kMediumMatrix{64, 64}, kSmallMatrix{32, 32};

uint64_t tiles_of(const SharedTile& tile, const TileWork& work) {
  return uint64_t(tile.tiles(work.rows, work.columns)) * work.matrices;
}

// Elements of K between two barriers.
uint32_t slice_of(const TileWork& work, TileSet set) {
  return set == TileSet::matrices ? work.inner_unit : kFloatSlice;
}

uint32_t min_split_length(const TileWork& work, TileSet set) {
  return slice_of(work, set) * (set == TileSet::matrices ? kMinMatrixSlices : kMinSlices);
}

// K elements per split, using at most `splits` splits; 0 if K is too short to split.
uint32_t split_length_for(const TileWork& work, uint32_t splits) {
  for (; splits > 1 && work.equal_splits; --splits) {
    if (work.inner % (splits * work.inner_unit) == 0) return work.inner / splits;
  }
  if (splits < 2) return 0;
  const uint32_t length = round_up(divide_up(work.inner, splits), work.inner_unit);
  return length < work.inner ? length : 0;
}

// A split-K factor, the K elements per split, and the estimated time of the GEMM.
struct SplitK {
  uint32_t splits = 1, length = 0;
  double us = 0;
};

SplitK split_k_of(const SharedTile& tile, const TileWork& work, TileSet set, const DevicePlan& plan,
                  uint32_t length) {
  SplitK split{divide_up(work.inner, std::max(length, 1u)), length};
  const uint64_t results = uint64_t(work.rows) * work.columns * work.matrices;
  split.us = estimated_us({set == TileSet::matrices, slice_of(work, set), tile.rows, tile.columns,
                           tiles_of(tile, work), split.splits, length, results, plan.cores});
  return split;
}

SplitK unsplit(const SharedTile& tile, const TileWork& work, TileSet set, const DevicePlan& plan) {
  return split_k_of(tile, work, set, plan, work.inner);
}

// The fastest split-K factor above 1; `length` is 0 if K cannot be split.
SplitK fastest_split_k(const SharedTile& tile, const TileWork& work, TileSet set, const DevicePlan& plan) {
  SplitK fastest;
  if (work.matrices != 1) return fastest;
  for (const uint32_t splits : kSplitFactors) {
    const uint32_t length = split_length_for(work, splits);
    if (length == 0 || (length < min_split_length(work, set) && fastest.length != 0)) continue;
    const SplitK split = split_k_of(tile, work, set, plan, length);
    if (fastest.length == 0 || split.us < fastest.us) fastest = split;
  }
  return fastest;
}

bool is_worthwhile(const SplitK& split, const SplitK& unsplit, const TileWork& work, TileSet set) {
  return split.length >= min_split_length(work, set) &&
         split.us + std::max(unsplit.us * kMinSplitGain, kMinSplitMicroseconds) < unsplit.us;
}

double estimated_us(const SharedTile& tile, const TileWork& work, TileSet set, const DevicePlan& plan) {
  const SplitK whole = unsplit(tile, work, set, plan), split = fastest_split_k(tile, work, set, plan);
  return is_worthwhile(split, whole, work, set) ? split.us : whole.us;
}

std::span<const TileRow> rows_of(TileSet set);

// The rows are sorted from large to small: the first one that no smaller tile beats is the fastest.
template <const SharedTile& tile, TileSet set>
WhyNot why_not_so_large(const TileWork& work, const DevicePlan& plan) {
  const double own = estimated_us(tile, work, set, plan);
  for (const TileRow& row : rows_of(set)) {
    if (row.tile.rows * row.tile.columns >= tile.rows * tile.columns || plan.kernels.forbids(row.name) ||
        row.tile.registers_of(work.is_convolution, work.is_half) > plan.max_registers)
      continue;
    if (estimated_us(row.tile, work, set, plan) < own)
      return WhyNot::slower("{} tiles do not fill {} cores.", tiles_of(tile, work), plan.cores);
  }
  return {};
}

template <const SharedTile& tile>
WhyNot why_not_tile(const TileWork& work, const DevicePlan& plan) {
  if (plan.max_group_invocations < tile.invocations) {
    return {"Workgroups are limited to {} invocations; it needs {}.", plan.max_group_invocations,
            tile.invocations};
  }
  const uint32_t bytes = tile.shared_bytes(work.is_half),
                 registers = tile.registers_of(work.is_convolution, work.is_half);
  if (plan.max_shared_bytes < bytes)
    return {"Shared memory is limited to {} bytes; it needs {}.", plan.max_shared_bytes, bytes};
  if (plan.max_registers < registers)
    return WhyNot::slower("An invocation has {} registers; it needs {}.", plan.max_registers, registers);
  return why_not_so_large<tile, TileSet::floats>(work, plan);
}

constexpr TileRow kTileRows[] = {
    {"tile_128x128", why_not_tile<kLarge>, kLarge},
    {"tile_64x64", why_not_tile<kMedium>, kMedium},
    {"tile_32x32", nullptr, kSmall},
};

// On an H100, 4096^3 takes 1.8 ms with one matrix per subgroup (32x32), 4.1 ms with 4 and 4.4 ms with 16.
template <const SharedTile& tile>
WhyNot why_not_matrices(const TileWork& work, const DevicePlan& plan) {
  const uint32_t bytes = tile.matrix_shared_bytes(plan.matrices.emulates_fp16 || plan.matrices.emulates_int8);
  if (plan.max_shared_bytes < bytes)
    return {"Shared memory is limited to {} bytes; it needs {}.", plan.max_shared_bytes, bytes};
  const uint32_t group = tile.max_matrix_invocations(plan.matrices.subgroup);
  if (plan.max_group_invocations < group)
    return {"Workgroups are limited to {} invocations; it needs {}.", plan.max_group_invocations, group};
  if (plan.matrices.prefers_one && tile.rows > 2 * plan.matrices.flexible_side)
    return WhyNot::slower("The driver is slow with several matrices per subgroup.");
  return why_not_so_large<tile, TileSet::matrices>(work, plan);
}

constexpr TileRow kMatrixRows[] = {
    {"matrix_128x128", why_not_matrices<kLargeMatrix>, kLargeMatrix},
    {"matrix_64x64", why_not_matrices<kMediumMatrix>, kMediumMatrix},
    {"matrix_32x32", nullptr, kSmallMatrix},
};

std::span<const TileRow> rows_of(TileSet set) {
  return set == TileSet::matrices ? std::span<const TileRow>(kMatrixRows)
                                  : std::span<const TileRow>(kTileRows);
}

// Whether to use split-K.
struct SplitRow {
  std::string_view name;
  WhyNot (*why_not)(const TileWork&, const SharedTile&, TileSet, const DevicePlan&);
  bool is_split;
};

WhyNot why_not_split_k(const TileWork& work, const SharedTile& tile, TileSet set, const DevicePlan& plan) {
  if (work.matrices != 1) return {"It has {} matrices.", work.matrices};
  const SplitK split = fastest_split_k(tile, work, set, plan);
  if (split.length == 0) return {"Its inner dimension ({}) is too short to split.", work.inner};
  if (is_worthwhile(split, unsplit(tile, work, set, plan), work, set)) return {};
  return WhyNot::slower("{} tiles with K = {} are as fast without a split-K factor of {}.",
                        tiles_of(tile, work), work.inner, split.splits);
}

constexpr SplitRow kSplitRows[] = {{"split_k", why_not_split_k, true}, {"unsplit_k", nullptr, false}};

TileClass class_of(const TileWork& work, TileSet set) {
  const auto exponent = [](uint32_t n) { return uint8_t(std::bit_width(std::max(n, 1u) - 1)); };
  return {work.is_convolution,    set == TileSet::matrices, exponent(work.rows),
          exponent(work.columns), exponent(work.inner),     exponent(work.matrices)};
}

struct TileQuestion {
  const TileWork& work;
  TileSet set;
  TileClass of;
  const DevicePlan& plan;
};

bool has_switch(const TileQuestion& question) {
  const KernelSwitch& kernels = question.plan.kernels;
  const auto is_switched = [&](auto& row) { return kernels.forces(row.name) || kernels.forbids(row.name); };
  return std::ranges::any_of(rows_of(question.set), is_switched) ||
         std::ranges::any_of(kSplitRows, is_switched);
}

// Preferences don't count, but a grid that the device supports does: small tiles may need too large a one.
bool can(const TileRow& row, const TileQuestion& question) {
  const WhyNot why = why_not(row, question.work, question.plan);
  return (!why || why.is_preference()) &&
         tiles_of(row.tile, question.work) <= question.plan.max_group_count[0];
}

const TileRow* find_row(const TileOption& option, const TileQuestion& question) {
  const std::span<const TileRow> rows = rows_of(question.set);
  const auto found = std::ranges::find(rows, option.tile, &TileRow::name);
  return found == rows.end() || !can(*found, question) ? nullptr : &*found;
}

TileChoice choice_of(const TileRow& row, uint32_t splits, const TileQuestion& question) {
  TileChoice choice{row.tile};
  if (splits < 2 || question.work.matrices != 1) return choice;
  const uint32_t length = split_length_for(question.work, std::min(splits, kMaxSplits));
  if (length == 0) return choice;
  choice.split_length = length;
  choice.splits = divide_up(question.work.inner, length);
  return choice;
}

Result<TileChoice> choose_split_k(const TileRow& row, const TileQuestion& question, KernelLog* log) {
  const TileWork& work = question.work;
  const SplitRow* const chosen = choose_kernel(std::span<const SplitRow>(kSplitRows), question.plan.kernels,
                                               log, work, row.tile, question.set, question.plan);
  if (chosen == nullptr) return unsupported(kAllForbidden);
  const SplitK split =
      chosen->is_split ? fastest_split_k(row.tile, work, question.set, question.plan) : SplitK();
  return choice_of(row, split.splits, question);
}

Result<TileChoice> choose_by_list(const TileQuestion& question, KernelLog* log) {
  const TileRow* const row =
      choose_kernel(rows_of(question.set), question.plan.kernels, log, question.work, question.plan);
  if (row == nullptr) return unsupported(kAllForbidden);
  return choose_split_k(*row, question, log);
}

const TileOption* measured_tile(const TileQuestion& question) {
  if (question.plan.measured_tiles == nullptr) return nullptr;
  const auto found = question.plan.measured_tiles->find(question.of);
  return found == question.plan.measured_tiles->end() ? nullptr : &found->second;
}

const TileOption* known_tile(const TileQuestion& question) {
  return vulkan::known_tile(question.of, question.plan);
}

using FindOption = const TileOption* (*)(const TileQuestion&);

template <FindOption find>
WhyNot why_not_option(const TileQuestion& question) {
  if (has_switch(question)) return "A tile is forced or forbidden by name.";
  if (question.work.is_half) return "Tiles that multiply in fp16 are not measured.";
  const TileOption* const option = find(question);
  if (option == nullptr) {
    const TileClass& of = question.of;
    return {"It has no entry for up to {} x {} x {}.", int64_t{1} << of.rows, int64_t{1} << of.columns,
            int64_t{1} << of.inner};
  }
  return find_row(*option, question) == nullptr ? "The device does not support its tile." : WhyNot();
}

template <FindOption find>
Result<TileChoice> choose_option(const TileQuestion& question, KernelLog* log) {
  const TileOption& option = *find(question);
  const TileRow& row = *find_row(option, question);
  if (log != nullptr) log->push_back({std::string(row.name), {}});
  if (option.splits == 0) return choose_split_k(row, question, log);
  const TileChoice choice = choice_of(row, option.splits, question);
  if (log != nullptr) log->push_back({std::string(kSplitRows[choice.splits > 1 ? 0 : 1].name), {}});
  return choice;
}

// The sources of a tile choice, best first.
struct SourceRow {
  std::string_view name;
  WhyNot (*why_not)(const TileQuestion&);
  Result<TileChoice> (*choose)(const TileQuestion&, KernelLog*);
};

constexpr SourceRow kSources[] = {
    {"measured_tiles", why_not_option<measured_tile>, choose_option<measured_tile>},
    {"known_tiles", why_not_option<known_tile>, choose_option<known_tile>},
    {"estimated_tiles", nullptr, choose_by_list},
};

// Split-K factors worth measuring: more than one only where tiles are few and the splits stay long.
std::vector<uint32_t> split_factors(const SharedTile& tile, const TileQuestion& question) {
  const TileWork& work = question.work;
  std::vector<uint32_t> counts{1};
  if (work.matrices != 1 || tiles_of(tile, work) >= uint64_t{question.plan.cores} * kEnoughTilesPerCore)
    return counts;
  for (const uint32_t wanted : kSplitFactors) {
    const uint32_t length = split_length_for(work, wanted);
    const uint32_t count = length < min_split_length(work, question.set) ? 1 : divide_up(work.inner, length);
    if (std::ranges::find(counts, count) == counts.end()) counts.push_back(count);
  }
  return counts;
}

// Records the tiles that are worth measuring. Nothing if one is forced or forbidden by name.
void note_options(const TileQuestion& question, std::vector<TileRequest>& requests) {
  const std::span<const TileRow> rows = rows_of(question.set);
  const bool is_off = question.plan.kernels.forbids(kSources[0].name);
  if (is_off || has_switch(question) || question.work.is_half) return;
  const TileRow* const preferred =
      choose_kernel(rows, question.plan.kernels, nullptr, question.work, question.plan);
  const auto choice = choose_by_list(question, nullptr);
  if (preferred == nullptr || !choice.ok() || !can(*preferred, question)) return;
  TileRequest request{question.of, {{std::string(preferred->name), choice.value().splits}}};
  for (const TileRow& row : rows) {
    if (!can(row, question)) continue;
    for (const uint32_t splits : split_factors(row.tile, question)) {
      const TileOption option{std::string(row.name), splits};
      if (option != request.options[0]) request.options.push_back(option);
    }
  }
  requests.push_back(std::move(request));
}

struct SplitsPush {
  uint32_t count = 0, columns = 0, splits = 0;
  uint32_t y_first = 0, y_row = 0;
  uint32_t has_bias = 0;
  EpiloguePush epilogue{};
};

}  // namespace

void SharedTile::append_to(std::vector<uint32_t>& constants) const {
  constants.insert(constants.end(), {rows, columns, row_vec4s, column_vec4s});
}

Result<TileChoice> choose_shared_tile(const LoweringContext& context, const TileWork& work, TileSet set) {
  const TileQuestion question{work, set, class_of(work, set), context.plan};
  if (auto* const requests = context.sink.tile_requests()) note_options(question, *requests);
  KernelLog* const log = context.sink.kernel_log();
  const SourceRow* const source =
      choose_kernel(std::span<const SourceRow>(kSources), context.plan.kernels, log, question);
  if (source == nullptr) return unsupported(kAllForbidden);
  return source->choose(question, log);
}

bool is_of_tiles(std::string_view shader) {
  return shader.find("_shared_memory") != shader.npos || shader.find("_cooperative_matrix") != shader.npos ||
         shader.starts_with("add_parts");
}

std::vector<std::string_view> shared_tile_kernels() {
  std::vector<std::string_view> names;
  for (const TileSet set : {TileSet::floats, TileSet::matrices}) {
    for (const TileRow& row : rows_of(set)) names.push_back(row.name);
  }
  for (const SplitRow& row : kSplitRows) names.push_back(row.name);
  for (const SourceRow& row : kSources) names.push_back(row.name);
  return names;
}

uint64_t shared_tile_iterations(uint32_t steps) { return loop_by(steps, kFloatSlice); }

uint64_t matrix_tile_iterations(const SharedTile& tile, const SubgroupGrid& grid,
                                const CooperativeMatrixShape& matrix, const MatrixSteps& work) {
  constexpr uint32_t kVectors = 8;  // per row of a slice
  constexpr uint64_t kStored = 8;   // to store a vector of results
  const uint32_t down = tile.rows / grid.down / matrix.rows;
  const uint32_t across = tile.columns / grid.across / matrix.columns;
  const uint32_t results = matrix.rows * matrix.columns / work.subgroup;
  const uint32_t brought = tile.rows * kVectors / (grid.count() * work.subgroup);
  const uint64_t products = loop_of(down) + loop_of(across, loop_of(down, loop_of(results)));
  const uint64_t slice = loop_of(work.slice / matrix.inner, products) + 3 * loop_of(brought);
  const uint64_t stored = loop_of(across, loop_by(results, 4, kStored));
  return loop_by(work.steps, work.slice, slice) + loop_of(brought) + loop_of(down * across) +
         loop_of(down, loop_of(across, loop_of(results)) + stored) + 2 * loop_of(brought);
}

void add_split_sums(const LoweringContext& context, const SplitSums& work, const Epilogue& epilogue,
                    const View& to) {
  const uint32_t width = work.columns % 4 == 0 && to.offset % 4 == 0 && to.row() % 4 == 0 ? 4 : 1;
  const SplitsPush push{.count = work.rows * work.columns / width,
                        .columns = work.columns / width,
                        .splits = work.splits,
                        .y_first = to.offset / width,
                        .y_row = to.row() / width,
                        .has_bias = work.bias ? 1u : 0u,
                        .epilogue = push_of(epilogue)};
  context.sink.add(Dispatch{.shader = width == 4 ? "add_parts_f32_vec4" : "add_parts_f32",
                            .constants = {epilogue.post_op, epilogue.added ? 1u : 0u},
                            .push = Push(push),
                            .buffers = {work.sums, work.bias.value_or(work.sums), to.buffer,
                                        epilogue_operand(context, epilogue, work.sums)},
                            .threads = threads_for(push.count, context.plan),
                            .local = {kGroup, 1, 1}});
}

}  // namespace nnrt::vulkan
