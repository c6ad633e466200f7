/* What went wrong. */
#include "result/report_parts.h"

#include "result/html.h"

/* Limits of what is shown, in bytes of the page, so that it stays small whatever is in it. */
enum { TOLD = 40, OPEN = 3, CODE_ROOM = 2048, CAUSE_ROOM = 6 * 1024, INPUT_ROOM = 3 * 1024 };

static void put_samples(struct page *p, const struct failure *f)
{
    html_put(p->w, f->sample_count == 1 ? "<h4>Input</h4>\n" : "<h4>First inputs</h4>\n");
    for (size_t i = 0; i < f->sample_count; i++) {
        html_put(p->w, "<figure><figcaption>");
        html_text(p->w, buf_span(&f->samples[i].name), CODE_ROOM);
        html_put(p->w, "</figcaption><pre>");
        html_text(p->w, buf_span(&f->samples[i].input), INPUT_ROOM);
        html_put(p->w, "</pre></figure>\n");
    }
}

static void put_numbers(struct page *p, const struct failure *f)
{
    uint64_t all = counts_failed(p->f->counts->executions);
    html_format(p->w,
                "<span class=\"meter\" aria-hidden=\"true\"><i style=\"width:%.2f%%\"></i></span>"
                "<span class=\"number\">",
                100.0 * (double)f->executions / (double)all);
    report_put_count(p, f->executions);
    html_put(p->w, "</span><span class=\"part\">");
    report_put_share(p, f->executions, all);
    html_put(p->w, "</span>");
}

/* The code, how often it came, and what is known about it. */
static void put_told(struct page *p, const struct failure *f, bool open)
{
    html_format(p->w, "<details class=\"failure\"%s><summary><code>", open ? " open" : "");
    html_text(p->w, buf_span(&f->code), CODE_ROOM);
    html_put(p->w, "</code>");
    put_numbers(p, f);
    html_put(p->w, "</summary>\n");
    if (f->items != f->executions) {
        html_put(p->w, "<p>");
        report_put_count(p, f->items);
        html_put(p->w, " items</p>\n");
    }
    if (f->cause.len > 0) {
        html_put(p->w, "<h4>First cause</h4>\n<pre>");
        html_text(p->w, buf_span(&f->cause), CAUSE_ROOM);
        html_put(p->w, "</pre>\n");
    }
    put_samples(p, f);
    html_put(p->w, "</details>\n");
}

static void put_short(struct page *p, const struct failure *f)
{
    html_put(p->w, "<p class=\"failure\"><code>");
    html_text(p->w, buf_span(&f->code), CODE_ROOM);
    html_put(p->w, "</code>");
    put_numbers(p, f);
    html_put(p->w, "</p>\n");
}

void report_put_failures(struct page *p)
{
    const struct failures *f = &p->f->stats->failures;
    if (f->count == 0) {
        html_put(p->w, "<p class=\"none\">No execution failed.</p>\n");
    }
    for (size_t i = 0; i < f->count; i++) {
        if (i < TOLD) {
            put_told(p, &f->list[i], i < OPEN);
        } else {
            put_short(p, &f->list[i]);
        }
    }
    if (f->other_executions > 0) {
        html_put(p->w, "<p class=\"hint\">");
        report_put_count(p, f->other_executions);
        html_put(p->w, " more failures have further codes.</p>\n");
    }
}
