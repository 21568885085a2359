// SPDX-License-Identifier: Apache-2.0
//
// Traces of lengths (tensorspec/lengths.hpp) as calls: a column is an input of one axis whose size is the count, and
// the axis is declared to have the column's name, so that a contract calls it so.
#include "tensorspec/lengths.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "read/json_head.hpp"
#include "read/json_walk.hpp"
#include "wire/lines.hpp"

namespace tensorspec {
namespace {

constexpr std::string_view kBlanks = " \t\r", kDelimiters = ",;\t";
// Of traces that are published and of the usage that servers report.
constexpr std::string_view kKnown[][2] = {{"ContextTokens", "GeneratedTokens"},
                                          {"Request tokens", "Response tokens"},
                                          {"input_length", "output_length"},
                                          {"prompt_tokens", "completion_tokens"},
                                          {"input_tokens", "output_tokens"},
                                          {"usage.prompt_tokens", "usage.completion_tokens"},
                                          {"usage.input_tokens", "usage.output_tokens"},
                                          {"num_prefill_tokens", "num_decode_tokens"}};
constexpr std::size_t kMaxColumns = 4096;
// Nested objects that a path leads into.
constexpr int kMaxDepth = 8;
// Rows of JSON without counts before the first that has some.
constexpr std::size_t kMaxRowsBefore = std::size_t{1} << 16;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  const std::size_t end = text.find_last_not_of(kBlanks);
  return text.substr(begin, end == std::string_view::npos ? 0 : end + 1 - begin);
}

// Takes a field of CSV (RFC 4180) from the record, which loses it and its delimiter; `kept` holds one with quotes in
// it.
std::string_view take_field(std::string_view& record, char delimiter, std::string& kept) {
  if (!record.starts_with('"')) {
    const std::size_t end = std::min(record.find(delimiter), record.size());
    std::string_view field = trimmed(record.substr(0, end));
    record.remove_prefix(std::min(end + 1, record.size()));
    // Blanks before a quote make it text, but no count and no name of a column has quotes around it.
    if (field.size() > 1 && field.starts_with('"') && field.ends_with('"')) field = field.substr(1, field.size() - 2);
    return field;
  }
  kept.clear();
  std::size_t at = 1;
  for (; at < record.size(); ++at) {
    if (record[at] != '"') kept += record[at];
    else if (record.substr(at + 1, 1) == "\"") kept += record[at++];
    else break;
  }
  const std::size_t end = std::min(record.find(delimiter, at), record.size());
  record.remove_prefix(std::min(end + 1, record.size()));
  return kept;
}

// Is a quoted field open behind the line, which begins within one or not? A quote opens a field as its first character
// alone; elsewhere it is text.
bool ends_quoted(std::string_view line, char delimiter, bool quoted) {
  if (line.find('"') == std::string_view::npos) return quoted;
  bool begins = !quoted;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (!quoted) {
      quoted = begins && line[at] == '"';
      begins = line[at] == delimiter;
    } else if (line[at] == '"') {
      if (line.substr(at + 1, 1) == "\"") ++at;
      else quoted = begins = false;
    }
  }
  return quoted;
}

std::vector<std::string> fields_of(std::string_view record, char delimiter) {
  std::vector<std::string> fields;
  std::string kept;
  while (!record.empty() && fields.size() < kMaxColumns)
    fields.emplace_back(trimmed(take_field(record, delimiter, kept)));
  return fields;
}

// A header line and what parts its fields.
struct Header {
  std::vector<std::string> fields;
  char delimiter = ',';

  bool has(std::string_view name) const { return std::find(fields.begin(), fields.end(), name) != fields.end(); }
};

template <class Has>
std::vector<std::string> known_columns(Has has) {
  for (const auto& [input, output] : kKnown)
    if (has(input) && has(output)) return {std::string(input), std::string(output)};
  return {};
}

// Every field of a header that has a name, but the one of counts. The delimiter is the first of tab, semicolon and
// comma that is there.
std::optional<Header> any_header(std::string_view line, std::string_view count, std::vector<std::string>& columns) {
  const auto has = [&](char c) { return line.find(c) != std::string_view::npos; };
  const char delimiter = has('\t') ? '\t' : has(';') ? ';' : ',';
  Header header{fields_of(line, delimiter), delimiter};
  for (const std::string& field : header.fields)
    if (field != count && !field.empty()) columns.push_back(field);
  return columns.empty() ? std::nullopt : std::optional(std::move(header));
}

// The header as the delimiter reads it by which the wanted columns (any known, when none are wanted) are there.
std::optional<Header> header_of(std::string_view line, std::vector<std::string>& columns) {
  for (const char delimiter : kDelimiters) {
    const Header header{fields_of(line, delimiter), delimiter};
    const auto has = [&](std::string_view name) { return header.has(name); };
    if (columns.empty()) {
      if (columns = known_columns(has); !columns.empty()) return header;
    } else if (std::all_of(columns.begin(), columns.end(), has)) {
      return header;
    }
  }
  return std::nullopt;
}

// A number below the path, "usage.prompt_tokens".
bool has_number(const JsonSketch& object, std::string_view path) {
  if (const JsonSketch* value = object.find(path)) return value->kind == '0';
  const std::size_t dot = path.find('.');
  const JsonSketch* inner = dot == std::string_view::npos ? nullptr : object.find(path.substr(0, dot));
  return inner && has_number(*inner, path.substr(dot + 1));
}
std::vector<std::string> known_in(const JsonSketch& row) {
  return known_columns([&](std::string_view path) { return has_number(row, path); });
}

bool is_json(std::string_view line) { return trimmed(line).starts_with('{'); }

// Text, and no comment, list, HTTP request or entry of YAML, with which other formats begin.
bool is_header_text(std::string_view line) {
  const std::size_t word = line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  if (line.starts_with('#') || line.starts_with('[') || line.starts_with("POST ")) return false;
  // "key: value" and "key:{"; "date:time" is a name.
  if (word < line.size() && line[word] == ':' && line.substr(word + 1).find_first_of(" \t\r\"'[{<") == 0) return false;
  if (word + 1 == line.size() && line[word] == ':') return false;
  return is_utf8(line) && std::none_of(line.begin(), line.end(), [](char c) {
           return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r';
         });
}

bool has_known_row(std::string_view text) {
  for (bool first = true;; first = false) {
    const std::size_t end = text.find('\n');
    const auto row = sketch_json(text.substr(0, end));
    // A document over several lines is no row.
    if (first && (!row || (row->cut && end != std::string_view::npos))) return false;
    if (row && !known_in(*row).empty()) return true;
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + 1);
  }
}

bool sniff(const Head& head) {
  std::string_view text = head.bytes;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::size_t end = text.find('\n');
  for (; end != std::string_view::npos && trimmed(text.substr(0, end)).empty(); end = text.find('\n'))
    text.remove_prefix(end + 1);
  if (is_json(text)) {
    const JsonSketch* first = first_value(head);
    return first && !first->find("inputs") && has_known_row(text);
  }
  std::vector<std::string> columns;
  return end != std::string_view::npos && is_header_text(text.substr(0, end)) &&
         header_of(text.substr(0, end), columns);
}

// "12", and "12.0" as tables write whole numbers beside missing ones.
std::optional<std::int64_t> count_of(std::string_view text) {
  text = trimmed(text);
  if (const std::size_t dot = text.find('.'); dot != std::string_view::npos && dot > 0) {
    if (text.find_first_not_of('0', dot + 1) != std::string_view::npos) return std::nullopt;
    text = text.substr(0, dot);
  }
  return parse_int64(text);
}

class TraceReader {
 public:
  TraceReader(ByteSource& source, ReadSink& sink, LengthOptions options)
      : source_(source), sink_(sink), lines_(source), options_(std::move(options)), columns_(options_.columns) {}

  Status read() {
    LineReader::Line line;
    do {
      TRY(const bool some, lines_.next(line));
      if (!some) return no_columns("it is empty");
    } while (is_blank(line));
    return is_json(line.text) ? read_objects(line) : read_table(line);
  }
  const std::vector<std::string>& columns() const noexcept { return columns_; }

 private:
  Error no_columns(std::string detail) const { return {ErrorCode::lengths_columns, source_.name(), std::move(detail)}; }

  // False: stop.
  bool bad(Error error, std::uint64_t line) {
    error.where = source_.name() + ":line " + std::to_string(line);
    return sink_.bad(error);
  }

  void begin() {
    for (const std::string& column : columns_) call_.inputs.push_back({column, {}, {0}});
    counts_.resize(columns_.size());
  }

  // Once there is a row: columns alone are no model.
  void declare() {
    Declared declared{.inputs = {}, .outputs = {}, .notes = {}, .names_only = true};
    for (const std::string& column : columns_)
      declared.inputs.push_back({column, {}, std::vector<DeclaredDim>{{.text = column}}});
    sink_.declared(declared);
    declared_ = true;
  }

  // Gives the call of a row, or says which count is missing.
  bool give(std::uint64_t line) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!counts_[i]) return bad({ErrorCode::lengths_row, "", "no whole number for " + columns_[i]}, line);
      if (*counts_[i] < 0 || *counts_[i] > kMaxExtent)
        return bad({ErrorCode::invalid_extent, "", columns_[i] + ": " + std::to_string(*counts_[i])}, line);
      call_.inputs[i].shape[0] = *counts_[i];
    }
    if (!declared_) declare();
    sink_.call(call_, line);
    return true;
  }

  Status read_table(const LineReader::Line& first) {
    auto header = header_of(first.text, columns_);
    if (!header && options_.every && columns_.empty()) header = any_header(first.text, options_.count, columns_);
    if (!header) {
      if (!is_header_text(first.text)) return no_columns("it is no table");
      const std::string there = join(fields_of(first.text, ','), ", ");
      return no_columns(
          (columns_.empty() ? "none that is known, name them with --columns" : "not " + join(columns_, ", ")) +
          "; there are " + there.substr(0, 1000));
    }
    if (ends_quoted(first.text, header->delimiter, false))
      return no_columns("a quoted field of its header is not closed in its line");
    add_count(header->has(options_.count));
    TRY_VOID(check_columns());
    std::vector<std::size_t> places;
    for (const std::string& column : columns_)
      places.push_back(static_cast<std::size_t>(std::find(header->fields.begin(), header->fields.end(), column) -
                                                header->fields.begin()));
    const std::size_t last = *std::max_element(places.begin(), places.end());
    begin();
    std::string kept;
    for (;;) {
      TRY(const bool more, next_record(header->delimiter));
      if (!more) return {};
      std::fill(counts_.begin(), counts_.end(), std::nullopt);
      std::string_view rest = record_.text;
      if (open_) {
        bad({ErrorCode::lengths_row, "", "a quoted field that begins here is never closed"}, record_.number);
        return {};
      }
      if (record_.too_long) {
        if (!bad({ErrorCode::lengths_row, "", "it takes more than " + std::to_string(LineReader::kMaxLine) + " bytes"},
                 record_.number))
          return {};
        continue;
      }
      for (std::size_t place = 0; place <= last && !rest.empty(); ++place) {
        const std::string_view field = take_field(rest, header->delimiter, kept);
        for (std::size_t i = 0; i < places.size(); ++i)
          if (places[i] == place) counts_[i] = count_of(field);
      }
      if (!give(record_.number)) return {};
    }
  }

  // A line that is not blank, with those after it as long as a quoted field is open.
  Result<bool> next_record(char delimiter) {
    do {
      TRY(const bool more, lines_.next(record_));
      if (!more) return false;
    } while (is_blank(record_));
    open_ = ends_quoted(record_.text, delimiter, false);
    if (!open_) return true;
    joined_ = record_.text;
    while (open_) {
      LineReader::Line line;
      TRY(const bool more, lines_.next(line));
      if (!more) break;
      open_ = ends_quoted(line.text, delimiter, true);
      record_.too_long = record_.too_long || line.too_long || joined_.size() + line.text.size() > LineReader::kMaxLine;
      if (!record_.too_long) joined_.append("\n").append(line.text);
    }
    record_.text = joined_;
    return true;
  }

  Status read_objects(LineReader::Line& line) {
    std::vector<std::pair<std::uint64_t, Status>> before;
    auto row = sketch_json(line.text);
    while (columns_.empty()) {
      if (row) columns_ = columns_in(*row);
      if (!columns_.empty()) break;
      if (!is_blank(line)) before.emplace_back(line.number, read_row(line));
      TRY(const bool more, lines_.next(line));
      if (!more || before.size() == kMaxRowsBefore) return no_columns("none that is known, name them with --columns");
      row = sketch_json(line.text);
    }
    add_count(row && has_number(*row, options_.count));
    TRY_VOID(check_columns());
    begin();
    for (auto& [number, status] : before)
      if (status.ok() ? !give(number) : !bad(std::move(status).error(), number)) return {};
    for (bool more = true; more;) {
      std::fill(counts_.begin(), counts_.end(), std::nullopt);
      if (!is_blank(line)) {
        auto status = read_row(line);
        if (status.ok() ? !give(line.number) : !bad(std::move(status).error(), line.number)) return {};
      }
      TRY(more, lines_.next(line));
    }
    return {};
  }

  static bool is_blank(const LineReader::Line& line) { return trimmed(line.text).empty() && !line.too_long; }

  std::vector<std::string> columns_in(const JsonSketch& row) const {
    std::vector<std::string> columns = known_in(row);
    if (columns.empty() && options_.every)
      for (const JsonSketch& value : row.members)
        if (value.kind == '0' && !value.is(options_.count)) columns.push_back(unescaped_json(value.key));
    return columns;
  }

  void add_count(bool there) {
    // No column is asked for by no name, though a table with an index has one of that name.
    if (there && !options_.count.empty() &&
        std::find(columns_.begin(), columns_.end(), options_.count) == columns_.end())
      columns_.push_back(options_.count);
  }

  Status check_columns() const {
    for (const std::string& column : columns_) TRY_VOID(check_name(source_.name(), column));
    std::vector<std::string_view> names(columns_.begin(), columns_.end());
    if (const auto twice = repeated(std::move(names))) return no_columns(std::string(*twice) + " is named twice");
    return {};
  }

  Status read_row(const LineReader::Line& line) {
    if (line.too_long)
      return Error{ErrorCode::lengths_row, "", "it takes more than " + std::to_string(LineReader::kMaxLine) + " bytes"};
    ondemand::document document;
    TRY_VOID(start_walk(*parser_, line.text, document));
    ondemand::object row;
    JSON_GET(row, document.get_object(), "", "a JSON object");
    TRY_VOID(read_members(row, "", 0));
    return finish_walk(document);
  }

  Status read_members(ondemand::object object, const std::string& path, int depth) {
    for (auto member : object) {
      std::string_view key;
      JSON_GET(key, member.unescaped_key(), path, "a key");
      const std::string here = path + std::string(key);
      const auto column = std::find(columns_.begin(), columns_.end(), here);
      const bool inner =
          depth < kMaxDepth && std::any_of(columns_.begin(), columns_.end(), [&](const std::string& name) {
            return name.size() > here.size() && name.starts_with(here) && name[here.size()] == '.';
          });
      if (column == columns_.end() && !inner) continue;
      ondemand::value value;
      ondemand::json_type type{};
      JSON_GET(value, member.value(), here, "a value");
      JSON_GET(type, value.type(), here, "a value");
      if (column != columns_.end() && type == ondemand::json_type::number) {
        // "12.0" too; what is no whole number leaves the count missing.
        std::string_view token = value.raw_json_token();
        counts_[static_cast<std::size_t>(column - columns_.begin())] = count_of(token);
      } else if (inner && type == ondemand::json_type::object) {
        ondemand::object members;
        JSON_GET(members, value.get_object(), here, "an object");
        TRY_VOID(read_members(members, here + ".", depth + 1));
      }
    }
    return {};
  }

  ByteSource& source_;
  ReadSink& sink_;
  LineReader lines_;
  LengthOptions options_;
  std::vector<std::string> columns_;
  std::vector<std::optional<std::int64_t>> counts_;
  Call call_;
  bool declared_ = false;
  LineReader::Line record_;
  bool open_ = false;  // a quoted field of the record is not closed
  std::string joined_;
  KeptParser<ondemand::parser> parser_;
};

Status open(ByteSource& source, ReadSink& sink) { return TraceReader(source, sink, {}).read(); }

Status open_with(ByteSource& source, ReadSink& sink, std::string_view columns) {
  std::vector<std::string> names;
  for (std::string& name : fields_of(columns, ','))
    if (!name.empty()) names.push_back(std::move(name));
  if (names.empty()) return Error{ErrorCode::lengths_columns, source.name(), "no column is named"};
  return TraceReader(source, sink, {.columns = std::move(names)}).read();
}

// Keeps the counts of a trace.
class Counts final : public ReadSink {
 public:
  explicit Counts(const std::function<bool(const Error&)>& bad) : bad_(bad) {}
  void tensor(TensorInfo) override {}
  void call(const Call& call, std::uint64_t) override {
    counts.resize(call.inputs.size());
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i].push_back(call.inputs[i].shape[0]);
  }
  bool bad(const Error& error) override {
    if (bad_) return bad_(error);
    first = error;
    return false;
  }

  std::vector<std::vector<std::int64_t>> counts;
  std::optional<Error> first;

 private:
  const std::function<bool(const Error&)>& bad_;
};

Result<std::vector<LengthColumn>> columns_of(ByteSource& source, const LengthOptions& options,
                                             const std::function<bool(const Error&)>& bad) {
  Counts sink(bad);
  TraceReader reader(source, sink, options);
  TRY_VOID(reader.read());
  if (sink.first) return *std::move(sink.first);
  std::vector<LengthColumn> out;
  sink.counts.resize(reader.columns().size());
  for (const std::string& name : reader.columns()) out.push_back({name, std::move(sink.counts[out.size()])});
  return out;
}

}  // namespace

Result<std::vector<LengthColumn>> read_lengths(const std::filesystem::path& path,
                                               const std::vector<std::string>& columns,
                                               const std::function<bool(const Error&)>& bad) {
  TRY(const auto source, open_file(path));
  return columns_of(*source, {.columns = columns}, bad);
}

Result<std::vector<LengthColumn>> parse_lengths(std::string_view text, const std::string& name,
                                                const LengthOptions& options,
                                                const std::function<bool(const Error&)>& bad) {
  const auto source = open_memory(name, std::as_bytes(std::span(text)));
  return columns_of(*source, options, bad);
}

constinit const Reader readers::lengths{.id = "lengths",
                                        .title = "Traces of lengths, CSV or JSON Lines",
                                        .specification = "docs/formats.md, RFC 4180",
                                        .extensions = ".csv .tsv .jsonl",
                                        .sniff = sniff,
                                        .open = open,
                                        .open_with = open_with};

}  // namespace tensorspec
