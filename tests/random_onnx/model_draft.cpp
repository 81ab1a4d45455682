#include "tests/random_onnx/model_draft.h"

#include "core/base/fp16.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace nnrt::test {
namespace {

template <typename T>
std::string bytes_of_all(const std::vector<T>& elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T)};
}

}  // namespace

int64_t product(const Dimensions& shape, size_t begin, size_t end) {
  return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(begin),
                         shape.begin() + static_cast<std::ptrdiff_t>(end), int64_t{1}, std::multiplies<>());
}

bool can_broadcast(const Dimensions& a, const Dimensions& b) {
  for (size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const int64_t x = a[a.size() - i], y = b[b.size() - i];
    if (x != y && x != 1 && y != 1) return false;
  }
  return true;
}

Dimensions broadcast(const Dimensions& a, const Dimensions& b) {
  if (a.size() < b.size()) return broadcast(b, a);
  Dimensions result = a;
  for (size_t i = 1; i <= b.size(); ++i) {
    int64_t& length = result[a.size() - i];
    length = std::max(length, b[b.size() - i]);
  }
  return result;
}

Dimensions permuted(const Dimensions& shape, const Dimensions& order) {
  Dimensions result;
  for (const int64_t d : order) result.push_back(shape[static_cast<size_t>(d)]);
  return result;
}

Dimensions inverse(const Dimensions& order) {
  Dimensions result(order.size());
  for (size_t i = 0; i < order.size(); ++i) result[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return result;
}

int64_t Drawn::count() const { return product(shape, 0, shape.size()); }

Drawn Drawn::mapped(double new_scale, double slope) const {
  Drawn made = *this;
  made.scale = new_scale;
  made.error = error * slope;
  return made;
}

Drawn Drawn::shaped(Dimensions new_shape, std::optional<size_t> new_open) const {
  Drawn made = *this;
  made.shape = std::move(new_shape);
  made.open = open ? new_open : std::nullopt;
  return made;
}

Draft::Draft(uint32_t seed) : random(seed) {
  model.file.set_ir_version(11);
  for (const char* const domain : {"com.microsoft", "test"}) {
    auto& set = *model.file.add_opset_import();
    set.set_domain(domain);
    set.set_version(1);
  }
  model.graph().set_name("random_" + std::to_string(seed));
  if (random.one_in(10)) type_ = OnnxModel::kFloat16;
  quantized_ = type_ == OnnxModel::kFloat32 && random.one_in(7);
  open_batch_ = random.one_in(6);
  batch_ = random.of<int64_t>({1, 1, 2, 3});
}

bool Draft::fits(const Dimensions& shape) {
  return shape.size() <= 5 && product(shape, 0, shape.size()) <= kMaxElements;
}

Drawn Draft::node(const std::string& type, const Names& inputs, Drawn made) {
  made.name = fresh(type + "_");
  nodes(type, inputs, {made});
  return values.back();
}

void Draft::nodes(const std::string& type, const Names& inputs, const std::vector<Drawn>& made) {
  Names outputs;
  for (Drawn value : made) {
    outputs.push_back(value.name);
    value.error += unit() * value.scale;
    values.push_back(value);
  }
  model.node(type, inputs, outputs);
  for (const std::string& name : inputs) ++readers_[name];
}

std::string Draft::constant_node(const std::string& type, const Names& inputs) {
  std::string name = fresh(type + "_");
  model.node(type, inputs, {name});
  return name;
}

std::vector<float> Draft::numbers(const Dimensions& shape, double min, double max) {
  std::vector<float> made(static_cast<size_t>(nnrt::test::product(shape, 0, shape.size())));
  for (float& number : made) number = static_cast<float>(random.real(min, max));
  return made;
}

std::string Draft::bytes_of(const std::vector<float>& numbers) const {
  if (type_ == OnnxModel::kFloat32) return bytes_of_all(numbers);
  std::vector<Half> fp16_values;
  for (const float number : numbers) fp16_values.push_back(to_half(number));
  return bytes_of_all(fp16_values);
}

std::string Draft::raw(const std::string& kind, int32_t type, const Dimensions& shape,
                       const std::string& bytes) {
  std::string name = fresh(kind);
  model.constant(name, type, shape, bytes);
  return name;
}

std::string Draft::floats(const Dimensions& shape, double min, double max) {
  return raw("c", type_, shape, bytes_of(numbers(shape, min, max)));
}

std::string Draft::filled(const Dimensions& shape, double element) { return floats(shape, element, element); }

std::string Draft::integers(const Dimensions& elements) {
  return raw("i", OnnxModel::kInt64, {static_cast<int64_t>(elements.size())}, bytes_of_all(elements));
}

std::string Draft::truths(const Dimensions& shape) {
  std::string bytes(static_cast<size_t>(nnrt::test::product(shape, 0, shape.size())), '\0');
  for (char& byte : bytes) byte = random.one_in(2) ? 1 : 0;
  return raw("b", OnnxModel::kBool, shape, bytes);
}

std::string Draft::run_integers(const Dimensions& elements) {
  const Drawn value{fresh("r"), {static_cast<int64_t>(elements.size())}, {}, type_, 1, 0};
  model.input(value.name, value.shape, type_);
  feeds.push_back({value, bytes_of(std::vector<float>(elements.begin(), elements.end()))});
  std::string made = constant_node("Cast", {value.name});
  model.with("to", int64_t{OnnxModel::kInt64});
  return made;
}

std::string Draft::run_truth(bool holds) {
  std::string made = constant_node("Cast", {run_integers({holds ? 1 : 0})});
  model.with("to", int64_t{OnnxModel::kBool});
  return made;
}

Drawn Draft::feed(const Dimensions& shape, std::optional<size_t> open) {
  const Drawn value{fresh("x"), shape, open, type_, 1, 0};
  feed(value, bytes_of(numbers(shape, -2, 2)));
  return value;
}

void Draft::feed(const Drawn& value, const std::string& bytes) {
  Dimensions reported = value.shape;
  if (value.open) reported[*value.open] = -1;
  model.input(value.name, reported, value.type);
  feeds.push_back({value, bytes});
  values.push_back(value);
}

}  // namespace nnrt::test
