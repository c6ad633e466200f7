#include "tunnel/state.h"

struct connect_step connect_told(enum connect_status now, enum channel_status told, bool finished)
{
    static const struct connect_step table[4][4] = {
        [CONNECT_WAIT] = {[CHANNEL_OPEN] = {CONNECT_RUNNING, CONNECT_START},
                          [CHANNEL_CLOSING] = {CONNECT_CLOSED, CONNECT_REPORT},
                          [CHANNEL_CLOSE] = {CONNECT_CLOSED, CONNECT_END},
                          [CHANNEL_TERMINATED] = {CONNECT_CLOSED, CONNECT_FINISH}},
        [CONNECT_RUNNING] = {[CHANNEL_OPEN] = {CONNECT_RUNNING, CONNECT_NOTHING},
                             [CHANNEL_CLOSING] = {CONNECT_CLOSING, CONNECT_DRAIN},
                             [CHANNEL_CLOSE] = {CONNECT_CLOSED, CONNECT_END},
                             [CHANNEL_TERMINATED] = {CONNECT_CLOSED, CONNECT_FINISH}},
        [CONNECT_CLOSING] = {[CHANNEL_OPEN] = {CONNECT_CLOSING, CONNECT_NOTHING},
                             [CHANNEL_CLOSING] = {CONNECT_CLOSING, CONNECT_NOTHING},
                             [CHANNEL_CLOSE] = {CONNECT_CLOSED, CONNECT_END},
                             [CHANNEL_TERMINATED] = {CONNECT_CLOSED, CONNECT_FINISH}},
        [CONNECT_CLOSED] = {[CHANNEL_OPEN] = {CONNECT_CLOSED, CONNECT_REPORT},
                            [CHANNEL_CLOSING] = {CONNECT_CLOSED, CONNECT_REPORT},
                            [CHANNEL_CLOSE] = {CONNECT_CLOSED, CONNECT_NOTHING},
                            [CHANNEL_TERMINATED] = {CONNECT_CLOSED, CONNECT_NOTHING}},
    };
    struct connect_step step = table[now][told];
    if (finished && now == CONNECT_RUNNING && told == CHANNEL_OPEN) {
        step = (struct connect_step){CONNECT_CLOSED, CONNECT_REPORT};
    }
    return step;
}

bool channel_takes_told(int64_t known, int64_t told)
{
    return told >= known;
}

int channel_status_of(struct span word)
{
    static const char *const words[] = {"OPEN", "CLOSING", "CLOSE", "TERMINATED"};
    for (int i = 0; i < 4; i++) {
        if (span_equal(word, span_text(words[i]))) {
            return i;
        }
    }
    return -1;
}

int client_after(enum client_status now, enum client_event event)
{
    static const int table[4][4] = {
        [CLIENT_READY] = {CLIENT_STARTED, -1, -1, CLIENT_HALT},
        [CLIENT_STARTED] = {-1, CLIENT_ENDED, -1, CLIENT_HALT},
        [CLIENT_ENDED] = {-1, -1, CLIENT_READY, CLIENT_HALT},
        [CLIENT_HALT] = {-1, -1, -1, -1},
    };
    return table[now][event];
}
