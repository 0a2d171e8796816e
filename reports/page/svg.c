// SPDX-License-Identifier: Apache-2.0
// Small drawings as inline SVG. Coordinates are rounded to hundredths, so that the bytes do not
// depend on the last bit of a logarithm.

#include "reports/page/svg.h"

#include <math.h>

#include "reports/text.h"

static void begin(struct text *text, const char *title, const char *description, double width,
                  double height)
{
    text_print(text,
               "<svg class=\"plot\" role=\"img\" viewBox=\"0 0 %.0f %.0f\" style=\"width:%.0fpx\" "
               "aria-label=\"",
               width, height, width * 1.25);
    text_print_markup(text, "%s: %s\"><title>%s</title><desc>%s</desc>\n", title, description,
                      title, description);
}

static void put_label(struct text *text, double x, double y, const char *anchor, const char *words)
{
    text_print(text, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\">", x, y, anchor);
    text_print_markup(text, "%s</text>", words);
}

void svg_bars(struct text *text, const char *title, const char *description,
              const struct svg_bar *bars, size_t count)
{
    const double step = 34, height = 120, top = 18;
    double highest = 1;
    for (size_t i = 0; i < count; i++)
        highest = fmax(highest, log10(1 + (double)bars[i].count));
    begin(text, title, description, 8 + step * (double)count, top + height + 20);
    text_print(text, "<path class=\"axis\" d=\"M0 %.1fH%.1f\"/>\n", top + height + 0.5,
               8 + step * (double)count);
    for (size_t i = 0; i < count; i++) {
        const double x = 6 + step * (double)i,
                     h = height * log10(1 + (double)bars[i].count) / highest;
        if (bars[i].count) {
            char number[32];
            text_print(text,
                       "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"28\" height=\"%.2f\"/>",
                       bars[i].class_name ? bars[i].class_name : "bar", x, top + height - h, h);
            if (bars[i].count < 10000)
                snprintf(number, sizeof number, "%u", (unsigned)bars[i].count);
            else
                snprintf(number, sizeof number, "%.1e", (double)bars[i].count);
            put_label(text, x + 14, top + height - h - 3, "middle", number);
        }
        put_label(text, x + 14, top + height + 14, "middle", bars[i].label);
        text_put(text, "\n");
    }
    text_put(text, "</svg>\n");
}

// Four strengths, each one path: a map of 4,096 cells stays small.
void svg_map(struct text *text, const char *title, const char *description, unsigned rows,
             unsigned columns, const uint64_t *cells, const char *down, const char *across)
{
    const unsigned unit = rows > 24 || columns > 24 ? 5 : 10;
    const bool tall = rows * unit >= 50; // room for a word on its side
    const double left = 14, top = 16;
    uint64_t most = 1;
    for (unsigned i = 0; i < rows * columns; i++)
        most = cells[i] > most ? cells[i] : most;
    begin(text, title, description, fmax(left + unit * columns + 2, 120), top + unit * rows + 4);
    text_print(text, "<rect class=\"ground\" x=\"%.0f\" y=\"%.0f\" width=\"%u\" height=\"%u\"/>\n",
               left, top, unit * columns, unit * rows);
    for (unsigned strength = 0; strength < 4; strength++) {
        bool begun = false;
        for (unsigned i = 0; i < rows * columns; i++) {
            if (!cells[i])
                continue;
            const double part = log2(1 + (double)cells[i]) / log2(1 + (double)most);
            if ((part > 0.75) + (part > 0.5) + (part > 0.25) != (int)strength)
                continue;
            if (!begun)
                text_print(text, "<path class=\"heat%u\" d=\"", strength);
            begun = true;
            text_print(text, "M%.0f %.0fh%uv%uh-%uz", left + (i % columns) * unit,
                       top + (i / columns) * unit, unit, unit, unit);
        }
        text_put(text, begun ? "\"/>\n" : "");
    }
    put_label(text, left, 11, "start", across);
    if (tall) {
        text_print(text,
                   "<text x=\"0\" y=\"0\" transform=\"translate(10 %.0f) rotate(-90)\" "
                   "text-anchor=\"end\">",
                   top);
        text_put_markup(text, down, false);
        text_put(text, "</text>");
    }
    text_put(text, "</svg>\n");
}

void svg_course(struct text *text, const char *title, const char *description,
                const struct svg_line *lines, size_t line_count, size_t count, double low,
                double high, const char *const label[SVG_COURSE_LABELS])
{
    const double width = 420, height = 110, left = 44, top = 8;
    begin(text, title, description, left + width + 8, top + height + 34);
    text_print(text, "<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>", left - 0.5, top,
               top + height + 0.5, left + width);
    put_label(text, left - 4, top + 9, "end", label[SVG_COURSE_HIGH]);
    put_label(text, left - 4, top + height, "end", label[SVG_COURSE_LOW]);
    put_label(text, left, top + height + 14, "start", label[SVG_COURSE_FIRST]);
    if (count > 1)
        put_label(text, left + width, top + height + 14, "end", label[SVG_COURSE_LAST]);
    for (size_t l = 0; l < line_count; l++) {
        bool pen = false;
        text_print(text, "<path class=\"line %s\" d=\"", lines[l].class_name);
        for (size_t i = 0; i < count; i++) {
            const double value = lines[l].value[i];
            if (isnan(value)) {
                pen = false;
                continue;
            }
            const double part = (fmin(fmax(value, low), high) - low) / (high - low);
            text_print(text, "%s%.2f %.2f", pen ? "L" : "M",
                       left + (count > 1 ? width * (double)i / (double)(count - 1) : width / 2),
                       top + height * (1 - part));
            if (!pen)
                text_put(text, "h.1");
            pen = true;
        }
        text_put(text, "\"/>");
        put_label(text, left + 4 + 90 * (double)l, top + height + 30, "start", lines[l].label);
        text_print(text, "<path class=\"line %s\" d=\"M%.1f %.1fh30\"/>", lines[l].class_name,
                   left + 50 + 90 * (double)l, top + height + 26);
    }
    text_put(text, "</svg>\n");
}

void svg_rows(struct text *text, const char *title, const char *description,
              const struct svg_row *rows, size_t count)
{
    const double left = 190, width = 230, step = 20;
    double longest = 0;
    for (size_t i = 0; i < count; i++)
        longest = isfinite(rows[i].length) ? fmax(longest, rows[i].length) : longest;
    begin(text, title, description, left + width + 150, step * (double)count + 4);
    for (size_t i = 0; i < count; i++) {
        const double length =
            longest > 0 && isfinite(rows[i].length) ? fmax(width * rows[i].length / longest, 1) : 1;
        put_label(text, left - 6, step * (double)i + 14, "end", rows[i].label);
        text_print(text, "<rect class=\"%s\" x=\"%.0f\" y=\"%.2f\" width=\"%.2f\" height=\"14\"/>",
                   rows[i].class_name ? rows[i].class_name : "bar", left, step * (double)i + 3,
                   length);
        put_label(text, left + length + 5, step * (double)i + 14, "start", rows[i].text);
        text_put(text, "\n");
    }
    text_put(text, "</svg>\n");
}
