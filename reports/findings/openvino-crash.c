// SPDX-License-Identifier: Apache-2.0
// OpenVINO 2026.4.1, CPU: an inference on one thread that has to be refused is answered with
// success, and the next such model may crash inside ov_infer_request_infer. Only the public C API.
// Build against the wheel:
//   gcc -I$OV/include openvino-crash.c $OV/libs/libopenvino_c.so.2641 -Wl,-rpath,$OV/libs -o crash
// It ends with 1 where a refusal is lost.
#include <openvino/c/openvino.h>
#include <stdio.h>
#include <string.h>

// clang-format off: the model stands as its nodes are
static const char model_text[] =
    "<?xml version='1.0'?><net name='m' version='11'>"
    "<layers>"
    " <layer id='0' name='shape' type='Parameter' version='opset1'>"
    "  <data element_type='i64' shape='1'/>"
    "  <output><port id='0' precision='I64'><dim>1</dim></port></output></layer>"
    " <layer id='1' name='minval' type='Parameter' version='opset1'>"
    "  <data element_type='f32' shape='1'/>"
    "  <output><port id='0' precision='FP32'><dim>1</dim></port></output></layer>"
    " <layer id='2' name='maxval' type='Parameter' version='opset1'>"
    "  <data element_type='f32' shape='1'/>"
    "  <output><port id='0' precision='FP32'><dim>1</dim></port></output></layer>"
    " <layer id='3' name='node' type='RandomUniform' version='opset8'>"
    "  <data output_type='f32' global_seed='1' op_seed='2'/>"
    "  <input><port id='0' precision='I64'><dim>1</dim></port>"
    "   <port id='1' precision='FP32'><dim>1</dim></port>"
    "   <port id='2' precision='FP32'><dim>1</dim></port></input>"
    "  <output><port id='3' precision='FP32'><dim>-1</dim></port></output></layer>"
    " <layer id='4' name='out' type='Result' version='opset1'>"
    "  <input><port id='0' precision='FP32'><dim>-1</dim></port></input></layer>"
    "</layers>"
    "<edges>"
    " <edge from-layer='0' from-port='0' to-layer='3' to-port='0'/>"
    " <edge from-layer='1' from-port='0' to-layer='3' to-port='1'/>"
    " <edge from-layer='2' from-port='0' to-layer='3' to-port='2'/>"
    " <edge from-layer='3' from-port='3' to-layer='4' to-port='0'/>"
    "</edges></net>";
// clang-format on

int main(void)
{
    ov_core_t *core;
    int accepted = 0;
    ov_core_create(&core);
    for (int i = 0; i < 400; i++) {
        int64_t one = 1, size = 4;
        float minval = 2, maxval = 1; // to be refused: minval is above maxval
        char threads[4];
        const ov_shape_t shape = {1, &one};
        ov_model_t *model;
        ov_compiled_model_t *compiled;
        ov_infer_request_t *request;
        ov_tensor_t *tensor[3];
        snprintf(threads, sizeof threads, "%d", i % 3 + 1);
        ov_core_read_model_from_memory_buffer(core, model_text, strlen(model_text), NULL, &model);
        ov_core_compile_model(core, model, "CPU", 2, &compiled, "INFERENCE_NUM_THREADS", threads);
        ov_compiled_model_create_infer_request(compiled, &request);
        ov_tensor_create_from_host_ptr(I64, shape, &size, &tensor[0]);
        ov_tensor_create_from_host_ptr(F32, shape, &minval, &tensor[1]);
        ov_tensor_create_from_host_ptr(F32, shape, &maxval, &tensor[2]);
        for (size_t k = 0; k < 3; k++)
            ov_infer_request_set_input_tensor_by_index(request, k, tensor[k]);
        const ov_status_e status = ov_infer_request_infer(request);
        accepted += status == OK;
        printf("%s threads: %d\n", threads, (int)status);
        fflush(stdout);
        for (size_t k = 0; k < 3; k++)
            ov_tensor_free(tensor[k]);
        ov_infer_request_free(request);
        ov_compiled_model_free(compiled);
        ov_model_free(model);
    }
    printf("no crash; %d of 400 answered with success\n", accepted);
    return accepted ? 1 : 0;
}
