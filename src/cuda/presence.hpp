// Whether this process may ever have a buffer on a GPU. Cheap, and starts nothing: asked when a communicator is made, as a
// rule before the program has touched its GPU.
#pragma once

namespace xylem::cuda {

// Once true it stays true. By XYLEM_CUDA: off is false, on is true; else whether the driver is loaded or the host has its
// device files.
bool may_have_device_buffers();

// Whether this build knows device buffers at all.
bool built_in();

}  // namespace xylem::cuda
