# SPDX-License-Identifier: Apache-2.0
"""How else libraries compute gradients, and what is known to change nothing in some of them."""

from reverse import FACTOR, stored


def norms(node, g, x, axes):
    """Forms of the gradient of a norm: x / norm first, or g / norm; of squares without powers."""
    root, norm = f"sqrt(sum(square({x}), {axes}))", f"pow(sum(pow(abs({x}), p), {axes}), 1 / p)"
    one = f"{g} * sign({x})"
    return {
        "unit": {node: f"if(p == 1, {one}, if(p == 2, {g} * ({x} / {root}), "
                       f"{one} * pow(abs({x}) / {norm}, p - 1)))"},
        "quotient": {node: f"if(p == 1, {one}, if(p == 2, {x} * ({g} / {root}), "
                           f"{x} * pow(abs({x}), p - 2) * ({g} / pow({norm}, p - 1))))"},
    }


# The axes of ONNX's reductions.
AXES = ("if(present(axes) and size(axes, 0) > 0, axes, if(noop_with_empty_axes == 1, range(0, 0), "
        "range(0, rank(data))))")


def normalized(node, g, x, d, mean, inverse, axes):
    """Forms of the gradient of (x - mean) * inverse over axes, d is x - mean: g without its mean
    and its part along d, the same n times as large, or a g + b x + c with b and c of moments."""
    count = f"sum(iota(shape({x}), 0) >= 0, {axes})"
    moment = (f"((sum({g}, {axes}) * {mean} - sum({g} * {x}, {axes})) * ({inverse} * {inverse} * "
              f"{inverse}) / {count})")
    return {
        "closed": {node: f"({g} - mean({g}, {axes}) - {d} * (mean({g} * {d}, {axes}) * "
                         f"square({inverse}))) * {inverse}"},
        "count": {node: f"({count} * {g} - sum({g}, {axes}) - {d} * (sum({g} * {d}, {axes}) * "
                        f"square({inverse}))) * ({inverse} / {count})"},
        "moments": {node: f"{g} * {inverse} + {x} * {moment} + (-{moment} * {mean} - sum({g}, "
                          f"{axes}) * {inverse} / {count})"},
    }


def of_rows(g, z, inverse, axes, shift):
    """Forms of rows that have a scale for each element: z are the normalized numbers, from which
    a mean was taken off where there is a `shift`."""
    count, along = f"sum(iota(shape(x), 0) >= 0, {axes})", f"sum({g} * ({z}), {axes})"
    less, less_all = (f" - mean({g}, {axes})", f" - sum({g}, {axes})") if shift else ("", "")
    return {
        "closed": {"d_x": f"({g}{less} - ({z}) * mean({g} * ({z}), {axes})) * {inverse}"},
        "count": {"d_x": f"({count} * {g}{less_all} - ({z}) * {along}) * ({inverse} / {count})"}}


def with_moments(forms, moments):
    """Each form with moments that were made otherwise, and these alone."""
    return {**moments, **{f"{form}_{way}": {**made, **of} for way, made in moments.items()
                          for form, of in forms.items()}}


def one_pass(forms, moments):
    """Each form, and each with moments of one pass; `moments` are one form alone."""
    return {**forms, **with_moments(forms, {"one_pass": moments})}


def of_batch(g, x, way, axes):
    """Of batch and instance normalization, whose scale is one for all that a mean is of."""
    inverse, d = "rsqrt(var + epsilon)", f"({x} - mean)"
    found = normalized(f"d{x}", g, x, d, "mean", inverse, axes)
    return {form: {f"d{x}": way.format(f"({text}) * reshape(scale, channels)")
                   for text in of.values()} for form, of in found.items()}


def with_scale(forms, closed, moments):
    return {form: {**of, "dscale": moments if form == "moments" else closed}
            for form, of in forms.items()}


def repeated(x):
    """A number of each group, for each of its channels."""
    return f"max(join(broadcast({x}, shape(x)), 1), range(2, rank(X)))"


BATCH = with_scale(
    of_batch("dY", "X", "if(training_mode == 1, {}, dY * (reshape(scale, channels) * rsqrt(var + "
             "epsilon)))", "all"),
    "reshape(sum(dY * (X - mean), all) * rsqrt(var + epsilon), shape(scale))",
    "reshape((sum(dY * X, all) - sum(dY, all) * mean) * rsqrt(var + epsilon), shape(scale))")
INSTANCE = with_scale(
    of_batch("doutput", "input", "{}", "inner"),
    "reshape(sum(sum(doutput * (input - mean), inner) * rsqrt(var + epsilon), [0]), shape(scale))",
    "reshape(sum((sum(doutput * input, inner) - sum(doutput, inner) * mean) * rsqrt(var + epsilon),"
    " [0]), shape(scale))")
GROUP = with_scale(
    normalized("d_x", "split(d_Normalized, 1, num_groups)", "x", "D", "Mean", "Inverse", "inner"),
    "reshape(sum(sum(dY * join(D, 1), range(2, rank(X))) * " + repeated("Inverse") +
    ", [0]), shape(scale))",
    "reshape(sum((sum(dY * X, range(2, rank(X))) - sum(dY, range(2, rank(X))) * " +
    repeated("Mean") + ") * " + repeated("Inverse") + ", [0]), shape(scale))")

# The axes of rows. A mean that is carried along, or of elements that were divided before: see
# onnx.layer_normalization.
ROW = "range(axis, if(axis < 0, 0, rank(X)))"
RUNNING = (f"mean(x, {ROW}) + within(mean(abs(x), {ROW}), 2 * (sum(0 * abs(x) + 1, {ROW}) + 3) * "
           f"roundoff) - mean(abs(x), {ROW})")
SHIFTED = "x * InvStdDev - Mean * InvStdDev"
MOMENTS = normalized("d_x", "d_Normalized", "x", "D", "Mean", "InvStdDev", ROW)["moments"]
LAYER = with_moments(
    {**of_rows("d_Normalized", "D * InvStdDev", "InvStdDev", ROW, True),
     **{f"{form}_shifted": {"Normalized": SHIFTED, **of} for form, of in of_rows(
         "d_Normalized", SHIFTED, "InvStdDev", ROW, True).items()},
     "moments": {"Normalized": SHIFTED, **MOMENTS}},
    {"one_pass": {"Var": f"mean(x * x, {ROW}) - square(Mean)"}, "running": {"Mean": RUNNING}})
# With the reciprocal of the root, as a quotient or a function.
RMS = {
    f"{form}_{way}": {"d_scale_0": f"dY * (x * {inverse})", **of}
    for way, inverse in (("reciprocal", "(1 / RMS)"),
                         ("rsqrt", "rsqrt(XSquaredMean + epsilon)"))
    for form, of in {
        **of_rows("d_Normalized", f"x * {inverse}", inverse, ROW, False),
        "cube": {"d_x": f"d_Normalized * {inverse} - x * (mean(d_Normalized * x, {ROW}) * "
                        f"({inverse} * {inverse} * {inverse}))"}}.items()}

# Attention. Where the scale goes: to scores and their gradient, to the sums of both, to one
# operand. Then the gradient of softmax: by sums of P dP, or of dY Y as in flash attention, where
# Y is stored, and P made again of the logarithm of sums. Products with log2(e) and differences of
# them are off by u (3 abs(z - m) + 5 abs(m) + 12 log(s)), with 8 u of an exponential and one of
# the result: t, and exp(t) - 1 is at most 2 t where it does not underflow. Maxima and sums that run
# along, and that logarithm, are kept in f32 or wider. Heads that share a key may each store what is
# added to its gradient.
SINGLE = "min(roundoff, 0.000000059604644775390625)"
SCORES = 'grouped("bgrid,bgjd->bgrij", qs, ks)'
ONCE = {"qs": "q", "ks": "keys", "s": f"{FACTOR} * {SCORES}"}
PLACES = {
    "both": {},
    "scores": {**ONCE, "d_s": f"{FACTOR} * ({{}})", "d_q": "d_qs", "d_keys_0": "d_ks"},
    "product": {**ONCE, "d_q": f"d_qs * {FACTOR}", "d_keys_0": f"d_ks * {FACTOR}"},
    "query": {"qs": f"q * {FACTOR}", "ks": "keys", "d_q": f"d_qs * {FACTOR}",
              "d_keys_0": "d_ks"},
    "key": {"qs": "q", "ks": f"keys * {FACTOR}", "d_q": "d_qs",
            "d_keys_0": f"d_ks * {FACTOR}"}}
RUNNING_SUMS = {"e": (
    "within(exp(z - m), (4 * abs(z - m) + 2 * abs(m) + 8 * sign(abs(m)) + 9 * min(size(s, 3) / 8 "
    "+ 4, size(s, 3) - 1) * sign(m - min(select(z == -inf, m, z), [3]))) * " + SINGLE + ")")}
OUTPUT = 'grouped("bgrij,bgjd->bgrid", p, values)'
SLOPES = {
    "rows": {**RUNNING_SUMS,
             "d_z": "weights * (d_weights - sum(d_weights * weights, [3]))"},
    "flash": {**RUNNING_SUMS,
              "weights": "within(e / sums, (6 * abs(z - m) + 10 * abs(m) + 24 * log(sums) + 18) * "
                         + SINGLE + ")",
              "d_z": "weights * (d_weights - sum(d_o * " + stored(OUTPUT, "Q") + ", [3]) - "
                     "if(present(dqk_matmul_output) and qk_matmul_output_mode == 3, "
                     "sum(dqk_matmul_output * p, [3]), 0))"}}
EACH = {node: f"squeeze(sum({stored(product, 'Q', '2 * ')}, [2]), [2])"
        for node, product in {
            "d_ks": "einsum('bgrij,bgrid->bgrjd', split(d_s, 1, size(ks, 1)), split(qs, 1, "
                    "size(ks, 1)))",
            "d_values_0": "einsum('bgrid,bgrij->bgrjd', split(d_o, 1, size(values, 1)), "
                        "split(p, 1, size(values, 1)))"}.items()}
ATTENTION = {
    "scores": PLACES["scores"],
    **{f"{place}_{slope}": {**PLACES[place], **SLOPES[slope]} for place, slope in (
        ("both", "rows"), ("scores", "rows"), ("query", "rows"), ("product", "flash"),
        ("query", "flash"), ("key", "flash"))},
    **{f"{place}_{slope}_heads": {**PLACES[place], **SLOPES[slope], **EACH} for place, slope in (
        ("both", "rows"), ("product", "flash"))}}

# Chains of operators that runtimes fuse. Attention of whole tensors: as above, the scale last or at
# the query, and sums of dY Y.
TURNED = "[range(0, rank({0}) - 2), rank({0}) - 1, rank({0}) - 2]"
QUERY = {"z": "matmul(Q * scale, K)", "d_s": "d_z", "d_Q_0": "({}) * scale",
         "d_K_0": f"matmul(transpose(Q * scale, {TURNED.format('Q')}), d_s)",
         "d_scale_0": f"matmul(d_z, transpose(K, {TURNED.format('K')})) * Q"}
LATE = {"d_s": "d_z", "d_Q_0": "scale * ({})", "d_K_0": "scale * ({})"}
RUNNING_ROWS = {
    "e": "within(exp(z - m), (4 * abs(z - m) + 2 * abs(m) + 8 * sign(abs(m)) + 9 * min(size(z, -1)"
         " / 8 + 4, size(z, -1) - 1) * sign(m - min(z, [-1]))) * " + SINGLE + ")",
    "d_z": "p * (d_p - sum(d_p * p, [-1]))"}
RUNNING_FLASH = {
    "e": RUNNING_ROWS["e"],
    "p": "within(e / sums, (6 * abs(z - m) + 10 * abs(m) + 24 * log(sums) + 18) * " + SINGLE + ")",
    "d_p_0": "{} - sum(dY * " + stored("matmul(p, V)", "Q") + ", [-1])",
    "d_z": "p * d_p"}
CHAIN = {
    "late": LATE, "query": QUERY,
    **{f"{place}{slope}": {**at, **of} for place, at in (
        ("", {}), ("late_", LATE), ("query_", QUERY)) for slope, of in (
            ("rows", RUNNING_ROWS), ("flash", RUNNING_FLASH))}}
MOMENT = "reshape(sum(dY * (S - maps(input_mean)), [0, 2, 3]), shape(scale))"
MOMENT_2 = ("(reshape(sum(dY * S, [0, 2, 3]), shape(scale)) - reshape(sum(dY, [0, 2, 3]), "
            "shape(scale)) * input_mean)")
ROOT = "rsqrt(input_var + epsilon)"
CONV_BATCH = {
    **{form: {"d_S": f"dY * maps(scale * {ROOT})", "dscale": f"{moment} * {ROOT}",
              "dinput_mean": f"-(reshape(sum(dY, [0, 2, 3]), shape(scale)) * (scale * {ROOT}))",
              "dinput_var": f"{moment} * scale * -0.5 * ({ROOT} * {ROOT} * {ROOT})"}
       for form, moment in (("closed", MOMENT), ("moments", MOMENT_2))},
    "folded": {
        "kernel": "W * reshape(scale / deviation, [-1, 1, 1, 1])",
        "S": 'join(einsum("ngcopkl,gmckl->ngmop", split(seen_0, 1, group), split(W, 0, group)), 1)'
             " + maps(bias)",
        "d_S": "dY", "dW": "d_kernel * reshape(scale / deviation, [-1, 1, 1, 1])",
        "dbias": "reshape(sum(dY, [0, 2, 3]), shape(bias)) * (scale / deviation)"}}
SCALED = {
    "dA": "alpha * if(transA != 0, transpose(matmul({g}, if(transB != 0, B, transpose(B)))), "
          "matmul({g}, if(transB != 0, B, transpose(B))))",
    "dB": "alpha * if(transB != 0, transpose(matmul(if(transA != 0, A, transpose(A)), {g})), "
          "matmul(if(transA != 0, A, transpose(A)), {g}))"}
FOLDED = {"S": "matmul(alpha * a, b) + beta * C"}
# A single product, over maps and all windows that see an element.
DIRECT = {"d_padded": (
    "join(transpose(dot_general([1], [0], [2, range(3 + spatial, 3 + 2 * spatial)], [1, range(3, 3 "
    "+ spatial)], seen_by(unsqueeze(split(transpose(dresult, output), 1, groups), range(3 + "
    "spatial, 3 + 2 * spatial)), shape(padded), size(rhs, kernel_spatial_dimensions), steps, "
    "spread, [0], 2), split(kernel, 0, groups)), [outer, 1 - outer, 2 + spatial, range(2, 2 + "
    "spatial)]), outer)")}

# How else libraries compute it: derivatives that stand in place of those of adjoint.py in a form of
# the gradient; `over` is that of a quotient g a / b by b, `share` by a, and of means.
QUOTIENT = {"stored": {"over": "(-g * (a / b / b))"},
            "factored": {"over": "(-g * (1 / square(b)) * a)"}}
SHARE = {"share": {"share": "(g * (1 / b))"}}
WAYS = {
    "gradient.average_pool": SHARE, "gradient.global_average_pool": SHARE,
    "gradient.reduce_mean": SHARE, "gradient.mean": SHARE,
    "gradient.conv": {"columns": {"columns": "seen"}},
    "gradient.conv_relu": {"columns": {"columns": "seen_0"}},
    "gradient.conv_batch_normalization": {"columns": {"columns": "seen_0"}},
    "gradient.div": QUOTIENT, "gradient.softsign": QUOTIENT,
    "gradient.reciprocal": {"stored": {"over": "(-g * square(a / b))"},
                            "factored": {"over": "(-g * (a / square(b)))"}},
    "gradient.elu": {"expm1": {"exp": "expm1(x) + 1"}},
    "gradient.selu": {"expm1": {"exp": "expm1(x) + 1"}},
    "gradient.sigmoid": {"stored": {"logistic": "logistic(x) * (1 - logistic(x))"}},
    "gradient.tanh": {"factored": {"tanh": "(1 - tanh(x)) * (1 + tanh(x))"}},
    "gradient.tan": {"secant": {"tan": "1 / square(cos(x))"}},
    "gradient.asin": {"factored": {"asin": "rsqrt((1 - x) * (1 + x))"}},
    "gradient.acos": {"factored": {"acos": "-rsqrt((1 - x) * (1 + x))"}},
    "gradient.asinh": {"stored": {"asinh": "1 / cosh(asinh(x))"}},
    "gradient.acosh": {"square": {"acosh": "rsqrt(square(x) - 1)"},
                       "stored": {"acosh": "1 / sinh(acosh(x))"}},
    "gradient.atanh": {"factored": {"atanh": "1 / ((1 - x) * (1 + x))"}},
}
# What the text of some gradients leaves open: a default, in place of it for each option, and what
# it is about.
OPEN = {"gradient.attention": {"masked_scores": (
    "through", {"none": {"d_capped_0": "select(seen and mask > -inf, d_biased, 0)"}},
    "whether what comes in for a score that a mask made -inf goes to the score before it")}}
# What is known to change nothing in some gradients.
POWERS = {"never": "a power of 1 and its root change nothing",
          "never_2": "a root of squares is a power of 1 / 2"}
NOT_READ = "rules that take no beta do not read it"
NO_ERROR = "rules that take no beta have a d_found of 0"
EQUIVALENT = {
    "gradient.linear_attention": {
        "mutant_d_found.always": NOT_READ, "mutant_d_found.constant_off": NOT_READ,
        "mutant_d_decayed.always": NO_ERROR, "mutant_d_step_k.always": NO_ERROR},
    "gradient.attention": {
        "mutant_m.constant_off": "what a row that sees no key is shifted by changes nothing",
        "mutant_m.cast_to_first_input": "Q's type holds z, but where Q is f16, z bf16 and a row's "
        "largest score 65408 or more: then all is admissible",
        **{f"mutant_past_{of}.constant_off": "a past that is not there has no elements"
           for of in ("keys", "values")}},
    "gradient.conv_batch_normalization": {
        f"mutant_{of}.input_var_as_column": "a column of variances has the same elements in the "
        "same order" for of in ("d_S", "dscale", "dinput_mean", "dinput_var")},
    "gradient.dequantize_linear": {
        **{f"mutant_dx_scale.{k}": "no block is below 0" for k in ("without_addend",
                                                                  "without_addend_2")},
        "mutant_dx_scale.axis_alone": "it is one axis",
        "mutant_d_scale.cast_left_out": "it was rounded before, or is what the output is"},
    "gradient.convolution": {
        "mutant_d_seen.batches_swapped": "both have their batches first",
        "mutant_d_kernel.transpose_left_out": "the axes of this product have this order",
        "mutant_dlhs.constant_off": "nothing lies beyond what is padded already"},
    "gradient.scaled_attention": {"mutant_d_s.scale_as_column": "it is one number",
                                  "mutant_dscale.all_axes": "it is one number"},
    "gradient.reduce_sum": {
        f"mutant_ddata.always_{i}": "one number is broadcast with its axes or without" for i in
        (2, 3)},
    "gradient.mean": {f"mutant_d_data_{i}_0.cast_left_out": "a quarter is exact" for i in range(4)},
    "gradient.clip": {f"mutant_{of}.all_axes": "it is one number" for of in ("dmin", "dmax")},
    "gradient.lrn": {"mutant_dX.axis_alone": "it is one axis"},
    "gradient.rotary_embedding": {
        **{f"mutant_d{of}_cache.{k}": "no position is below 0" for of in ("cos", "sin")
           for k in ("without_addend", "without_addend_2")},
        **{f"mutant_d_{of}.cast_left_out": "it is moved, and rounded to this type" for of in
           ("first", "second")}},
    "gradient.lp_pool": {f"mutant_d_seen.{k}": why for k, why in POWERS.items()},
    "gradient.global_lp_pool": {f"mutant_dX.{k}": why for k, why in POWERS.items()},
}
# Of one token what it gives and what comes from later ones may be kept apart; the slope of a decay
# may be what queries have less what keys have, and what the last state has.
LATER, GIVEN = "before(d_before_S, dpresent_state)", "shared(step(d_all_o))"
AT_QUERIES = f'einsum("bgrv,bgkv->bgrk", factor * {GIVEN}, step(S))'
ALONG = (f'einsum("bgrk,bgrk->bgk", {AT_QUERIES}, shared(step(q))) - step(k) * einsum('
         f'"bhkv,bhv->bhk", d_S, step(written)) + squeeze(sum({LATER} * step(S), [3]), [3])')
SEEN = f'einsum("bgrv,bgv->bgr", {GIVEN}, step(written))'
WITHIN = (f'einsum("bhkv,bhv->bhk", {LATER}, step(written)) + factor * einsum("bgr,bgrk->bgk", '
          f'{SEEN}, shared(step(q)))')
TOKENS = {
    "differences": {"d_step_g": 'if(update_rule == "gated", if(size(g, 3) == 1, '
                                f'sum({ALONG}, [2]), {ALONG}), {{}})'},
    "chunk": {
        "d_written": f'einsum("bhkv,bhk->bhv", {LATER}, step(k)) + factor * einsum('
                     '"bgr,bgrv->bgv", einsum("bgrk,bgk->bgr", shared(step(q)), step(k)), '
                     f'{GIVEN})',
        "d_step_q": f'factor * join(einsum("bgrv,bgkv->bgrk", {GIVEN}, step(decayed)) + '
                    f'column({SEEN}) * split(step(k), 1, size(step(k), 1)), 1)',
        "d_step_k": f'if(corrected, {WITHIN} + einsum("bhv,bhkv->bhk", d_found, step(decayed)), '
                    f'{WITHIN})'}}
# Forms of an operator of which no derivative is taken, as their gradients are among the others.
HARD = {"gradient.linear_attention": ("chunk", "chunk_apart")}
# Forms of some gradients as a whole. The exponential of what log-softmax gave: d is off by u
# abs(d), the logarithm by 8 u of itself, their difference by u of itself, an exponential by 8 u:
# together by t, and exp(t) - 1 is at most 2 t where it does not underflow.
WHOLE = {
    "gradient.linear_attention": TOKENS,
    "gradient.gemm": {"scaled": {key: text.replace("{g}", "dY") for key, text in SCALED.items()}},
    "gradient.gemm_relu": {
        "folded": FOLDED, **{form: {**of, **{key: text.replace("{g}", "d_S") for key, text in
                                             SCALED.items()}}
                             for form, of in (("scaled", {}), ("folded_scaled", FOLDED))}},
    "gradient.matmul_bias_gelu": {"joined": {"S": "matmul(A, B) + C"}},
    "gradient.scaled_attention": CHAIN,
    "gradient.conv_batch_normalization": CONV_BATCH,
    "gradient.convolution": {"direct": DIRECT},
    "gradient.lp_pool": norms("d_seen", "unsqueeze(dY, around)", "seen", "around"),
    "gradient.global_lp_pool": norms("dX", "dY", "X", "inner"),
    "gradient.swish": {
        "factored": {"dX": "dY * (logistic(alpha * X) * (1 + alpha * X * logistic(-(alpha * X))))"},
        "stored": {"dX": "dY * (logistic(alpha * X) * (1 + alpha * X * (1 - logistic(alpha * X))))"}
    },
    "gradient.hard_swish": {"slope": {
        "dX": "select(X < -3, 0, select(X <= 3, dY * (X / 3 + 0.5), dY))"}},
    "gradient.softplus": {"difference": {"dX": "dY * exp(X - (max(X, 0) + log1p(exp(-abs(X)))))"}},
    "gradient.atanh": {"split": {"dinput": "doutput * (1 / (1 + input)) / (1 - input)"}},
    "gradient.softmax": {"stored": {
        "dinput": "e / s * (doutput - sum(doutput * (e / s), axes))"}},
    "gradient.log_softmax": {"stored": {
        "dinput": "doutput - within(e / s, (4 * abs(d) + 18 * log(s) + 18) * roundoff) * "
                  "sum(doutput, axes)"}},
    "gradient.batch_normalization": one_pass(BATCH, {
        "var": "if(training_mode == 1, mean(square(X), all) - square(mean), "
               "reshape(input_var, channels))"}),
    "gradient.instance_normalization": one_pass(INSTANCE, {
        "var": "mean(square(input), inner) - square(mean)"}),
    "gradient.group_normalization": one_pass(GROUP, {
        "Var": "mean(x * x, inner) - square(Mean)"}),
    "gradient.attention": ATTENTION,
    "gradient.layer_normalization": LAYER,
    "gradient.rms_normalization": RMS,
    "gradient.lp_normalization": {
        "closed": {"dinput": "(select(norm == 0, 0, doutput) - if(p == 1, sign(input), input / "
                             "norm) * sum(doutput * (input / norm), axis)) / norm"},
        "unit": {"d_norm_0": "-select(norm == 0, 0, doutput) * (input / norm) / norm",
                 "dinput": "select(norm == 0, 0, doutput) / norm + d_norm * if(p == 1, "
                           "sign(input), input / norm)"}},
    "gradient.reduce_l2": {
        "unit": {"ddata": f"d_kept * (data / sqrt(sum(square(data), {AXES})))"},
        "quotient": {"ddata": f"data * (d_kept / sqrt(sum(square(data), {AXES})))"}},
    "gradient.reduce_log_sum": {"quotient": {"ddata": f"d_kept / broadcast(sum(data, {AXES}), "
                                                      "shape(data))"}},
    # The exponential of data minus a result m + log(s) that was stored: see log_softmax; the result
    # is off by u of itself twice.
    "gradient.reduce_log_sum_exp": {
        "quotient": {"ddata": f"d_kept * (exp(data) / sum(exp(data), {AXES}))"},
        "shifted": {"ddata": f"d_kept * (exp(data - max(data, {AXES})) / sum(exp(data - max(data, "
                             f"{AXES})), {AXES}))"},
        "stored": {"ddata": f"d_kept * within(exp(data - max(data, {AXES})) / sum(exp(data - "
                            f"max(data, {AXES})), {AXES}), (4 * abs(data - max(data, {AXES})) + 24 "
                            f"* log(sum(exp(data - max(data, {AXES})), {AXES})) + 4 * abs(max("
                            f"data, {AXES})) + 18) * roundoff)"}},
    "gradient.reduce_prod": {
        "quotient": {"ddata": f"select(data == 0, {{}}, d_kept * (product(data, {AXES}) / "
                              "select(data == 0, 1, data)))"},
        "last": {"ddata": f"select(data == 0, {{}}, d_kept * product(data, {AXES}) / "
                          "select(data == 0, 1, data))"}},
    "gradient.celu": {
        "reciprocal": {"dX": "select(X < 0, dY * exp(X * (1 / alpha)), dY)"},
        "plain": {"dX": "select(X < 0, dY * exp(X / alpha), dY)"},
        "expm1_again": {"dX": "select(X < 0, dY * (expm1(X / alpha) + 1), dY)"}},
    "gradient.lrn": {"ratio": {
        "d_squares": "-dY * (X / pow(bias + alpha / size * squares, beta)) / (bias + alpha / size "
                     "* squares) * beta * (alpha / size)"}},
    "gradient.swiglu": {
        "factored": {"dA": "d_gate * (logistic(alpha * A) * (1 + alpha * A * "
                           "logistic(-(alpha * A))))"},
        "stored": {"dA": "d_gate * (logistic(alpha * A) * (1 + alpha * A * (1 - logistic(alpha * "
                         "A))))"},
        "graph": {"dA": "d_gate * logistic(alpha * A) + d_gate * A * (logistic(alpha * A) * "
                        "(1 - logistic(alpha * A))) * alpha"}},
}
