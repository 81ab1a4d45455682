// A random ONNX model while it is drawn: its file, the values that nodes may read, and how large and how
// exact each of them is. The draw_*.cpp files know how an operator's shapes and attributes depend on each
// other.
#pragma once

#include "tests/import/onnx/onnx_model_writer.h"
#include "tests/support/random/random.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nnrt::test {

// A tensor of the model. `scale` is its usual magnitude; `error` is how far two right results may be apart:
// what was rounded so far, as it grew on its way. Neither is a bound, but both are near.
struct Drawn {
  std::string name;
  Dimensions shape;            // in the run; the file may leave `open` unknown
  std::optional<size_t> open;  // the dimension that counts the batch, where the file leaves it open
  int32_t type = OnnxModel::kFloat32;
  double scale = 1, error = 0;

  size_t rank() const { return shape.size(); }
  int64_t count() const;
  bool is_image() const { return rank() == 4 && open.value_or(0) == 0; }
  bool is_float() const { return type == OnnxModel::kFloat32 || type == OnnxModel::kFloat16; }

  // The value behind a function whose slope is at most `slope` and whose results are about `new_scale`.
  Drawn mapped(double new_scale, double slope) const;
  // The same elements in another shape.
  Drawn shaped(Dimensions new_shape, std::optional<size_t> new_open) const;
};

struct Feed {
  Drawn value;
  std::string bytes;
};

class Draft {
 public:
  explicit Draft(uint32_t seed);

  Random random;
  OnnxModel model{kOpset};
  std::vector<Feed> feeds;
  std::vector<Drawn> values;  // all that can be read

  // The type of this model's floats.
  int32_t type() const { return type_; }
  // The relative error of one operation.
  double unit() const { return type_ == OnnxModel::kFloat16 ? 1e-3 : 2e-6; }

  // Adds a node with one result, which is like `made`; model.with() then adds attributes.
  Drawn node(const std::string& type, const Names& inputs, Drawn made);
  // The same for several results, which have names already.
  void nodes(const std::string& type, const Names& inputs, const std::vector<Drawn>& made);
  // A node that makes a constant of constants.
  std::string constant_node(const std::string& type, const Names& inputs);
  std::string fresh(const std::string& kind) { return kind + std::to_string(++named_); }

  // Constants of floats in [min, max]; some may be an input too.
  std::string floats(const Dimensions& shape, double min, double max);
  std::string filled(const Dimensions& shape, double element);
  std::string scalar(double element) { return filled({}, element); }
  std::string integers(const Dimensions& elements);
  std::string truths(const Dimensions& shape);
  // Integers, and a BOOL of one element, that only a run knows: an input gives them.
  std::string run_integers(const Dimensions& elements);
  std::string run_truth(bool holds);
  std::string raw(const std::string& kind, int32_t type, const Dimensions& shape, const std::string& bytes);

  // An input of the model.
  Drawn feed(const Dimensions& shape, std::optional<size_t> open);
  // The same of any type, with these elements.
  void feed(const Drawn& value, const std::string& bytes);

  // The first dimension is open in this model.
  bool has_open_batch() const { return open_batch_; }
  int64_t batch() const { return batch_; }

  bool is_quantized() const { return quantized_; }

  bool is_read(const Drawn& value) const { return readers_.contains(value.name); }

  static constexpr int64_t kOpset = 23, kMaxElements = 3000;
  static bool fits(const Dimensions& shape);

 private:
  std::string feed_constant(const Dimensions& shape, const std::string& bytes);
  std::string bytes_of(const std::vector<float>& numbers) const;
  std::vector<float> numbers(const Dimensions& shape, double min, double max);

  int32_t type_ = OnnxModel::kFloat32;
  bool open_batch_ = false, quantized_ = false;
  int64_t batch_ = 1;
  int named_ = 0;
  std::map<std::string, int> readers_;
  std::map<std::pair<Dimensions, std::pair<double, double>>, std::string> constants_;  // by shape and range
};

int64_t product(const Dimensions& shape, size_t begin, size_t end);
Dimensions broadcast(const Dimensions& a, const Dimensions& b);  // empty where it is impossible, or a scalar
bool can_broadcast(const Dimensions& a, const Dimensions& b);
Dimensions permuted(const Dimensions& shape, const Dimensions& order);
Dimensions inverse(const Dimensions& order);

// A row of the table of what may come next; it gives false, having added nothing, where x does not fit.
struct Drawer {
  int weight;
  bool (*draw)(Draft&, const Drawn& x);
};
std::vector<Drawer> image_drawers();
std::vector<Drawer> pooling_drawers();
std::vector<Drawer> data_movement_drawers();
std::vector<Drawer> concat_slice_drawers();
std::vector<Drawer> norm_drawers();
std::vector<Drawer> identity_drawers();
std::vector<Drawer> element_drawers();
std::vector<Drawer> decomposed_drawers();
std::vector<Drawer> matmul_drawers();
std::vector<Drawer> quantized_drawers();
std::vector<Drawer> contrib_drawers();
std::vector<Drawer> exact_drawers();
std::vector<Drawer> composed_drawers();
std::vector<Drawer> run_value_drawers();
std::vector<Drawer> integer_drawers();

int64_t any_channels(Draft& draft);

// Anything that can stand beside x in a binary operator: an earlier value, an input, or a constant.
Drawn operand_beside(Draft& draft, const Drawn& x);

}  // namespace nnrt::test
