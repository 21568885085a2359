// SPDX-License-Identifier: Apache-2.0
//
// Provider options of ONNX Runtime: trt_profile_*_shapes of the TensorRT provider and nv_profile_*_shapes of the one
// for RTX. A name ends at the first ":", sizes are int32, and a name that stands again begins the next profile.
#include <cstdint>
#include <limits>

#include "base/json.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "export/exporter.hpp"

namespace tensorspec {
namespace {

Status write(ExportJob& job) {
  TRY(const auto profiles, profile_shapes(*job.part().variant, job.part().boxes));
  if (profiles.empty()) job.note("no axis varies: a static model takes no profile");
  std::vector<std::vector<std::string>> items(3);
  for (const auto& shapes : profiles)
    for (const ProfileShapes& shape : shapes) {
      if (shape.name.find_first_of(":,") != std::string::npos)
        return Error{ErrorCode::export_name, printable(shape.name),
                     "the provider takes what is behind the first colon for the sizes; rename the input"};
      for (const std::int64_t size : shape.max)
        if (size > std::numeric_limits<std::int32_t>::max())
          return Error{ErrorCode::export_refused, printable(shape.name),
                       "the provider holds sizes in 32 bits; " + std::to_string(size) + " is larger"};
      const Shape* sizes[] = {&shape.min, &shape.opt, &shape.max};
      for (std::size_t i = 0; i < 3; ++i) items[i].push_back(shape.name + ":" + joined_by_x(*sizes[i]));
    }
  Json out;
  for (const auto& [provider, prefix] : {std::pair("TensorrtExecutionProvider", "trt_profile_"),
                                         std::pair("NvTensorRTRTXExecutionProvider", "nv_profile_")}) {
    Json options{Json::Object()};
    constexpr const char* kWhich[] = {"min", "opt", "max"};
    for (std::size_t i = 0; i < 3 && !profiles.empty(); ++i)
      options.add(std::string(prefix) + kWhich[i] + "_shapes", join(items[i], ","));
    out.add(provider, std::move(options));
  }
  job.print(out.dump(1) + "\n");
  return {};
}

}  // namespace

constinit const Exporter exporters::onnxruntime{
    .info = {.id = "onnxruntime",
             .engine = "ONNX Runtime, TensorRT and TensorRT RTX providers",
             .file = "onnxruntime.json",
             .form = "provider options",
             .proof = "format only: the providers need a GPU",
             .keeps = Keeps::minimum | Keeps::maximum | Keeps::typical | Keeps::profiles},
    .write = write,
};

}  // namespace tensorspec
