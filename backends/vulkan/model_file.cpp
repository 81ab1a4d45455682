#include "backends/vulkan/model_file.h"

#include "backends/vulkan/embedded_shaders.h"
#include "core/text.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

enum class Kind : uint8_t { dispatch, copy, fill };
constexpr size_t kRegionBytes = 1 + 4 + 8 + 8;
constexpr size_t kLeastStepBytes = 1 + 8;
constexpr size_t kMostConstants = 64;  // specialization constants of a dispatch

class Writer {
 public:
  explicit Writer(ByteWriter& to) : to_(to) {}

  void operator()(const Dispatch& dispatch) {
    to_.put(Kind::dispatch);
    to_.text(dispatch.shader);
    to_.list(std::span<const uint32_t>(dispatch.constants));
    to_.list(std::span(dispatch.push.data(), dispatch.push.size()));
    to_.put(dispatch.local);
    to_.put(dispatch.halves);
  }
  void operator()(const Copy& copy) {
    to_.put(Kind::copy);
    to_.put(uint64_t(copy.pieces.size()));
    for (const Copy::Piece& piece : copy.pieces) {
      to_.put(std::array{uint64_t(piece.from), uint64_t(piece.to), uint64_t(piece.bytes)});
    }
  }
  void operator()(const Fill& fill) {
    to_.put(Kind::fill);
    to_.put(fill.word);
  }
  void regions(const std::vector<Region>& regions) {
    to_.put(uint64_t(regions.size()));
    for (const Region& region : regions) {
      to_.put(region.home);
      to_.put(region.index);
      to_.put(region.offset);
      to_.put(region.bytes);
    }
  }

 private:
  ByteWriter& to_;
};

class Reader {
 public:
  Reader(ByteReader& from, const Graph& graph, const DevicePlan& plan, std::span<const uint64_t> constants)
      : from_(from), graph_(graph), plan_(plan), constants_(constants) {}

  Program read() {
    program_.arena_bytes = from_.number(plan_.max_allocation);
    read_edges();
    for (size_t steps = from_.count(kLeastStepBytes); steps > 0 && !from_.bad(); --steps) read_step();
    return std::move(program_);
  }

 private:
  void read_edges();
  void read_step();
  void read(Step& step, Dispatch dispatch);
  void read(Step& step, Copy copy);
  void read(Step& step, Fill fill);
  void read_regions(Step& step);
  Region read_region();
  // How many bytes there are from the region's offset on; nothing where it has no place.
  uint64_t room(const Region& region) const;

  ByteReader& from_;
  const Graph& graph_;
  const DevicePlan& plan_;
  const std::span<const uint64_t> constants_;
  Program program_;
};

// All but whether it is used follows from the graph.
void Reader::read_edges() {
  const auto read = [&](TensorId id, bool output) {
    const auto bytes = tensor_bytes(graph_.tensors[id], graph_.shapes[id]);
    if (!bytes) return from_.fail("The graph's shapes are not static.");
    program_.edges.push_back({output, from_.flag(), *bytes, 0});
  };
  for (const TensorId id : graph_.inputs) read(id, false);
  for (const TensorId id : graph_.outputs) {
    read(id, true);
    program_.output_shapes.push_back(graph_.shapes[id]);
  }
  place_edges(program_, plan_);
}

void Reader::read_step() {
  Step step;
  switch (from_.choice(Kind::fill)) {
    case Kind::dispatch: read(step, Dispatch{}); break;
    case Kind::copy: read(step, Copy{}); break;
    case Kind::fill: read(step, Fill{}); break;
  }
  program_.steps.push_back(std::move(step));
}

void Reader::read(Step& step, Dispatch dispatch) {
  const std::string_view name = from_.text();
  const auto shaders = embedded_shaders();
  const auto shader = std::ranges::lower_bound(shaders, name, {}, &EmbeddedShader::name);
  if (shader == shaders.end() || shader->name != name) return from_.fail("A shader is not known.");
  dispatch.shader = shader->name;
  dispatch.constants = from_.list<uint32_t>();
  const auto push = from_.list<std::byte>();
  dispatch.local = from_.get<Size3>();
  dispatch.halves = from_.get<uint32_t>();
  step.groups = from_.get<Size3>();
  const bool too_many = std::ranges::any_of(std::array{0, 1, 2}, [&](size_t i) {
    return step.groups[i] == 0 || step.groups[i] > plan_.max_group_count[i];
  });
  if (too_many || dispatch.constants.size() > kMostConstants || push.size() > Push::kMost) {
    return from_.fail("A dispatch exceeds a limit of the device.");
  }
  dispatch.push = Push::of(push);
  read_regions(step);
  dispatch.buffers.resize(step.regions.size());
  step.command = std::move(dispatch);
}

void Reader::read(Step& step, Copy copy) {
  for (size_t pieces = from_.count(3 * sizeof(uint64_t)); pieces > 0; --pieces) {
    const auto piece = from_.get<std::array<uint64_t, 3>>();
    copy.pieces.push_back({piece[0], piece[1], piece[2]});
  }
  read_regions(step);
  if (step.regions.size() != 2) return from_.fail("A copy has not two places.");
  const Region& source = step.regions[0];
  const Region& target = step.regions[1];
  const bool is_inside = std::ranges::all_of(copy.pieces, [&](const Copy::Piece& piece) {
    return is_within(piece.from, piece.bytes, source.bytes) && is_within(piece.to, piece.bytes, target.bytes);
  });
  if (!is_inside || overlap(source, target)) return from_.fail("A copy goes beyond its buffers.");
  step.access = {{true, false}, {false, true}};
  step.command = std::move(copy);
}

void Reader::read(Step& step, Fill fill) {
  fill.word = from_.get<uint32_t>();
  read_regions(step);
  if (step.regions.size() != 1) return from_.fail("A fill has not one place.");
  step.access = {{false, true}};
  step.command = fill;
}

void Reader::read_regions(Step& step) {
  for (size_t count = from_.count(kRegionBytes); count > 0 && !from_.bad(); --count) {
    step.regions.push_back(read_region());
  }
}

Region Reader::read_region() {
  Region region;
  region.home = from_.choice(Region::Home::constant);
  region.index = from_.get<uint32_t>();
  region.offset = from_.get<uint64_t>();
  region.bytes = from_.get<uint64_t>();
  const bool is_whole = region.bytes > 0 && region.bytes % kVectorBytes == 0 &&
                        region.bytes <= plan_.max_storage_range &&
                        region.offset % plan_.storage_alignment == 0;
  if (!is_whole || region.bytes > room(region)) from_.fail("A buffer is not where it could be.");
  return region;
}

uint64_t Reader::room(const Region& region) const {
  const auto behind = [&](uint64_t bytes) { return region.offset < bytes ? bytes - region.offset : 0; };
  switch (region.home) {
    case Region::Home::arena: return region.index == 0 ? behind(program_.arena_bytes) : 0;
    case Region::Home::constant:
      return region.index < constants_.size() ? behind(constants_[region.index]) : 0;
    case Region::Home::edge: break;
  }
  if (region.index >= program_.edges.size()) return 0;
  const Edge& edge = program_.edges[region.index];
  return edge.used ? behind(whole_vectors(edge.bytes)) : 0;
}

}  // namespace

void write_program(const Program& program, ByteWriter& writer) {
  writer.put(program.arena_bytes);
  for (const Edge& edge : program.edges) writer.put(uint8_t(edge.used ? 1 : 0));
  writer.put(uint64_t(program.steps.size()));
  Writer write(writer);
  for (const Step& step : program.steps) {
    std::visit(write, step.command);
    if (std::holds_alternative<Dispatch>(step.command)) writer.put(step.groups);
    write.regions(step.regions);
  }
}

Program read_program(ByteReader& reader, const Graph& graph, const DevicePlan& plan,
                     std::span<const uint64_t> constants) {
  return Reader(reader, graph, plan, constants).read();
}

Status check_accesses(const Program& program) {
  for (const Step& step : program.steps) {
    for (size_t i = 0; i < step.regions.size(); ++i) {
      const Region& region = step.regions[i];
      const bool is_output = region.home == Region::Home::arena ||
                             (region.home == Region::Home::edge && program.edges[region.index].output);
      if (step.access[i].writes && !is_output) {
        return Error{Code::invalid_file, "A command writes what is only to be read."};
      }
    }
  }
  return {};
}

}  // namespace nnrt::vulkan
