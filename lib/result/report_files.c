/* Where the results are. */
#include "result/report_parts.h"

#include "base/mem.h"
#include "result/figures.h"
#include "result/html.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 50 }; /* files of a kind */

/* The way from the page to the folder FOLDER, for a link; NULL if there is none; to be freed. */
static char *way_to(const char *page, const char *folder)
{
    char *copy = mem_text(page);
    char *from = realpath(dirname(copy), NULL);
    char *to = realpath(folder, NULL);
    struct buf way = {0};
    free(copy);
    if (from && to) {
        size_t same = 0; /* length of the folders that both begin with */
        size_t at = 0;
        for (; from[at] && from[at] == to[at]; at++) {
            same = from[at] == '/' ? at : same;
        }
        bool whole = (!from[at] || from[at] == '/') && (!to[at] || to[at] == '/');
        same = whole ? at : same;
        for (const char *up = from + same; *up; up++) {
            if (*up == '/' && up[1]) {
                buf_add_text(&way, "../");
            }
        }
        buf_add_text(&way, to + same + (to[same] == '/'));
        if (way.len > 0 && way.at[way.len - 1] != '/') {
            buf_add_byte(&way, '/');
        }
        buf_add_byte(&way, '\0');
    }
    free(from);
    free(to);
    return way.at;
}

static void put_file(struct page *p, const char *way, const char *name, uint64_t size, bool sized)
{
    struct buf b = {0};
    html_put(p->w, "<tr><th scope=\"row\">");
    if (way) {
        html_put(p->w, "<a href=\"");
        /* "./": a name with a colon is no scheme */
        html_put(p->w, strncmp(way, "../", 3) == 0 ? "" : "./");
        html_path(p->w, span_text(way));
        html_path(p->w, span_text(name));
        html_put(p->w, "\">");
    }
    html_text(p->w, span_text(name), 0);
    html_put(p->w, way ? "</a></th><td>" : "</th><td>");
    if (sized) {
        figures_size(&b, size);
        html_put(p->w, buf_text(&b));
        buf_release(&b);
    }
    html_put(p->w, "</td></tr>\n");
}

static void put_list(struct page *p, const char *way, const struct catalog_list *list)
{
    for (size_t i = 0; i < list->count && i < SHOWN; i++) {
        put_file(p, way, list->files[i].name, list->files[i].size, true);
    }
    if (list->count > SHOWN) {
        html_put(p->w, "<tr><th scope=\"row\">and ");
        report_put_count(p, list->count - SHOWN);
        html_put(p->w, " more, in the manifest</th><td></td></tr>\n");
    }
}

void report_put_files(struct page *p)
{
    const struct files *f = p->f->files;
    if (!f) {
        html_put(p->w, "<p class=\"none\">No files were written.</p>\n");
        return;
    }
    char *way = way_to(p->path, f->place.url);
    html_put(p->w, "<p>In <code>");
    html_text(p->w, span_text(f->place.url), 0);
    html_put(p->w, "</code></p>\n<table class=\"files\"><thead><tr><th scope=\"col\">File</th>"
                   "<th scope=\"col\">Size</th></tr></thead><tbody>\n");
    put_file(p, way, CATALOG_MANIFEST, 0, false);
    for (int k = CATALOG_KINDS - 1; k >= 0; k--) {
        put_list(p, way, &f->catalog.lists[k]);
    }
    html_put(p->w, "</tbody></table>\n");
    free(way);
}
