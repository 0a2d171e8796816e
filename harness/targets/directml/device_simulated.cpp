// SPDX-License-Identifier: Apache-2.0
// No device: Philox 4x32 with ten rounds (Salmon et al., DOI 10.1145/2063384.2063405), so that what
// lies around DirectML is tested where DirectML is not. With ASSAY_SIMULATE=rounds it is wrong on
// purpose, with nine rounds; with unwritten it leaves the last element.

#include <cstdlib>
#include <cstring>

#include "record.hpp"

namespace
{

void make_block(const uint32_t counter[4], const uint32_t key[2], unsigned rounds, uint32_t out[4])
{
    uint32_t x[4], k[2] = {key[0], key[1]};
    std::memcpy(x, counter, sizeof x);
    for (unsigned i = 0; i < rounds; i++) {
        const uint64_t a = uint64_t{0xd2511f53} * x[0], b = uint64_t{0xcd9e8d57} * x[2];
        const uint32_t next[4] = {
            static_cast<uint32_t>(b >> 32) ^ x[1] ^ k[0], static_cast<uint32_t>(b),
            static_cast<uint32_t>(a >> 32) ^ x[3] ^ k[1], static_cast<uint32_t>(a)};
        std::memcpy(x, next, sizeof x);
        k[0] += 0x9e3779b9;
        k[1] += 0xbb67ae85;
    }
    std::memcpy(out, x, sizeof x);
}

bool is_valid(const Question &question)
{
    const auto fits = [&](const Tensor &tensor) {
        const size_t rank = tensor.shape.size();
        return tensor.dtype == "u32" &&
               (question.feature_level < 0x4000 ? rank == 4 : rank >= 1 && rank <= 8);
    };
    bool state = fits(question.input_state) && !question.input_state.shape.empty();
    for (size_t i = 0; state && i < question.input_state.shape.size(); i++)
        state =
            question.input_state.shape[i] == (i + 1 == question.input_state.shape.size() ? 6 : 1);
    return question.type == "philox_4x32_10" && state && fits(question.output) &&
           (!question.has_output_state ||
            (question.output_state.dtype == "u32" &&
             question.output_state.shape == question.input_state.shape));
}

class Simulated : public Device
{
  public:
    std::string name() const override
    {
        return "no device";
    }
    std::string version() const override
    {
        return "simulated";
    }
    std::vector<Library> libraries() const override
    {
        return {};
    }
    bool simulated() const override
    {
        return true;
    }
    Answer supports(const Question &) const override
    {
        return {};
    }

    Answer run(const Question &question) override
    {
        const char *const flaw = std::getenv("ASSAY_SIMULATE");
        const std::string wrong = flaw ? flaw : "";
        if (!is_valid(question))
            return {Answer::REJECTED, "0x80070057 (simulated)", {}, {}};
        uint32_t state[6], block[4];
        std::memcpy(state, question.input_state.data.data(), sizeof state);
        const size_t count = static_cast<size_t>(element_count(question.output.shape));
        std::vector<unsigned char> output(4 * count, question.poison), next(sizeof state);
        for (size_t i = 0; i < count; i += 4) {
            make_block(state, state + 4, wrong == "rounds" ? 9 : 10, block);
            std::memcpy(output.data() + 4 * i, block, 4 * (count - i < 4 ? count - i : 4));
            for (unsigned k = 0; k < 4 && !++state[k]; k++) {}
        }
        if (wrong == "unwritten" && count)
            std::memset(output.data() + 4 * (count - 1), question.poison, 4);
        std::memcpy(next.data(), state, sizeof state);
        return {Answer::OK, "", output, next};
    }
};

} // namespace

std::unique_ptr<Device> open_device()
{
    return std::make_unique<Simulated>();
}
