#include "backends/cpu/kernels/detection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace nnrt::cpu {
namespace {

struct Box {
  float ymin, xmin, ymax, xmax;

  float area() const { return std::max(ymax - ymin, 0.0f) * std::max(xmax - xmin, 0.0f); }
};

float overlap(const Box& a, const Box& b) {
  const float area_a = a.area(), area_b = b.area();
  if (!(area_a > 0.0f) || !(area_b > 0.0f)) return 0.0f;
  const Box common{std::max(a.ymin, b.ymin), std::max(a.xmin, b.xmin), std::min(a.ymax, b.ymax),
                   std::min(a.xmax, b.xmax)};
  return common.area() / (area_a + area_b - common.area());
}

struct Settings {
  explicit Settings(const NodeView& node)
      : boxes(node.shape(1)[1]),
        columns(node.shape(1)[2]),
        classes(node.attrs().integer(Attr::num_classes)),
        max_detections(node.attrs().integer(Attr::max_detections)),
        max_classes(std::min(node.attrs().integer(Attr::max_classes), classes)),
        per_class(node.attrs().integer(Attr::detections_per_class)),
        iou_threshold(float(node.attrs().real(Attr::iou_threshold))),
        score_threshold(float(node.attrs().real(Attr::score_threshold))),
        regular(node.attrs().flag(Attr::use_regular_nms)) {}

  int64_t boxes, columns, classes, max_detections, max_classes, per_class;
  float iou_threshold, score_threshold;
  bool regular;
};

struct Detection {
  int64_t box, label;
  float score;
};

// Indices by descending score, ties by index; scores below `min` and NaN are dropped.
std::vector<int64_t> ranked(const std::vector<float>& scores, float min) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < int64_t(scores.size()); ++i) {
    if (scores[size_t(i)] >= min) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return scores[size_t(a)] > scores[size_t(b)]; });
  return order;
}

class Detector {
 public:
  explicit Detector(const KernelArgs& args) : args_(args), settings_(args.node) { decode(); }

  std::vector<Detection> detect() const { return settings_.regular ? regular() : fast(); }
  const Box& box(int64_t i) const { return boxes_[size_t(i)]; }

 private:
  void decode();
  std::vector<int64_t> suppress(const std::vector<float>& scores, int64_t limit) const;
  std::vector<Detection> fast() const;
  std::vector<Detection> regular() const;

  float score(int64_t box, int64_t label) const {
    const int64_t background = settings_.columns - settings_.classes;
    return args_.input<float>(1)[box * settings_.columns + background + label];
  }
  std::vector<float> scores_of_box(int64_t box) const {
    std::vector<float> scores;
    for (int64_t label = 0; label < settings_.classes; ++label) scores.push_back(score(box, label));
    return scores;
  }

  const KernelArgs& args_;
  const Settings settings_;
  std::vector<Box> boxes_;
};

void Detector::decode() {
  const std::span<const double> scale = args_.node.attrs().floats(Attr::scale);  // h, w, x, y
  const float sh = float(scale[0]), sw = float(scale[1]), sx = float(scale[2]), sy = float(scale[3]);
  for (int64_t i = 0; i < settings_.boxes; ++i) {
    const float* code = args_.input<float>(0) + 4 * i;    // y, x, h, w
    const float* anchor = args_.input<float>(2) + 4 * i;  // y, x, height, width
    const float y = code[0] / sy * anchor[2] + anchor[0];
    const float x = code[1] / sx * anchor[3] + anchor[1];
    const float half_height = std::exp(code[2] / sh) * anchor[2] / 2;
    const float half_width = std::exp(code[3] / sw) * anchor[3] / 2;
    boxes_.push_back({y - half_height, x - half_width, y + half_height, x + half_width});
  }
}

std::vector<int64_t> Detector::suppress(const std::vector<float>& scores, int64_t limit) const {
  std::vector<int64_t> selected;
  for (const int64_t candidate : ranked(scores, settings_.score_threshold)) {
    if (int64_t(selected.size()) >= limit) break;
    const bool covered = std::any_of(selected.begin(), selected.end(), [&](int64_t other) {
      return overlap(box(other), box(candidate)) > settings_.iou_threshold;
    });
    if (!covered) selected.push_back(candidate);
  }
  return selected;
}

// NMS by each box's best score; a kept box reports its best classes, even below the threshold.
std::vector<Detection> Detector::fast() const {
  std::vector<float> best;
  for (int64_t i = 0; i < settings_.boxes; ++i) {
    const std::vector<float> scores = scores_of_box(i);
    best.push_back(*std::max_element(scores.begin(), scores.end()));
  }
  std::vector<Detection> detections;
  for (const int64_t selected : suppress(best, settings_.max_detections)) {
    const std::vector<float> scores = scores_of_box(selected);
    std::vector<int64_t> labels = ranked(scores, -std::numeric_limits<float>::infinity());
    labels.resize(std::min(labels.size(), size_t(settings_.max_classes)));
    for (const int64_t label : labels) detections.push_back({selected, label, scores[size_t(label)]});
  }
  return detections;
}

// NMS per class.
std::vector<Detection> Detector::regular() const {
  std::vector<Detection> detections;
  for (int64_t label = 0; label < settings_.classes; ++label) {
    std::vector<float> scores;
    for (int64_t i = 0; i < settings_.boxes; ++i) scores.push_back(score(i, label));
    for (const int64_t selected : suppress(scores, settings_.per_class))
      detections.push_back({selected, label, scores[size_t(selected)]});
  }
  std::stable_sort(detections.begin(), detections.end(),
                   [](const Detection& a, const Detection& b) { return a.score > b.score; });
  if (int64_t(detections.size()) > settings_.max_detections)
    detections.erase(detections.begin() + settings_.max_detections, detections.end());
  return detections;
}

}  // namespace

Status detection_post_process(const KernelArgs& args) {
  for (size_t k = 0; k < 4; ++k)
    std::fill_n(args.output<float>(k), element_count(args.node.output_shape(k)).value_or(0), 0.0f);
  const Detector detector(args);
  const std::vector<Detection> detections = detector.detect();
  Box* boxes = args.output<Box>(0);
  for (size_t row = 0; row < detections.size(); ++row) {
    boxes[row] = detector.box(detections[row].box);
    args.output<float>(1)[row] = float(detections[row].label);
    args.output<float>(2)[row] = detections[row].score;
  }
  *args.output<float>(3) = float(detections.size());
  return {};
}

}  // namespace nnrt::cpu
