#include "backends/vulkan/lower/gemm/shared_tiles.h"

#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/common/lowering_common.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

// Measured on a GPU of 132 processors: a tile pays from about two for three processors on, and the largest
// one, whose work is hard to share out, from two for each.
constexpr uint32_t kTiles = 2, kProcessors = 3;
constexpr uint32_t kLargeTilesOfProcessor = 2;
// Fewer than three tiles for four processors are cut along a long inner dimension: so many parts a processor
// should have, each of so many steps that adding them up is little beside them.
constexpr uint32_t kTilesOfCut = 3, kProcessorsOfCut = 4;
constexpr uint32_t kPartsOfProcessor = 2, kMinInner = 1024, kMinPart = 256, kMaxParts = 16;

struct TileRow {
  std::string_view name;
  WhyNot (*why_not)(const TileWork&, const DevicePlan&);
  SharedTile tile;
};

constexpr SharedTile kLargest{128, 128, 256, 2, 2}, kLarge{64, 128, 128, 2, 2}, kMedium{64, 64, 128, 2, 1},
    kSmall{32, 32, 64};
constexpr SharedTile kLargeMatrix{128, 128}, kMediumMatrix{64, 64}, kSmallMatrix{32, 32};

uint64_t tiles_of(const SharedTile& tile, const TileWork& work) {
  return uint64_t(tile.tiles(work.rows, work.columns)) * work.matrices;
}

template <const SharedTile& tile>
WhyNot why_not_so_large(const TileWork& work, const DevicePlan& plan) {
  const uint64_t tiles = tiles_of(tile, work);
  const bool is_enough = tile.rows * tile.columns == kLargest.rows * kLargest.columns
                             ? tiles >= uint64_t{plan.processors} * kLargeTilesOfProcessor
                             : tiles * kProcessors >= uint64_t{plan.processors} * kTiles;
  if (is_enough) return {};
  return WhyNot::slower("{} tiles are few for {} processors.", tiles, plan.processors);
}

template <const SharedTile& tile>
WhyNot why_not_tile(const TileWork& work, const DevicePlan& plan) {
  if (plan.max_group_invocations < tile.invocations) {
    return {"Its workgroups ({}) are smaller than {} invocations.", plan.max_group_invocations,
            tile.invocations};
  }
  if (plan.max_shared_bytes < tile.shared_bytes())
    return {"Its shared memory ({}) is less than {} bytes.", plan.max_shared_bytes, tile.shared_bytes()};
  return why_not_so_large<tile>(work, plan);
}

constexpr TileRow kTileRows[] = {
    {"tile_128x128", why_not_tile<kLargest>, kLargest},
    {"tile_64x128", why_not_tile<kLarge>, kLarge},
    {"tile_64x64", why_not_tile<kMedium>, kMedium},
    {"tile_32x32", nullptr, kSmall},
};

constexpr TileRow kMatrixRows[] = {
    {"matrix_128x128", why_not_so_large<kLargeMatrix>, kLargeMatrix},
    {"matrix_64x64", why_not_so_large<kMediumMatrix>, kMediumMatrix},
    {"matrix_32x32", nullptr, kSmallMatrix},
};

std::span<const TileRow> rows_of(TileSet set) {
  return set == TileSet::matrices ? std::span<const TileRow>(kMatrixRows)
                                  : std::span<const TileRow>(kTileRows);
}

// The parts of the inner dimension, if there are any.
struct PartRow {
  std::string_view name;
  WhyNot (*why_not)(const TileWork&, const SharedTile&, const DevicePlan&);
  bool is_cut;
};

uint32_t wanted_parts(const TileWork& work, const SharedTile& tile, const DevicePlan& plan) {
  const uint64_t tiles = std::max<uint64_t>(tiles_of(tile, work), 1);
  const uint64_t enough = (uint64_t{plan.processors} * kPartsOfProcessor + tiles - 1) / tiles;
  return uint32_t(std::clamp<uint64_t>(std::min<uint64_t>(enough, work.inner / kMinPart), 2, kMaxParts));
}

// Steps of a part, the parts being as many as wanted, or fewer; 0: there would be one alone.
uint32_t part_of(const TileWork& work, uint32_t parts) {
  for (; parts > 1 && work.equal_parts; --parts) {
    if (work.inner % (parts * work.inner_unit) == 0) return work.inner / parts;
  }
  if (parts < 2) return 0;
  const uint32_t part = divide_up(divide_up(work.inner, parts), work.inner_unit) * work.inner_unit;
  return part < work.inner ? part : 0;
}

WhyNot why_not_cut(const TileWork& work, const SharedTile& tile, const DevicePlan& plan) {
  if (work.matrices != 1) return {"It has {} matrices.", work.matrices};
  if (part_of(work, wanted_parts(work, tile, plan)) == 0)
    return {"Its inner dimension ({}) is in one part.", work.inner};
  if (work.inner < kMinInner) return WhyNot::slower("Its inner dimension ({}) is short.", work.inner);
  const uint64_t tiles = tiles_of(tile, work);
  if (tiles * kProcessorsOfCut >= uint64_t{plan.processors} * kTilesOfCut)
    return WhyNot::slower("{} tiles keep most of {} processors busy.", tiles, plan.processors);
  return {};
}

constexpr PartRow kPartRows[] = {{"cut_inner", why_not_cut, true}, {"whole_inner", nullptr, false}};

struct PartsPush {
  uint32_t count = 0, columns = 0, parts = 0;
  uint32_t y_first = 0, y_row = 0;
  uint32_t has_bias = 0;
  EpiloguePush epilogue{};
};

}  // namespace

void SharedTile::append_to(std::vector<uint32_t>& constants) const {
  constants.insert(constants.end(), {rows, columns, row_vec4s, column_vec4s});
}

Result<TileChoice> choose_shared_tile(const LoweringContext& context, const TileWork& work, TileSet set) {
  const DevicePlan& plan = context.plan;
  KernelLog* const log = context.sink.kernel_log();
  const TileRow* const row = choose_kernel(rows_of(set), plan.kernels, log, work, plan);
  if (row == nullptr) return unsupported(kAllForbidden);
  TileChoice choice{row->tile};
  const PartRow* const parts =
      choose_kernel(std::span<const PartRow>(kPartRows), plan.kernels, log, work, choice.tile, plan);
  if (parts == nullptr) return unsupported(kAllForbidden);
  if (!parts->is_cut) return choice;
  choice.part = part_of(work, wanted_parts(work, choice.tile, plan));
  choice.parts = divide_up(work.inner, choice.part);
  return choice;
}

std::vector<std::string_view> shared_tile_kernels() {
  std::vector<std::string_view> names;
  for (const TileSet set : {TileSet::floats, TileSet::matrices}) {
    for (const TileRow& row : rows_of(set)) names.push_back(row.name);
  }
  for (const PartRow& row : kPartRows) names.push_back(row.name);
  return names;
}

void add_parts(const LoweringContext& context, const PartSums& work, const Epilogue& epilogue,
               const ConcatSlice& to) {
  const uint32_t width = work.columns % 4 == 0 && to.first % 4 == 0 && to.pitch % 4 == 0 ? 4 : 1;
  const PartsPush push{.count = work.rows * work.columns / width,
                       .columns = work.columns / width,
                       .parts = work.parts,
                       .y_first = to.first / width,
                       .y_row = to.pitch / width,
                       .has_bias = work.bias ? 1u : 0u,
                       .epilogue = push_of(epilogue)};
  context.sink.add(
      Dispatch{.shader = variant_for(epilogue, width == 4 ? "add_parts_f32_vec4" : "add_parts_f32"),
               .constants = {epilogue.post_op, epilogue.added ? 1u : 0u},
               .push = Push(push),
               .buffers = {work.sums, work.bias.value_or(work.sums), to.buffer,
                           added_to(context, epilogue, work.sums)},
               .threads = threads_for(push.count, context.plan),
               .local = {kGroup, 1, 1}});
}

}  // namespace nnrt::vulkan
