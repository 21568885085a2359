// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "tensorspec/result.hpp"

namespace tensorspec {

// The whole file, at most `limit` bytes. Errors: file_open, file_read (also when it is larger).
Result<std::string> load_file(const std::filesystem::path& path, std::uint64_t limit);

// Replaces the file as one step: a temporary beside it, fsync, rename, fsync of the folder. On an error the target is
// as it was and no temporary is left; after a kill at most a whole one, where the file system has files without a name. A
// pipe or a device is written to. Errors: file_write.
Status save_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace tensorspec
