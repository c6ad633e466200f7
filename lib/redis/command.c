#include "redis/command.h"

#include <string.h>

void command_start(struct command *c, const char *name)
{
    buf_reset(&c->body);
    c->count = 0;
    c->slot = COMMAND_NO_SLOT;
    command_add_text(c, name);
}

void command_add(struct command *c, struct span word)
{
    buf_add_byte(&c->body, '$');
    buf_add_u64(&c->body, word.len);
    buf_add(&c->body, "\r\n", 2);
    buf_add_span(&c->body, word);
    buf_add(&c->body, "\r\n", 2);
    c->count++;
}

void command_add_text(struct command *c, const char *word)
{
    command_add(c, span_text(word));
}

void command_add_number(struct command *c, int64_t number)
{
    char text[24];
    size_t sign = number < 0;
    text[0] = '-';
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    command_add(c, span_of(text, sign + buf_digits(text + sign, size)));
}

void command_key(struct command *c, struct span key)
{
    if (c->slot == COMMAND_NO_SLOT) {
        c->slot = slot_of(key);
    }
    command_add(c, key);
}

void command_release(struct command *c)
{
    buf_release(&c->body);
}

/* CRC-16/XMODEM, polynomial 0x1021. */
static uint16_t crc16(struct span s)
{
    uint16_t crc = 0;
    for (size_t i = 0; i < s.len; i++) {
        crc = (uint16_t)(crc ^ ((unsigned char)s.at[i] << 8));
        for (int bit = 0; bit < 8; bit++) {
            crc = (uint16_t)(crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1);
        }
    }
    return crc;
}

int slot_of(struct span key)
{
    const char *open = key.len ? memchr(key.at, '{', key.len) : NULL;
    if (open) {
        const char *start = open + 1;
        size_t rest = key.len - (size_t)(start - key.at);
        const char *close = rest ? memchr(start, '}', rest) : NULL;
        if (close && close > start) {
            key = span_of(start, (size_t)(close - start));
        }
    }
    return crc16(key) % SLOTS;
}
