// SPDX-License-Identifier: Apache-2.0
// One call of DirectML's random generator, whatever computes it: DirectML on a device
// (device_directml.cpp), or a stand-in that tests what lies around it (device_simulated.cpp).

#ifndef ASSAY_TARGETS_DIRECTML_DEVICE_HPP
#define ASSAY_TARGETS_DIRECTML_DEVICE_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct Tensor {
    std::string dtype; // "u32", ...
    std::vector<uint64_t> shape;
    std::vector<unsigned char> data; // little-endian, as the machines that have DirectML are
};

struct Question {
    std::string type;       // "philox_4x32_10" is the only valid one
    unsigned feature_level; // 0x3000, 0x4000, ..., as DML_FEATURE_LEVEL
    Tensor input_state;     // with data
    Tensor output;          // of the wanted outputs, without data
    bool has_output_state;  // the optional third tensor is given
    Tensor output_state;
    unsigned char poison; // fills outputs before the call
};

struct Answer {
    enum Outcome { OK, UNSUPPORTED, REJECTED, FAILED } outcome = OK;
    std::string message;                      // why, where it is not OK
    std::vector<unsigned char> output, state; // of OK
};

struct Library {
    std::string file; // full path
};

class Device
{
  public:
    virtual ~Device() = default;
    virtual std::string name() const = 0;    // of the device: "NVIDIA ..., driver ..."
    virtual std::string version() const = 0; // of the library
    virtual std::vector<Library> libraries() const = 0;
    virtual bool simulated() const = 0;
    // UNSUPPORTED, or OK: decided from all but the data.
    virtual Answer supports(const Question &question) const = 0;
    virtual Answer run(const Question &question) = 0;
};

// Throws std::runtime_error where there is none.
std::unique_ptr<Device> open_device();

#endif
