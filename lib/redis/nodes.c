#include "redis/nodes.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* ---- nodes ---- */

static size_t add_node(struct server *s, const struct peer *at)
{
    s->nodes = mem_resize(s->nodes, s->count + 1, sizeof *s->nodes);
    s->nodes[s->count] = (struct node){.at = peer_copy(at)};
    return s->count++;
}

size_t nodes_find(struct server *s, const struct peer *at)
{
    for (size_t i = 0; i < s->count; i++) {
        if (peer_equal(&s->nodes[i].at, at)) {
            return i;
        }
    }
    return add_node(s, at);
}

static void disconnect(struct node *n)
{
    link_close(n->link);
    n->link = NULL;
    n->known = 0;
}

void nodes_lost(struct server *s, size_t n)
{
    disconnect(&s->nodes[n]);
    s->mapped = false;
}

void nodes_release(struct server *s)
{
    for (size_t i = 0; i < s->count; i++) {
        disconnect(&s->nodes[i]);
        peer_release(&s->nodes[i].at);
        free(s->nodes[i].knows);
        free(s->nodes[i].queue);
    }
    free(s->nodes);
    free(s->slots);
    s->nodes = NULL;
    s->slots = NULL;
    s->count = 0;
    s->mapped = false;
}

struct link_plan nodes_plan(const struct server *s, size_t n)
{
    return (struct link_plan){
        .address = &s->address,
        .to = &s->nodes[n].at,
        .login = &s->address.login,
        .database = s->address.database,
        .stop = s->stop,
    };
}

int nodes_connect(struct server *s, size_t n, struct err *e)
{
    struct node *node = &s->nodes[n];
    if (node->link && link_is_broken(node->link)) {
        disconnect(node);
    }
    if (node->link) {
        return 0;
    }
    struct link_plan plan = nodes_plan(s, n);
    if (link_open(&node->link, &plan, e) < 0) {
        s->mapped = false;
        return -1;
    }
    if (s->tell && !s->surveyed) {
        s->surveyed = true;
        if (survey(s, node->link, e) < 0) {
            nodes_lost(s, n);
            return -1;
        }
    }
    return 0;
}

/* ---- sentinels ---- */

/* The master as the sentinel at FROM knows it, into AT. 0, or -1 with E filled. */
static int ask_sentinel(struct server *s, const struct peer *from, struct peer *at, struct err *e)
{
    const struct address *a = &s->address;
    struct link_plan plan = {
        .address = a, .to = from, .login = &a->sentinel_login, .stop = s->stop};
    struct link *l = NULL;
    struct command c = {0};
    int64_t port = 0;
    int rc = -1;
    if (link_open(&l, &plan, e) < 0) {
        return -1;
    }
    command_start(&c, "SENTINEL");
    command_add_text(&c, "get-master-addr-by-name");
    command_add_text(&c, a->master);
    const struct reply *r = link_demand(l, &c, e);
    if (r && r->kind == REPLY_NOTHING) {
        err_set(e, ERR_USAGE, "store %s: the sentinels know no master of that name", a->shown);
    } else if (r && (r->kind != REPLY_LIST || r->count != 2)) {
        reply_strange(e);
    } else if (r && reply_integer(&r->items[1], &port, e) == 0) {
        *at = peer_of(r->items[0].text, (int)port);
        rc = 0;
    }
    command_release(&c);
    link_close(l);
    return rc;
}

/* Is the server behind L a master, as it says itself? A sentinel may not know yet. */
static int check_master(struct server *s, struct link *l, struct err *e)
{
    struct command c = {0};
    command_start(&c, "ROLE");
    const struct reply *r = link_demand(l, &c, e);
    command_release(&c);
    if (!r) {
        return e->code == ERR_LATER ? -1 : 0; /* an old server, or one that may not tell */
    }
    if (r->kind == REPLY_LIST && r->count > 0 &&
        !span_equal(r->items[0].text, SPAN_LIT("master"))) {
        return err_set(e, ERR_LATER, "store %s: the sentinels still name a replica",
                       s->address.shown);
    }
    return 0;
}

/* Make the master the only node, connected. */
static int find_master(struct server *s, struct err *e)
{
    struct err first = {0};
    for (size_t i = 0; i < s->address.count; i++) {
        struct peer at = {0};
        struct err why = {0};
        int rc = ask_sentinel(s, &s->address.endpoints[i], &at, &why);
        if (rc == 0) {
            nodes_release(s);
            add_node(s, &at);
            peer_release(&at);
            rc = nodes_connect(s, 0, &why);
        }
        if (rc == 0 && (rc = check_master(s, s->nodes[0].link, &why)) == 0) {
            s->mapped = true;
            return 0;
        }
        if (first.code == ERR_NONE || first.code == ERR_USAGE) {
            first = why; /* one that says "no" does not matter while another may say "later" */
        }
    }
    nodes_release(s);
    *e = first;
    return -1;
}

/* ---- a cluster ---- */

void nodes_move(struct server *s, int slot, size_t n)
{
    if (s->slots && slot >= 0 && slot < SLOTS) {
        s->slots[slot] = (uint16_t)n;
        s->nodes[n].master = true;
    }
}

/* One entry of CLUSTER SLOTS: first slot, last slot, master [host, port, ...], replicas. */
static int read_range(struct server *s, const struct reply *r, const struct peer *asked,
                      struct err *e)
{
    int64_t first, last, port;
    if (r->kind != REPLY_LIST || r->count < 3 || reply_integer(&r->items[0], &first, e) < 0 ||
        reply_integer(&r->items[1], &last, e) < 0 || r->items[2].kind != REPLY_LIST ||
        r->items[2].count < 2 || reply_integer(&r->items[2].items[1], &port, e) < 0 || first < 0 ||
        last >= SLOTS) {
        return reply_strange(e);
    }
    struct span host = r->items[2].items[0].text;
    struct peer at = peer_of(host.len ? host : span_text(asked->host), (int)port);
    size_t n = nodes_find(s, &at);
    peer_release(&at);
    if (n >= NODES_MAX) {
        return reply_strange(e);
    }
    for (int64_t slot = first; slot <= last; slot++) {
        nodes_move(s, (int)slot, n);
    }
    return 0;
}

/* Read the map from node N. */
static int read_map(struct server *s, size_t n, struct err *e)
{
    struct command c = {0};
    if (nodes_connect(s, n, e) < 0) {
        return -1;
    }
    command_start(&c, "CLUSTER");
    command_add_text(&c, "SLOTS");
    const struct reply *r = link_demand(s->nodes[n].link, &c, e);
    command_release(&c);
    if (!r) {
        return -1;
    }
    if (r->kind != REPLY_LIST) {
        return reply_strange(e);
    }
    if (r->count == 0) {
        return err_set(e, ERR_LATER, "store %s: the cluster has no slots yet", s->address.shown);
    }
    for (size_t i = 0; i < s->count; i++) {
        s->nodes[i].master = false;
    }
    struct peer asked = peer_copy(&s->nodes[n].at);
    int rc = 0;
    for (size_t i = 0; i < r->count && rc == 0; i++) {
        rc = read_range(s, &r->items[i], &asked, e);
    }
    peer_release(&asked);
    return rc;
}

static int find_cluster(struct server *s, struct err *e)
{
    s->slots = s->slots ? s->slots : mem_new(SLOTS, sizeof *s->slots);
    for (size_t i = 0; i < s->address.count; i++) {
        nodes_find(s, &s->address.endpoints[i]);
    }
    size_t known = s->count;
    struct err why = {0};
    for (size_t n = 0; n < known; n++) {
        if (read_map(s, n, &why) == 0) {
            s->mapped = true;
            return 0;
        }
        disconnect(&s->nodes[n]);
    }
    *e = why;
    return -1;
}

/* ---- any ---- */

int nodes_map(struct server *s, struct err *e)
{
    if (s->mapped) {
        return 0;
    }
    switch (s->address.kind) {
    case ADDRESS_SENTINEL:
        return find_master(s, e);
    case ADDRESS_CLUSTER:
        return find_cluster(s, e);
    default:
        nodes_find(s, &s->address.endpoints[0]);
        s->mapped = true;
        return 0;
    }
}

size_t nodes_of_slot(const struct server *s, int slot)
{
    return s->slots && slot >= 0 ? s->slots[slot] : 0;
}
