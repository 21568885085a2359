// SPDX-License-Identifier: Apache-2.0
#include "cli/trace.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/text.hpp"
#include "base/try.hpp"

namespace tensorspec::cli {
namespace {

std::vector<std::string_view> split(std::string_view line, char separator) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    std::string_view cell = line.substr(begin, end - begin);
    while (!cell.empty() && std::string_view(" \"\t\r").find(cell.front()) != std::string_view::npos)
      cell.remove_prefix(1);
    while (!cell.empty() && std::string_view(" \"\t\r").find(cell.back()) != std::string_view::npos)
      cell.remove_suffix(1);
    out.push_back(cell);
    begin = end + 1;
  }
  return out;
}

class TraceReader {
 public:
  TraceReader(const std::vector<std::string>& columns, std::string_view count) : count_(count) { out_.names = columns; }

  Status header(const std::vector<std::string_view>& names) {
    if (out_.names.empty())
      for (const std::string_view name : names)
        if (name != count_) out_.names.emplace_back(name);
    for (const std::string& name : out_.names)
      if (std::find(names.begin(), names.end(), name) == names.end())
        return Error{ErrorCode::unknown_format, "", "no column is called " + printable(name)};
    if (out_.names.empty()) return Error{ErrorCode::unknown_format, "", "no column of sizes"};
    return {};
  }
  // `cell` gives the number in a column, nullopt when it is none.
  template <class Cell>
  Status row(Cell cell, bool counted) {
    for (const std::string& name : out_.names) {
      const std::optional<std::int64_t> size = cell(name);
      if (!size || *size < 0) return Error{ErrorCode::invalid_extent, "", "column " + printable(name)};
      out_.sizes.push_back(*size);
    }
    const std::optional<std::int64_t> count = counted ? cell(count_) : std::optional<std::int64_t>(1);
    if (!count || *count < 0) return Error{ErrorCode::invalid_extent, "", "column " + printable(count_)};
    out_.counts.push_back(static_cast<std::uint64_t>(*count));
    return {};
  }
  bool has_header() const { return header_; }
  void set_header() { header_ = true; }
  const std::string& count_name() const { return count_; }
  SizeTrace take() { return std::move(out_); }

 private:
  SizeTrace out_;
  std::string count_;
  bool header_ = false;
};

Status csv_line(std::string_view line, std::vector<std::string_view>& names, char& separator, TraceReader& reader) {
  if (!reader.has_header()) {
    separator = line.find('\t') != std::string_view::npos ? '\t' : line.find(';') != std::string_view::npos ? ';' : ',';
    names = split(line, separator);
    reader.set_header();
    return reader.header(names);
  }
  const auto cells = split(line, separator);
  if (cells.size() != names.size())
    return Error{
        ErrorCode::unknown_format, "",
        "the header has " + std::to_string(names.size()) + " columns, this line " + std::to_string(cells.size())};
  const auto at = [&](std::string_view name) -> std::optional<std::int64_t> {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? std::nullopt : parse_int64(cells[static_cast<std::size_t>(found - names.begin())]);
  };
  return reader.row(at, std::find(names.begin(), names.end(), reader.count_name()) != names.end());
}

Status json_line(std::string_view line, TraceReader& reader) {
  TRY(const Json value, Json::parse(line));
  if (!value.object()) return Error{ErrorCode::unknown_format, "", "expected an object of sizes"};
  if (!reader.has_header()) {
    std::vector<std::string_view> names;
    for (const auto& [name, cell] : *value.object()) names.push_back(name);
    reader.set_header();
    TRY_VOID(reader.header(names));
  }
  const auto at = [&](std::string_view name) -> std::optional<std::int64_t> {
    const Json* cell = value.find(name);
    return cell ? cell->int64() : std::nullopt;
  };
  return reader.row(at, value.find(reader.count_name()) != nullptr);
}

}  // namespace

Result<SizeTrace> parse_trace(std::string_view text, const std::string& file, const std::vector<std::string>& columns,
                              std::string_view count) {
  TraceReader reader(columns, count);
  std::vector<std::string_view> names;
  char separator = ',';
  std::size_t number = 0;
  bool json = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) continue;
    if (!reader.has_header()) json = line[first] == '{';
    auto status = json ? json_line(line, reader) : csv_line(line, names, separator, reader);
    if (!status.ok())
      return within(within(std::move(status).error(), "line " + std::to_string(number), ": "), file, ":");
  }
  return reader.take();
}

}  // namespace tensorspec::cli
