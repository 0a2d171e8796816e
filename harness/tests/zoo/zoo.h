// SPDX-License-Identifier: Apache-2.0
// What the faulty plugins share: a right Philox (operation `philox`) behind the plugin ABI, to
// which each adds one fault.
//
// Written after Salmon et al., doi:10.1145/2063384.2063405, on its own, so that a mistake in the
// reference is not repeated here.

#ifndef ASSAY_HARNESS_ZOO_ZOO_H
#define ASSAY_HARNESS_ZOO_ZOO_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/targets/helper/request.h"
#include "harness/targets/helper/stateless.h"

static inline const struct assay_tensor *zoo_counter(const struct assay_request *request)
{
    return assay_input_named(request, "counter");
}

static inline const struct assay_tensor *zoo_output(const struct assay_request *request)
{
    return assay_output_named(request, "output");
}

// Address of row-major element `index`, whatever the strides.
static inline void *zoo_at(const struct assay_tensor *tensor, int64_t index)
{
    const int64_t size = tensor->layout.dtype.bits / 8;
    int64_t offset = 0, stride = 1;
    for (int32_t d = tensor->layout.ndim; d-- > 0;) {
        const int64_t extent = tensor->layout.shape[d], at = index % extent;
        offset += at * (tensor->layout.strides ? tensor->layout.strides[d] : stride);
        index /= extent;
        stride *= extent;
    }
    return (char *)tensor->layout.data + offset * size;
}

static inline uint64_t zoo_load(const struct assay_tensor *tensor, int64_t index)
{
    uint64_t value = 0;
    if (tensor->layout.dtype.bits == 32) {
        uint32_t half;
        memcpy(&half, zoo_at(tensor, index), sizeof half);
        return half;
    }
    memcpy(&value, zoo_at(tensor, index), sizeof value);
    return value;
}

static inline void zoo_store(const struct assay_tensor *tensor, int64_t index, uint64_t value)
{
    const uint32_t half = (uint32_t)value;
    if (tensor->layout.dtype.bits == 32)
        memcpy(zoo_at(tensor, index), &half, sizeof half);
    else
        memcpy(zoo_at(tensor, index), &value, sizeof value);
}

__extension__ typedef unsigned __int128 zoo_wide;

static inline void zoo_block(uint64_t *c, const uint64_t *key, int words, int width, int64_t rounds)
{
    const uint64_t mask = width == 64 ? UINT64_MAX : UINT32_MAX;
    const uint64_t weyl[2] = {width == 64 ? 0x9E3779B97F4A7C15u : 0x9E3779B9u,
                              width == 64 ? 0xBB67AE8584CAA73Bu : 0xBB67AE85u};
    uint64_t m[2] = {width == 64 ? 0xD2E7470EE14C6C93u : 0xD2511F53u,
                     width == 64 ? 0xCA5A826395121157u : 0xCD9E8D57u};
    if (words == 2)
        m[0] = width == 64 ? 0xD2B74407B1CE6E93u : 0xD256D193u;
    uint64_t k[2] = {key[0], words == 4 ? key[1] : 0};
    for (int64_t r = 0; r < rounds; r++) {
        const zoo_wide p0 = (zoo_wide)m[0] * c[0];
        const uint64_t low0 = (uint64_t)p0 & mask, high0 = (uint64_t)(p0 >> width) & mask;
        if (words == 2) {
            c[0] = high0 ^ k[0] ^ c[1];
            c[1] = low0;
        } else {
            const zoo_wide p1 = (zoo_wide)m[1] * c[2];
            const uint64_t low1 = (uint64_t)p1 & mask, high1 = (uint64_t)(p1 >> width) & mask;
            c[0] = high1 ^ c[1] ^ k[0];
            c[2] = high0 ^ c[3] ^ k[1];
            c[1] = low1;
            c[3] = low0;
        }
        k[0] = (k[0] + weyl[0]) & mask;
        k[1] = (k[1] + weyl[1]) & mask;
    }
}

// The right answer.
static inline enum assay_status zoo_compute(const struct assay_request *request,
                                            struct assay_message *message)
{
    const struct assay_tensor *const counter = zoo_counter(request);
    const struct assay_tensor *const key = assay_input_named(request, "key");
    const struct assay_tensor *const output = zoo_output(request);
    if (!counter || !key || counter->layout.ndim < 1 || key->layout.ndim < 1 ||
        counter->dtype != key->dtype) {
        snprintf(message->text, sizeof message->text,
                 "counter and key are needed, of one type and at least rank 1");
        return ASSAY_REJECTED;
    }
    const int words = (int)counter->layout.shape[counter->layout.ndim - 1],
              width = counter->layout.dtype.bits;
    const int64_t rounds = assay_integer(request, "rounds", 10), keys = assay_element_count(key);
    if (!output || (words != 2 && words != 4) ||
        key->layout.shape[key->layout.ndim - 1] != words / 2 ||
        (counter->dtype != ASSAY_U32 && counter->dtype != ASSAY_U64) ||
        assay_integer(request, "width", width) != width || rounds < 0 || rounds > 16 ||
        (keys != words / 2 && keys * 2 != assay_element_count(counter))) {
        snprintf(message->text, sizeof message->text, "not a Philox request");
        return ASSAY_REJECTED;
    }
    for (int64_t i = 0; i < assay_element_count(counter); i += words) {
        uint64_t c[4] = {0}, k[2] = {0};
        for (int w = 0; w < words; w++)
            c[w] = zoo_load(counter, i + w);
        for (int w = 0; w < words / 2; w++)
            k[w] = zoo_load(key, keys == words / 2 ? w : i / 2 + w);
        zoo_block(c, k, words, width, rounds);
        for (int w = 0; w < words; w++)
            zoo_store(output, i + w, c[w]);
    }
    return ASSAY_OK;
}

// The number by which requests tell their keys apart: the first word; 0 without a key.
static inline uint64_t zoo_first_of_key(const struct assay_request *request)
{
    const struct assay_tensor *const key = assay_input_named(request, "key");
    return key && assay_element_count(key) ? zoo_load(key, 0) : 0;
}

// Computes as for a key that begins with `kept`: right where the request's own does, wrong
// elsewhere.
static inline enum assay_status zoo_compute_for(uint64_t kept, const struct assay_request *request,
                                                struct assay_message *message)
{
    const enum assay_status status = zoo_compute(request, message);
    const struct assay_tensor *const output = zoo_output(request);
    if (status == ASSAY_OK && kept != zoo_first_of_key(request) && assay_element_count(output))
        zoo_store(output, 0, zoo_load(output, 0) ^ 1);
    return status;
}

// Opens one session in a process and refuses every other.
static inline enum assay_status zoo_open_one(struct assay_session **session,
                                             struct assay_message *message)
{
    static bool opened;
    *session = NULL;
    snprintf(message->text, sizeof message->text, "there is a session already");
    const bool first = !opened;
    opened = true;
    return first ? ASSAY_OK : ASSAY_FAILED;
}

static inline const char *zoo_version(struct assay_session *session)
{
    (void)session;
    return "1";
}

static inline enum assay_status zoo_supports(struct assay_session *session,
                                             const struct assay_request *request,
                                             struct assay_message *message)
{
    (void)session;
    if (!strcmp(request->operation, "philox"))
        return ASSAY_OK;
    snprintf(message->text, sizeof message->text, "only philox");
    return ASSAY_UNSUPPORTED;
}

// What a plugin does otherwise than a right one. NULL: nothing.
struct zoo_plugin {
    const char *name;
    uint32_t capabilities;
    bool (*before)(void); // before each call is computed; false: the call fails
    void (*after)(const struct assay_tensor *output); // after a call that gave elements
    enum assay_status (*run)(const struct assay_request *request, struct assay_message *message);
    enum assay_status (*open)(struct assay_session **session, struct assay_message *message);
    enum assay_status (*supports)(struct assay_session *session,
                                  const struct assay_request *request,
                                  struct assay_message *message);
    enum assay_status (*prepare)(struct assay_session *session, const struct assay_request *request,
                                 struct assay_instance **instance, struct assay_message *message);
    void (*release)(struct assay_instance *instance);
    void (*close)(struct assay_session *session);
    void (*alter)(struct assay_plugin *plugin); // the struct that the harness gets
};

// Each plugin's file defines its own, after this header.
static const struct zoo_plugin zoo_plugin;

static inline enum assay_status zoo_run(struct assay_instance *instance,
                                        const struct assay_request *request,
                                        struct assay_message *message)
{
    (void)instance;
    if (zoo_plugin.run)
        return zoo_plugin.run(request, message);
    if (zoo_plugin.before && !zoo_plugin.before())
        return ASSAY_FAILED;
    const enum assay_status status = zoo_compute(request, message);
    const struct assay_tensor *const output = zoo_output(request);
    if (zoo_plugin.after && status == ASSAY_OK && assay_element_count(output))
        zoo_plugin.after(output);
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static struct assay_plugin plugin;
    const struct zoo_plugin *const own = &zoo_plugin;
    plugin = (struct assay_plugin){.abi_version = ASSAY_PLUGIN_ABI_VERSION,
                                   .size = sizeof plugin,
                                   .name = own->name,
                                   .capabilities = own->capabilities,
                                   .feed_count = 1,
                                   .feeds = assay_one_feed,
                                   .open = own->open ? own->open : assay_open_nothing,
                                   .version = zoo_version,
                                   .supports = own->supports ? own->supports : zoo_supports,
                                   .prepare = own->prepare ? own->prepare : assay_prepare_nothing,
                                   .run = zoo_run,
                                   .release = own->release ? own->release : assay_release_nothing,
                                   .close = own->close ? own->close : assay_close_nothing};
    if (own->alter)
        own->alter(&plugin);
    return &plugin;
}

#endif
