// SPDX-License-Identifier: Apache-2.0
#include "record.hpp"

#include <filesystem>
#include <iterator>
#include <stdexcept>

namespace fs = std::filesystem;

static const std::string before_digest = ", \"sha256\": \"";

static std::string read_file(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw std::runtime_error("cannot open " + path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string hexadecimal(const unsigned char *bytes, size_t size)
{
    static const char digit[] = "0123456789abcdef";
    std::string text;
    for (size_t i = 0; i < size; i++) {
        text += digit[bytes[i] >> 4];
        text += digit[bytes[i] & 15];
    }
    return text;
}

std::string sha256_of_file(const std::string &path)
{
    const std::string bytes = read_file(path);
    return sha256(bytes.data(), bytes.size());
}

uint64_t element_count(const std::vector<uint64_t> &shape)
{
    uint64_t count = 1;
    for (const uint64_t extent : shape) {
        if (extent && count > (uint64_t{1} << 40) / extent)
            throw std::runtime_error("a tensor is too large");
        count *= extent;
    }
    return count;
}

size_t element_size(const std::string &dtype)
{
    static const std::map<std::string, size_t> sizes = {
        {"bool", 1}, {"i8", 1},  {"u8", 1},  {"f8e4m3", 1}, {"f8e5m2", 1},
        {"i16", 2},  {"u16", 2}, {"f16", 2}, {"bf16", 2},   {"i32", 4},
        {"u32", 4},  {"f32", 4}, {"i64", 8}, {"u64", 8},    {"f64", 8}};
    const auto found = sizes.find(dtype);
    if (found == sizes.end())
        throw std::runtime_error("there is no type '" + dtype + "'");
    return found->second;
}

static std::string sealed(const Json &line)
{
    std::string text = line.dump();
    text.pop_back();
    return text + before_digest + sha256(text.data(), text.size()) + "\"}\n";
}

// ---- requests ---------------------------------------------------------------

Requests::Requests(const std::string &folder) : place_(folder + "/requests.data")
{
    const std::string path = folder + "/requests.jsonl", text = read_file(path);
    data_ = read_file(place_);
    bool ended = false;
    size_t number = 0;
    for (size_t at = 0; at < text.size();) {
        const size_t end = text.find('\n', at);
        const std::string line = text.substr(at, end == std::string::npos ? end : end - at);
        const size_t seal = line.rfind(before_digest);
        number++;
        if (end == std::string::npos || seal == std::string::npos ||
            line.substr(seal) != before_digest + sha256(line.data(), seal) + "\"}")
            throw std::runtime_error(path + ":" + std::to_string(number) +
                                     ": the line was changed: its digest is another");
        Json json = Json::parse(line);
        json.erase("sha256");
        if (json.at("record") == "header")
            suites = json.at("suites");
        ended = json.at("record") == "footer";
        if (json.at("record") == "request")
            lines.push_back(std::move(json));
        at = end + 1;
    }
    if (!ended)
        throw std::runtime_error(path + " has no footer: it is cut off");
}

Tensor Requests::wanted(const Json &tensor)
{
    return {
        tensor.at("dtype").get<std::string>(), tensor.at("shape").get<std::vector<uint64_t>>(), {}};
}

Tensor Requests::input(const Json &line, const std::string &name) const
{
    const Json &json = line.at("inputs").at(name);
    Tensor tensor = wanted(json);
    const uint64_t at = json.at("at").get<uint64_t>(),
                   size = element_count(tensor.shape) * element_size(tensor.dtype);
    if (at > data_.size() || size > data_.size() - at)
        throw std::runtime_error(place_ + " is shorter than its tensors");
    tensor.data.assign(data_.begin() + static_cast<std::ptrdiff_t>(at),
                       data_.begin() + static_cast<std::ptrdiff_t>(at + size));
    if (sha256(tensor.data.data(), tensor.data.size()) != json.at("sha256"))
        throw std::runtime_error(place_ + ": bytes from " + std::to_string(at) +
                                 " on were changed");
    return tensor;
}

// ---- the record -------------------------------------------------------------

Record::Record(const std::string &folder) : folder_(folder), part_(folder + ".part")
{
    if (fs::exists(folder_))
        throw std::runtime_error(folder_ + " is there already");
    fs::create_directories(part_);
    file_.open(part_ + "/record.data", std::ios::binary | std::ios::trunc);
    if (!file_)
        throw std::runtime_error("cannot write " + part_);
}

Record::~Record()
{
    std::error_code ignored;
    file_.close();
    if (!done_)
        fs::remove_all(part_, ignored);
}

Json Record::tensor(const Tensor &tensor)
{
    const std::string digest = sha256(tensor.data.data(), tensor.data.size());
    const auto [place, fresh] = kept_.emplace(digest, data_.size());
    if (fresh)
        data_.append(tensor.data.begin(), tensor.data.end());
    return {{"dtype", tensor.dtype},
            {"shape", tensor.shape},
            {"at", place->second},
            {"sha256", digest}};
}

void Record::line(const Json &line)
{
    lines_ += sealed(line);
    count_++;
}

void Record::close(const Json &header)
{
    const std::string text = sealed(header) + lines_;
    const Json footer = {{"record", "footer"},
                         {"lines", count_},
                         {"lines_sha256", sha256(text.data(), text.size())},
                         {"bytes", data_.size()},
                         {"data_sha256", sha256(data_.data(), data_.size())}};
    std::ofstream lines(part_ + "/record.jsonl", std::ios::binary | std::ios::trunc);
    lines << text << sealed(footer);
    file_ << data_;
    lines.close();
    file_.close();
    if (!lines || !file_)
        throw std::runtime_error("cannot write " + part_);
    fs::rename(part_, folder_);
    done_ = true;
}
