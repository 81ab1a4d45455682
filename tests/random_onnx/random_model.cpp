#include "tests/random_onnx/random_model.h"

#include "core/base/fp16.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace nnrt::test {
namespace {

// The possible operators. Each model drops some families and prefers others: many nodes of few kinds find
// more faults than the reverse.
std::vector<Drawer> draw_table(Draft& draft) {
  std::vector<Drawer> table;
  for (auto* const family :
       {image_drawers, pooling_drawers, data_movement_drawers, concat_slice_drawers, norm_drawers,
        identity_drawers, element_drawers, decomposed_drawers, matmul_drawers, contrib_drawers,
        composed_drawers, integer_drawers, limit_drawers, run_value_drawers, exact_drawers}) {
    const int factor = draft.random.of<int>({0, 1, 1, 4});
    for (const Drawer& drawer : family()) table.insert(table.end(), drawer.weight * factor, drawer);
  }
  if (!table.empty()) return table;
  return element_drawers();
}

void add_start(Draft& draft) {
  Dimensions shape;
  const auto side = [&] { return draft.random.of<int64_t>({1, 2, 3, 4, 5, 6, 7}); };
  const int64_t channels = any_channels(draft);
  switch (draft.random.below(12)) {
    case 0: shape = {draft.batch(), channels}; break;
    case 1: shape = {draft.batch(), side(), channels}; break;
    case 2: shape = {draft.batch(), side(), side(), side(), channels}; break;
    case 3: shape = {channels}; break;
    case 4:
      if (!draft.has_open_batch()) break;
      shape = {draft.batch(), channels, side()};
      break;
    default: shape = {draft.batch(), channels, side(), side()};
  }
  const bool open = draft.has_open_batch() && shape.size() > 1;
  draft.feed(shape, open ? std::optional<size_t>(0) : std::nullopt);
}

// Mostly the last result.
Drawn choose(Draft& draft) {
  std::vector<Drawn> readable;
  for (const Drawn& value : draft.values) {
    if (value.is_float()) readable.push_back(value);
  }
  if (!draft.random.one_in(4)) return readable.back();
  return draft.random.of(readable);
}

// Keeps values in the range where half precision is accurate.
void calm(Draft& draft) {
  const Drawn last = draft.values.back();
  constexpr double kLarge = 8;
  if (last.scale < kLarge || !last.is_float()) return;
  if (draft.random.one_in(2)) {
    draft.node("Tanh", {last.name}, last.mapped(1, 1));
  } else {
    draft.node("Mul", {last.name, draft.scalar(1 / last.scale)}, last.mapped(1, 1 / last.scale));
  }
}

void add_step(Draft& draft, const std::vector<Drawer>& any) {
  constexpr int kAttempts = 30;
  static const std::vector<Drawer> quantized = quantized_drawers();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Drawn x = choose(draft);
    const auto& table = draft.is_quantized() && draft.random.one_in(2) ? quantized : any;
    if (draft.random.of(table).draw(draft, x)) return calm(draft);
  }
}

Dimensions reported(const Drawn& value) {
  Dimensions shape = value.shape;
  if (value.open) shape[*value.open] = -1;
  return shape;
}

std::string numbers_between(int32_t type, int64_t count) {
  std::string bytes;
  Random random(static_cast<uint32_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const auto number = static_cast<float>(random.real(-2, 2));
    const Half half = to_half(number);
    if (type == OnnxModel::kFloat16) {
      bytes.append(reinterpret_cast<const char*>(&half), sizeof half);
    } else {
      bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
  }
  return bytes;
}

std::string text(const onnx_file::AttributeProto& attribute) {
  std::ostringstream out;
  out << " " << attribute.name() << "=";
  if (attribute.has_i()) out << attribute.i();
  if (attribute.has_f()) out << attribute.f();
  if (attribute.has_s()) out << attribute.s();
  for (const int64_t value : attribute.ints()) out << value << ",";
  return out.str();
}

std::string text(const Dimensions& shape, std::optional<size_t> open) {
  std::ostringstream out;
  out << "[";
  for (size_t d = 0; d < shape.size(); ++d) {
    out << (d > 0 ? "," : "") << (open == d ? "N=" : "") << shape[d];
  }
  out << "]";
  return out.str();
}

// Prints short integer constants; only the shape of others.
std::string text(const onnx_file::TensorProto& constant) {
  const Dimensions shape(constant.dims().begin(), constant.dims().end());
  if (constant.data_type() != OnnxModel::kInt64) return text(shape, {});
  std::ostringstream out;
  out << "(";
  for (size_t at = 0; at < constant.raw_data().size(); at += sizeof(int64_t)) {
    int64_t value = 0;
    std::copy_n(constant.raw_data().data() + at, sizeof value, reinterpret_cast<char*>(&value));
    out << (at > 0 ? "," : "") << value;
  }
  out << ")";
  return out.str();
}

}  // namespace

RandomModel draw_model(uint32_t seed) {
  Draft draft(seed);
  for (int64_t starts = draft.random.between(1, 2); starts > 0; --starts) add_start(draft);
  const std::vector<Drawer> table = draw_table(draft);
  const int64_t max = draft.random.one_in(8) ? 40 : 14;
  for (int64_t steps = draft.random.between(3, max); steps > 0; --steps) add_step(draft, table);
  RandomModel made;
  std::set<std::string> fed;
  for (const Feed& feed : draft.feeds) fed.insert(feed.value.name);
  for (const Drawn& value : draft.values) {
    if (value.type == OnnxModel::kBool || fed.contains(value.name)) continue;
    if (!draft.is_read(value) || draft.random.one_in(6)) made.outputs.push_back(value);
  }
  made.file = std::move(draft.model);
  for (const Drawn& value : made.outputs) made.file.output(value.name, reported(value), value.type);
  made.feeds = std::move(draft.feeds);
  made.values = std::move(draft.values);
  return made;
}

RandomModel part_of(const RandomModel& model, const std::vector<Drawn>& outputs,
                    const std::vector<Drawn>& cuts) {
  std::set<std::string> wanted, cut;
  for (const Drawn& value : outputs) wanted.insert(value.name);
  for (const Drawn& value : cuts) cut.insert(value.name);
  const onnx_file::GraphProto& whole = model.file.file.graph();
  std::vector<const onnx_file::NodeProto*> retained;
  for (int i = whole.node_size(); i-- > 0;) {
    const onnx_file::NodeProto& node = whole.node(i);
    const bool needed = std::ranges::any_of(
        node.output(), [&](const std::string& name) { return wanted.contains(name) && !cut.contains(name); });
    if (!needed) continue;
    retained.push_back(&node);
    wanted.insert(node.input().begin(), node.input().end());
  }
  RandomModel part;
  part.outputs = outputs;
  part.file.file = model.file.file;
  onnx_file::GraphProto& graph = part.file.graph();
  graph.clear_node();
  graph.clear_input();
  graph.clear_output();
  graph.clear_initializer();
  for (const auto& constant : whole.initializer()) {
    if (wanted.contains(constant.name())) *graph.add_initializer() = constant;
  }
  for (auto node = retained.rbegin(); node != retained.rend(); ++node) *graph.add_node() = **node;
  for (const Feed& feed : model.feeds) {
    if (wanted.contains(feed.value.name)) part.feeds.push_back(feed);
  }
  for (const Drawn& value : cuts) {
    if (!wanted.contains(value.name)) continue;
    part.feeds.push_back({value, numbers_between(value.type, value.count())});
  }
  for (const Feed& feed : part.feeds) part.file.input(feed.value.name, reported(feed.value), feed.value.type);
  for (const Drawn& value : outputs) part.file.output(value.name, reported(value), value.type);
  for (const Drawn& value : model.values) {
    if (wanted.contains(value.name)) part.values.push_back(value);
  }
  return part;
}

std::string describe(const RandomModel& model) {
  std::map<std::string, std::string> shapes;
  for (const Drawn& value : model.values) shapes[value.name] = value.name + text(value.shape, value.open);
  for (const auto& constant : model.file.file.graph().initializer()) shapes[constant.name()] = text(constant);
  std::ostringstream out;
  for (const Feed& feed : model.feeds) out << "  fed: " << shapes[feed.value.name] << "\n";
  for (const auto& node : model.file.file.graph().node()) {
    out << "  " << node.op_type() << "(";
    for (int i = 0; i < node.input_size(); ++i) out << (i > 0 ? ", " : "") << shapes[node.input(i)];
    out << ")";
    for (const auto& attribute : node.attribute()) out << text(attribute);
    out << " ->";
    for (const std::string& name : node.output()) out << " " << (shapes.contains(name) ? shapes[name] : name);
    out << "\n";
  }
  out << "  outputs:";
  for (const Drawn& value : model.outputs) out << " " << value.name;
  return out.str() + "\n";
}

}  // namespace nnrt::test
