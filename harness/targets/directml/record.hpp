// SPDX-License-Identifier: Apache-2.0
// Requests read and answers written, in the form that harness/host/record/form.h describes.

#ifndef ASSAY_TARGETS_DIRECTML_RECORD_HPP
#define ASSAY_TARGETS_DIRECTML_RECORD_HPP

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "device.hpp"

using Json = nlohmann::ordered_json;

std::string hexadecimal(const unsigned char *bytes, size_t size); // two lower-case digits each
// SHA-256, hexadecimal: digest_windows.cpp, digest_openssl.cpp.
std::string sha256(const void *bytes, size_t size);
std::string sha256_of_file(const std::string &path);

uint64_t element_count(const std::vector<uint64_t> &shape); // throws beyond 2^40
size_t element_size(const std::string &dtype);              // throws for an unknown one

class Requests
{
  public:
    explicit Requests(const std::string &folder); // throws where a byte was changed
    std::vector<Json> lines;                      // of the requests, without header and footer
    Json suites;
    Tensor input(const Json &line, const std::string &name) const; // with its data
    static Tensor wanted(const Json &tensor);                      // type and shape alone

  private:
    std::string data_, place_;
};

class Record
{
  public:
    explicit Record(const std::string &folder); // one that is not there; written beside its place
    ~Record();
    Record(const Record &) = delete;
    Record &operator=(const Record &) = delete;
    Json tensor(const Tensor &tensor); // its members in a line; the data are kept
    void line(const Json &line);
    void close(const Json &header); // puts the folder into its place

  private:
    std::string folder_, part_, lines_;
    std::ofstream file_;
    std::map<std::string, uint64_t> kept_;
    std::string data_; // all of it, for the digest over all
    uint64_t count_ = 0;
    bool done_ = false;
};

#endif
