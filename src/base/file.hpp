// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "tensorspec/result.hpp"

namespace tensorspec {

// The whole file, at most `limit` bytes. Errors: file_open, file_read (also when it is larger).
Result<std::string> load_file(const std::filesystem::path& path, std::uint64_t limit);

// An output that is the file that is read, which `input_name` calls by name, is an error: invalid_argument.
Status check_keeps(const std::filesystem::path& input, const std::filesystem::path& output,
                   std::string_view input_name = "what is read");

// Replaces the file as one step: a temporary beside it, fsync, rename, fsync of the folder. On an error the target is
// as it was and no temporary is left; after a kill at most a whole one, where the file system has files without a name.
// A pipe or a device is written to. Errors: file_write.
Status save_file(const std::filesystem::path& path, std::string_view bytes);
// The same with the bytes given piece by piece: `produce` calls `write` for each. Its errors are returned.
using FileWriter = std::function<Status(std::string_view bytes)>;
Status save_file(const std::filesystem::path& path, const std::function<Status(const FileWriter& write)>& produce);

}  // namespace tensorspec
