// SPDX-License-Identifier: Apache-2.0
//
// dynamic_shapes of torch.export, which ExecuTorch takes too.
#pragma once

#include "export/exporter.hpp"

namespace tensorspec {

// Prints imports, a Dim for each symbol, dynamic_shapes and example_shapes.
Status write_torch_dims(ExportJob& job);

}  // namespace tensorspec
