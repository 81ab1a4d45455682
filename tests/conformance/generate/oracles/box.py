"""NNAPI's detection operators, computed box by box in float64."""

import numpy as np

HARD, LINEAR, GAUSSIAN = 0, 1, 2


def overlap(a, b):
    """Intersection over union of two boxes x1, y1, x2, y2."""
    width = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    height = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    both = width * height
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both
    return both / union if union > 0 else 0.0


def transformed(box, delta, size):
    """The box moved and scaled by dx, dy, dw, dh, within an image of height and width."""
    centre = np.array([box[0] + box[2], box[1] + box[3]]) / 2
    sides = np.array([box[2] - box[0], box[3] - box[1]])
    centre = centre + delta[:2] * sides
    sides = sides * np.exp(delta[2:])
    limits = np.array([size[1], size[0], size[1], size[0]])
    return np.clip(np.concatenate([centre - sides / 2, centre + sides / 2]), 0, limits)


def bbox_transform(regions, deltas, batch_indices, sizes):
    regions, deltas, sizes = (np.asarray(a, np.float64) for a in (regions, deltas, sizes))
    out = np.zeros(deltas.shape)
    for i, region in enumerate(regions):
        for c in range(deltas.shape[1] // 4):
            out[i, 4 * c : 4 * c + 4] = transformed(region, deltas[i, 4 * c : 4 * c + 4], sizes[batch_indices[i]])
    return out


def kernel(iou, mode, threshold, sigma):
    if mode == GAUSSIAN:
        return np.exp(-iou * iou / sigma)
    if iou < threshold:
        return 1.0
    return 0.0 if mode == HARD else 1.0 - iou


def box_with_nms_limit(scores, boxes, batch_indices, score=0.0, most=-1, mode=HARD, threshold=0.0, sigma=1.0, least=0.0):
    """Scores, boxes, classes and image indices of the remaining boxes."""
    scores, boxes = np.asarray(scores, np.float64), np.asarray(boxes, np.float64)
    most = len(scores) * scores.shape[1] if most < 0 else most
    rows = []
    starts = [i for i in range(len(batch_indices)) if i == 0 or batch_indices[i] != batch_indices[i - 1]]
    for start, end in zip(starts, [*starts[1:], len(batch_indices)]):
        kept = []
        for c in range(1, scores.shape[1]):
            left = {i: scores[i, c] for i in range(start, end) if scores[i, c] > score}
            taken = 0
            while left and taken < most:
                best = max(left, key=lambda i: left[i])
                kept.append((left.pop(best), best, c))
                taken += 1
                for i in list(left):
                    iou = overlap(boxes[best, 4 * c : 4 * c + 4], boxes[i, 4 * c : 4 * c + 4])
                    left[i] *= kernel(iou, mode, threshold, sigma)
                    if left[i] < least:
                        del left[i]
        kept = sorted(kept, key=lambda row: -row[0])[:most]
        rows += [(*row, batch_indices[start]) for row in sorted(kept, key=lambda row: (row[2], -row[0]))]
    return (np.array([row[0] for row in rows]),
            np.array([boxes[row[1], 4 * row[2] : 4 * row[2] + 4] for row in rows]).reshape(-1, 4),
            np.array([row[2] for row in rows], np.int32), np.array([row[3] for row in rows], np.int32))  # fmt: skip


def generate_proposals(scores, deltas, anchors, sizes, strides=(1, 1), before=0, after=0, threshold=0.0, least=0.0):
    """Scores, regions and image indices."""
    scores, deltas, anchors, sizes = (np.asarray(a, np.float64) for a in (scores, deltas, anchors, sizes))
    batch, height, width, count = scores.shape
    rows = []
    for n in range(batch):
        found = []
        for y in range(height):
            for x in range(width):
                for a in range(count):
                    move = np.array([x * strides[1], y * strides[0]] * 2)
                    box = transformed(anchors[a] + move, deltas[n, y, x, 4 * a : 4 * a + 4], sizes[n])
                    found.append((scores[n, y, x, a], box))
        found.sort(key=lambda row: -row[0])
        found = found[:before] if 0 < before < len(found) else found
        found = [(s, b) for s, b in found if b[2] - b[0] > least and b[3] - b[1] > least
                 and (b[0] + b[2]) / 2 < sizes[n][1] and (b[1] + b[3]) / 2 < sizes[n][0]]  # fmt: skip
        taken = []
        while found and (after <= 0 or len(taken) < after):
            taken.append(found.pop(0))
            found = [row for row in found if overlap(taken[-1][1], row[1]) < threshold]
        rows += [(*row, n) for row in taken]
    return (np.array([row[0] for row in rows]), np.array([row[1] for row in rows]).reshape(-1, 4),
            np.array([row[2] for row in rows], np.int32))  # fmt: skip


def peak(heatmap, tolerance):
    """Score, x and y of the maximum of one heatmap, in elements."""
    size = len(heatmap)
    row, column = np.unravel_index(np.argmax(heatmap), heatmap.shape)
    reflected = np.pad(heatmap, 1, mode="reflect")
    g = reflected[row : row + 3, column : column + 3]
    gradient = np.array([g[1, 2] - g[1, 0], g[2, 1] - g[0, 1]]) / 2
    cross = (g[2, 2] - g[2, 0] - g[0, 2] + g[0, 0]) / 4
    hessian = np.array([[g[1, 0] - 2 * g[1, 1] + g[1, 2], cross], [cross, g[0, 1] - 2 * g[1, 1] + g[2, 1]]])
    det = np.linalg.det(hessian)
    if abs(det) < tolerance + tolerance * hessian[0, 0] * hessian[1, 1]:
        return g[1, 1], column, row
    delta = np.linalg.solve(hessian, -gradient)
    delta /= max(1.0, np.abs(delta).max() / 1.5)
    return g[1, 1] + gradient @ delta + delta @ hessian @ delta / 2, column + delta[0], row + delta[1]


def heatmap_max_keypoint(heatmaps, boxes, tolerance=1e-5):
    """Scores and keypoints."""
    heatmaps, boxes = np.asarray(heatmaps, np.float64), np.asarray(boxes, np.float64)
    count, size, _, points = heatmaps.shape
    scores, keypoints = np.zeros((count, points)), np.zeros((count, points, 2))
    for i in range(count):
        for k in range(points):
            scores[i, k], x, y = peak(heatmaps[i, :, :, k], tolerance)
            sides = boxes[i, 2:] - boxes[i, :2]
            keypoints[i, k] = (np.array([x, y]) + 0.5) / size * sides + boxes[i, :2]
    return scores, keypoints


def rounded(x):
    """Half away from zero."""
    return np.sign(x) * np.floor(np.abs(x) + 0.5)


def roi_pooling(x, regions, batch_indices, out, strides):
    """x is [N, H, W, C]. Bin borders are computed in float32, as defined."""
    f = np.float32
    y = np.zeros((len(regions), *out, x.shape[3]))
    for r, region in enumerate(np.asarray(regions, f)):
        borders = []
        for axis in range(2):
            start = f(rounded(region[1 - axis] / f(strides[axis])))
            end = f(rounded(region[3 - axis] / f(strides[axis])))
            step = max(end - start + f(1), f(1)) / f(out[axis])
            length = x.shape[1 + axis]
            borders.append([(int(np.clip(np.floor(step * f(i) + start), 0, length)),
                             int(np.clip(np.ceil(step * f(i + 1) + start), 0, length))) for i in range(out[axis])])  # fmt: skip
        for i, (top, bottom) in enumerate(borders[0]):
            for j, (left, right) in enumerate(borders[1]):
                if top < bottom and left < right and 0 <= batch_indices[r] < len(x):
                    y[r, i, j] = x[batch_indices[r], top:bottom, left:right].max(axis=(0, 1))
    return y
