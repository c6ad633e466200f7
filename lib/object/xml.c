#include "object/xml.h"

#include "base/buf.h"

#include <expat.h>
#include <limits.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

struct state {
    XML_Parser parser;
    const struct xml_reader *reader;
    void *context;
    struct buf path;
    struct buf text;
    size_t depth;
    const char *refused; /* why we stopped it; NULL: we did not */
};

static void stop(struct state *s, const char *why)
{
    s->refused = why;
    XML_StopParser(s->parser, XML_FALSE);
}

static void on_start(void *data, const XML_Char *name, const XML_Char **attributes)
{
    struct state *s = data;
    const char *colon = strchr(name, ':');
    (void)attributes;
    if (++s->depth > DEPTH_MAX) {
        stop(s, "elements are nested too deep");
        return;
    }
    if (s->path.len > 0) {
        buf_add_byte(&s->path, '/');
    }
    buf_add_text(&s->path, colon ? colon + 1 : name);
    buf_reset(&s->text);
    if (s->reader->begin) {
        s->reader->begin(s->context, buf_text(&s->path));
    }
}

static void on_end(void *data, const XML_Char *name)
{
    struct state *s = data;
    (void)name;
    if (s->refused) {
        return;
    }
    s->reader->end(s->context, buf_text(&s->path), buf_span(&s->text));
    const char *slash = memrchr(s->path.at, '/', s->path.len);
    s->path.len = slash ? (size_t)(slash - s->path.at) : 0;
    s->depth--;
    buf_reset(&s->text);
}

static void on_text(void *data, const XML_Char *at, int len)
{
    struct state *s = data;
    buf_add(&s->text, at, (size_t)len);
}

static void on_doctype(void *data, const XML_Char *name, const XML_Char *system,
                       const XML_Char *public, int has_subset)
{
    (void)name, (void)system, (void)public, (void)has_subset;
    stop(data, "it has a document type");
}

/* White space before the declaration is no XML, but servers send it to keep a connection alive. */
static struct span without_blanks(struct span s)
{
    while (s.len > 0 && strchr(" \t\r\n", s.at[0])) {
        s = span_of(s.at + 1, s.len - 1);
    }
    return s;
}

static int parse(struct state *s, struct span document, struct err *e)
{
    document = without_blanks(document);
    if (document.len > INT_MAX) {
        return err_set(e, ERR_DATA, "an XML document of %zu bytes is too large", document.len);
    }
    if (XML_Parse(s->parser, document.at, (int)document.len, XML_TRUE) != XML_STATUS_ERROR) {
        return 0;
    }
    const char *why = s->refused ? s->refused : XML_ErrorString(XML_GetErrorCode(s->parser));
    return err_set(e, ERR_DATA, "the XML is wrong: %s, line %llu", why,
                   (unsigned long long)XML_GetCurrentLineNumber(s->parser));
}

int xml_read(struct span document, const struct xml_reader *reader, void *context, struct err *e)
{
    struct state s = {.reader = reader, .context = context};
    s.parser = XML_ParserCreate(NULL);
    if (!s.parser) {
        return err_set(e, ERR_IO, "no memory for reading XML");
    }
    XML_SetUserData(s.parser, &s);
    XML_SetElementHandler(s.parser, on_start, on_end);
    XML_SetCharacterDataHandler(s.parser, on_text);
    XML_SetStartDoctypeDeclHandler(s.parser, on_doctype);
    int rc = parse(&s, document, e);
    XML_ParserFree(s.parser);
    buf_release(&s.path);
    buf_release(&s.text);
    return rc;
}
