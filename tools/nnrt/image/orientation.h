// Turns images as the camera was held: the pixels of its files are as the sensor has them, and Exif says how
// to turn them.
#pragma once

#include "tools/nnrt/image/canvas.h"
#include "tools/nnrt/image/image.h"

namespace nnrt::tool {

// The Exif orientation of a JPEG file, 1 to 8; 1, as the pixels are, where the file says nothing that makes
// sense.
int jpeg_orientation(ByteView file);

// The image as it is meant to be seen.
Image oriented(Image image, int orientation);

}  // namespace nnrt::tool
