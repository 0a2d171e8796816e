// SPDX-License-Identifier: Apache-2.0
// Records what DirectML's random generator answers to exported requests, each made twice, with
// outputs filled in two ways before. `assay certify --recorded` judges the answers elsewhere.

#include <algorithm>
#include <ctime>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "record.hpp"

static const char untried[] =
    "inaccessible pages beside tensors, checks of what a call does to its process, repeated calls "
    "of one instance, several numbers of threads, rows that stand apart, two calls at once, a "
    "process apart from the runner's, other requests of a relation, more draws than a case asks "
    "for";
static const unsigned char poisons[] = {0xa5, 0x5a}; // as the harness fills outputs

// "4.0" as 0x4000.
static unsigned take_level(const std::string &text)
{
    const size_t point = text.find('.');
    const unsigned long major = std::stoul(text),
                        minor = point == std::string::npos ? 0 : std::stoul(text.substr(point + 1));
    return static_cast<unsigned>(major << 12 | minor << 8);
}

static Tensor of_sizes(const Json &attributes, const char *key, const std::string &dtype)
{
    return {dtype, attributes.at(key).get<std::vector<uint64_t>>(), {}};
}

static Question take_question(const Requests &requests, const Json &line)
{
    const Json &attributes = line.at("attributes"), &outputs = line.at("outputs");
    Question question{};
    question.type = attributes.value("type", "philox_4x32_10");
    question.feature_level = take_level(attributes.value("feature_level", "4.0"));
    question.input_state = requests.input(line, "input_state");
    question.output = of_sizes(attributes, "output_sizes", attributes.value("output_type", "u32"));
    question.has_output_state =
        attributes.value("output_state", false) || outputs.contains("output_state");
    question.output_state = {question.input_state.dtype, question.input_state.shape, {}};
    if (attributes.contains("output_state_sizes"))
        question.output_state = of_sizes(attributes, "output_state_sizes", "u32");
    return question;
}

static const char *name_outcome(Answer::Outcome outcome)
{
    static const char *const names[] = {"ok", "unsupported", "rejected", "failed"};
    return names[outcome];
}

// What the request asks for of what came: an output of another type or size is a wrong result.
static void put_answer(Record &record, const Json &line, const Question &question, Answer answer,
                       Json &said)
{
    Json outputs = Json::object();
    for (const auto &[name, wanted] : line.at("outputs").items()) {
        Tensor tensor = name == "output" ? question.output : question.output_state;
        const Tensor asked = Requests::wanted(wanted);
        tensor.data = name == "output" ? answer.output : answer.state;
        if (answer.outcome == Answer::OK &&
            (tensor.dtype != asked.dtype || tensor.shape != asked.shape ||
             tensor.data.size() != element_count(asked.shape) * element_size(asked.dtype))) {
            said["outcome"] = "wrong result";
            said["message"] = "output '" + name + "' has another type or shape";
            return;
        }
        if (answer.outcome == Answer::OK)
            outputs[name] = record.tensor(tensor);
    }
    said["outcome"] = name_outcome(answer.outcome);
    if (!answer.message.empty())
        said["message"] = answer.message;
    if (answer.outcome == Answer::OK)
        said["outputs"] = outputs;
}

static Answer run(Device &device, const Question &question)
{
    try {
        return device.run(question);
    } catch (const std::exception &error) { // the library's failure is an answer
        return {Answer::FAILED, error.what(), {}, {}};
    }
}

static bool record_case(Device &device, const Requests &requests, const Json &line, Record &record)
{
    const Json head = {
        {"record", "answer"}, {"case", line.at("case")}, {"request", line.at("request")}};
    Json said = head;
    Answer can{Answer::UNSUPPORTED,
               "this runner asks DirectML's generator alone, once and with a state",
               {},
               {}};
    Question question{};
    if (line.at("op") == "directml.random_generator" && line.value("runs", 1) == 1 &&
        line.at("inputs").contains("input_state")) {
        question = take_question(requests, line);
        can = device.supports(question);
    }
    if (can.outcome != Answer::OK) {
        said["ask"] = true;
        said["outcome"] = "unsupported";
        said["message"] = can.message;
        record.line(said);
        return false;
    }
    for (size_t i = 0; i < sizeof poisons; i++) {
        said = head;
        said["conditions"] = i ? Json{{"poison", i}} : Json::object();
        question.poison = poisons[i];
        put_answer(record, line, question, run(device, question), said);
        record.line(said);
    }
    return true;
}

static std::string now()
{
    char text[32];
    const std::time_t seconds = std::time(nullptr);
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&seconds));
    return text;
}

static Json make_header(const Device &device, const Requests &requests, const std::string &self)
{
    Json libraries = Json::array();
    for (const Library &library : device.libraries())
        libraries.push_back({{"file", library.file}, {"sha256", sha256_of_file(library.file)}});
    const std::string system =
#ifdef _WIN32
        "Windows";
#else
        "not Windows";
#endif
    return {{"record", "header"},
            {"format", "assay.record/1"},
            {"recorded", now()},
            {"by", device.simulated() ? "directml runner 1, with a simulated device"
                                      : "directml runner 1"},
            {"target",
             {{"name", device.simulated() ? "directml_simulated" : "directml"},
              {"kind", "plugin"},
              {"library", "directml"},
              {"version", device.version()},
              {"file", self.substr(self.find_last_of("/\\") + 1)},
              {"sha256", sha256_of_file(self)},
              {"unseen", "files were not watched: known are the libraries that are named"},
              {"untried", untried},
              {"libraries", libraries}}},
            {"machine",
             {{"architecture", sizeof(void *) == 8 ? "64 bit" : "32 bit"},
              {"processor", device.name()},
              {"system", system},
              {"processors", std::max(1u, std::thread::hardware_concurrency())}}},
            {"suites", requests.suites}};
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        std::cerr << "usage: directml-runner REQUESTS DIR\n\n"
                     "Records in DIR what DirectML answers to REQUESTS, which\n"
                     "`assay export --requests` wrote.\n";
        return 2;
    }
    try {
        const Requests requests(argv[1]);
        const std::unique_ptr<Device> device = open_device();
        Record record(argv[2]);
        size_t answered = 0;
        for (const Json &line : requests.lines)
            answered += record_case(*device, requests, line, record);
        if (answered)
            record.close(make_header(*device, requests, argv[0]));
        std::cout << device->name() << ": answers to " << answered << " of "
                  << requests.lines.size() << " requests"
                  << (answered ? " recorded in " + std::string(argv[2]) : "") << "\n";
        return answered ? 0 : 4;
    } catch (const std::exception &error) {
        std::cerr << "directml-runner: " << error.what() << "\n";
        return 2;
    }
}
