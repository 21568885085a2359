// SPDX-License-Identifier: Apache-2.0
//
// Python source with dynamic_shapes for the torch.export.export that comes before executorch.exir.to_edge. ExecuTorch
// plans memory for the upper limits, so every symbol needs one.
#include "base/try.hpp"
#include "export/torch_dims.hpp"

namespace tensorspec {
namespace {

Status write(ExportJob& job) {
  TRY_VOID(need_limits(*job.part().variant, job.part().boxes));
  job.print("# to_edge(torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)).to_executorch()\n");
  return write_torch_dims(job);
}

}  // namespace

constinit const Exporter exporters::executorch{
    .info = {.id = "executorch",
             .engine = "ExecuTorch",
             .file = "executorch.py",
             .form = "Python source: dynamic_shapes, with upper limits",
             .proof = "torch.export exports a module; ExecuTorch itself is not run",
             .keeps = Keeps::maximum},
    .write = write,
};

}  // namespace tensorspec
