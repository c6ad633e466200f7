#include "result/report.h"

#include "base/clock.h"
#include "base/uuid.h"
#include "io/outfile.h"
#include "result/figures.h"
#include "result/html.h"
#include "result/report.css.h"
#include "result/report.html.h"
#include "result/report.js.h"
#include "result/report_parts.h"

void report_put_count(struct page *p, uint64_t n)
{
    struct buf b = {0};
    figures_count(&b, n);
    writer_put_span(p->w, buf_span(&b));
    buf_release(&b);
}

void report_put_duration(struct page *p, int64_t ns)
{
    struct buf b = {0};
    figures_duration(&b, ns);
    writer_put_span(p->w, buf_span(&b));
    buf_release(&b);
}

void report_put_number(struct page *p, double n)
{
    struct buf b = {0};
    figures_number(&b, n);
    writer_put_span(p->w, buf_span(&b));
    buf_release(&b);
}

void report_put_share(struct page *p, uint64_t part, uint64_t whole)
{
    struct buf b = {0};
    figures_share(&b, part, whole);
    html_text(p->w, buf_span(&b), 0); /* it may have a "<" */
    buf_release(&b);
}

void report_put_nothing(struct page *p)
{
    html_put(p->w, p->f->stats->ended > 0 ? "<p class=\"none\">No record has times.</p>\n"
                                          : "<p class=\"none\">Nothing ran.</p>\n");
}

/* ---- the parts that are short ---- */

static void put_style(struct page *p)
{
    html_put(p->w, css_report);
}

static void put_script(struct page *p)
{
    html_put(p->w, js_report);
}

static void put_nonce(struct page *p)
{
    html_put(p->w, p->nonce);
}

static void put_run(struct page *p)
{
    html_text(p->w, *p->f->run ? span_text(p->f->run) : SPAN_LIT("A run without a name"), 0);
}

/* A time for people: 2026-11-30 22:07:39 UTC. */
static void put_time(struct page *p, int64_t real)
{
    char stamp[CLOCK_STAMP_MAX];
    clock_stamp(real, stamp);
    html_format(p->w, "<time datetime=\"%s\">%.10s %.8s UTC</time>", stamp, stamp, stamp + 11);
}

static void put_when(struct page *p)
{
    const struct stats *s = p->f->stats;
    if (s->flow.len > 0) {
        html_put(p->w, "<span>Flow <b>");
        html_text(p->w, buf_span(&s->flow), 0);
        html_put(p->w, "</b></span>");
    }
    if (s->timeline.count > 0) {
        html_put(p->w, "<span>");
        put_time(p, s->timeline.start);
        html_put(p->w, " – ");
        put_time(p, s->timeline.stop);
        html_put(p->w, "</span>");
    }
}

static void put_counted(struct page *p, uint64_t n, const char *one, const char *many)
{
    if (n > 0) {
        html_put(p->w, "<span>");
        report_put_count(p, n);
        html_put(p->w, n == 1 ? one : many);
        html_put(p->w, "</span>");
    }
}

/* What else there is to know. */
static void put_notes(struct page *p)
{
    const struct stats *s = p->f->stats;
    put_counted(p, p->f->files ? p->f->files->catalog.redrives : 0, " re-drive", " re-drives");
    put_counted(p, p->f->rejected, " line was refused, it is not counted here",
                " lines were refused, they are not counted here");
    put_counted(p, s->unstated == 0 && s->attempts > s->ended ? s->attempts - s->ended : 0,
                " attempt was a retry", " attempts were retries");
    put_counted(p, s->timeline.count > 0 ? s->untimed : 0, " execution has no times",
                " executions have no times");
}

static void put_version(struct page *p)
{
    html_put(p->w, FANLINE_VERSION);
}

static const struct part {
    struct span name;
    void (*put)(struct page *p);
} parts[] = {
    {{"style", 5}, put_style},
    {{"script", 6}, put_script},
    {{"nonce", 5}, put_nonce},
    {{"run", 3}, put_run},
    {{"when", 4}, put_when},
    {{"notes", 5}, put_notes},
    {{"version", 7}, put_version},
    {{"verdict", 7}, report_put_verdict},
    {{"figures", 7}, report_put_figures},
    {{"outcome", 7}, report_put_outcome},
    {{"timeline", 8}, report_put_timeline},
    {{"running", 7}, report_put_running},
    {{"durations", 9}, report_put_durations},
    {{"failures", 8}, report_put_failures},
    {{"files", 5}, report_put_files},
};

static void put_part(struct page *p, struct span name)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (span_equal(parts[i].name, name)) {
            parts[i].put(p);
        }
    }
}

/* The static page, with the parts where it names them. */
static void put_page(struct page *p)
{
    static const char open[] = "<!--=";
    static const char close[] = "-->";
    const char *at = html_report;
    for (const char *mark = strstr(at, open); mark; mark = strstr(at, open)) {
        const char *name = mark + sizeof open - 1;
        const char *end = strstr(name, close);
        writer_put(p->w, at, (size_t)(mark - at));
        put_part(p, span_of(name, (size_t)(end - name)));
        writer_commit(p->w);
        at = end + sizeof close - 1;
    }
    html_put(p->w, at);
    writer_commit(p->w);
}

int report_write(const char *path, const struct facts *f, struct err *e)
{
    struct outfile file;
    char nonce[UUID_TEXT_MAX];
    if (outfile_open(&file, path, e) < 0) {
        return -1;
    }
    struct page p = {.w = &file.out, .f = f, .path = path, .nonce = uuid_make(nonce)};
    put_page(&p);
    return outfile_commit(&file, e);
}
