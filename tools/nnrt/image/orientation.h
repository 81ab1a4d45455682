// Rotates images upright: files store pixels in sensor order, and Exif holds the camera's orientation.
#pragma once

#include "tools/nnrt/image/canvas.h"
#include "tools/nnrt/image/image.h"

namespace nnrt::tool {

// The Exif orientation of a JPEG file, 1 to 8; 1 (unrotated) if missing or invalid.
int jpeg_orientation(ByteView file);

// The image rotated upright.
Image oriented(Image image, int orientation);

}  // namespace nnrt::tool
