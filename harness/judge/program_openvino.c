#include "harness/judge/program.h"
enum error program_write_openvino(struct program *program, struct diagnostic *diagnostic)
{
    (void)program;
    return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED, "x");
}
