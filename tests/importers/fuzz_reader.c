/* Runs reader.c on damaged documents under sanitizers; see fuzz_reader.py.
 *
 *     fuzz_reader SEED EXECUTIONS FILE...
 *
 * Every buffer has exactly the size that reader.c is told, so that the address sanitizer reports
 * any access outside. Blocks and buffers are small and of random sizes, so that every one of them
 * fills up and every token is cut.
 */
#include "../../importers/tw_importers/trace_event/reader.c"

#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

static uint32_t random_below(uint32_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (uint32_t)(state >> 11) % n : 0;
}

static void check(int is_true, const char *what) {
    if (is_true) return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static const char *TOKENS[] = {
    "{", "}", "[", "]", "\"", ",", ":", "\\", "\\u", "\\ud800", "\\udc00", "\\ud83d\\ude00", "NaN",
    "null", "true", "false", "-", "-0", "0.5", "1e5", "1.", "00", "123456789012345678901234567890",
    "9223372036854775807", "-9e18", "\xff", "\xc3\xa9", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x01",
    "{}", "[]", "\"ph\":\"X\"", "\"ts\":1.5", "\"dur\":2", "\"args\":{}", "\"s\":\"t\"", "},{", " ",
    "\"name\":\"1\"", "\"id\":-0", "\"pid\":\"a\\nb\"", "\n", "tru", "\"args\":[[[[{\"a\":[]}]]]]",
};
enum { N_TOKENS = sizeof TOKENS / sizeof *TOKENS };

/* A part of the document with up to eight defects; the result is as large as its content. */
static byte *mutate(const byte *document, size_t n, size_t *n_out) {
    size_t start = random_below((uint32_t)n), length = random_below(4096);
    if (random_below(2)) {
        while (start < n && document[start] != '{') start++;
    }
    if (start + length > n) length = n - start;
    byte *data = malloc(length + 8 * 64 + 1);
    memcpy(data, document + start, length);
    for (uint32_t i = random_below(9); i > 0; i--) {
        size_t at = random_below((uint32_t)length + 1), cut = random_below(40);
        const char *token = TOKENS[random_below(N_TOKENS)];
        size_t n_token = strlen(token);
        switch (random_below(4)) {
        case 0:
            if (at < length) data[at] ^= (byte)(1 << random_below(8));
            break;
        case 1:
            if (cut > length - at) cut = length - at;
            memmove(data + at, data + at + cut, length - at - cut);
            length -= cut;
            break;
        default:
            memmove(data + at + n_token, data + at, length - at);
            memcpy(data + at, token, n_token);
            length += n_token;
        }
    }
    byte *exact = malloc(length ? length : 1);
    memcpy(exact, data, length);
    free(data);
    *n_out = length;
    return exact;
}

static void *buffer(size_t n) { return malloc(n ? n : 1); }

static Texts new_texts(int64_t n_rows, int64_t n_bytes) {
    Texts t = {buffer((size_t)(n_rows + 1) * 4), buffer((size_t)n_rows / 8 + 1),
               buffer((size_t)n_bytes), n_bytes, 0};
    t.offsets[0] = 0;
    return t;
}

static Rows *new_rows(void) {
    Rows *r = calloc(1, sizeof *r);
    size_t n = 1 + random_below(40);
    r->n_max = (int64_t)n;
    r->n_event_max = 1 + random_below(600);
    r->seq = buffer(n * 8);
    r->ts = buffer(n * 8);
    r->dur = buffer(n * 8);
    r->phases = buffer(n * 4);
    r->dur_is_valid = buffer(n / 8 + 1);
    for (int i = 0; i < N_DICTIONARIES; i++) {
        Dictionary *d = &r->dictionaries[i];
        d->n_slots = 2 << random_below(6);
        d->n_text_bytes = r->n_event_max + random_below(600);
        d->codes = buffer(n * 4);
        d->is_valid = buffer(n / 8 + 1);
        d->slots = calloc((size_t)d->n_slots, 4);
        d->hashes = buffer((size_t)d->n_slots / 2 * 4);
        d->offsets = buffer((size_t)(d->n_slots / 2 + 1) * 4);
        d->texts = buffer((size_t)d->n_text_bytes);
        d->offsets[0] = 0;
        d->last = -1;
    }
    r->id = new_texts(r->n_max, r->n_event_max + random_below(600));
    r->args = new_texts(r->n_max, r->n_event_max + random_below(600));
    r->n_other_max = 1 + random_below(8);
    r->other_seq = buffer((size_t)r->n_other_max * 8);
    r->other_start = buffer((size_t)r->n_other_max * 8);
    r->other_end = buffer((size_t)r->n_other_max * 8);
    return r;
}

static void free_texts(Texts *t) {
    free(t->offsets);
    free(t->is_valid);
    free(t->texts);
}

static void free_rows(Rows *r) {
    free(r->seq); free(r->ts); free(r->dur); free(r->phases); free(r->dur_is_valid);
    for (int i = 0; i < N_DICTIONARIES; i++) {
        Dictionary *d = &r->dictionaries[i];
        free(d->codes); free(d->is_valid); free(d->slots); free(d->hashes); free(d->offsets);
        free(d->texts);
    }
    free_texts(&r->id);
    free_texts(&r->args);
    free(r->other_seq); free(r->other_start); free(r->other_end);
    free(r);
}

/* What holds for any input. */
static void check_rows(const Rows *r, const State *s, int64_t first, int64_t n_bytes) {
    check(s->n_consumed >= 0 && s->n_consumed <= n_bytes, "consumed within the block");
    check(r->n >= 0 && r->n <= r->n_max, "rows fit");
    check(r->n_other >= 0 && r->n_other <= r->n_other_max, "others fit");
    check(s->seq - first == r->n + r->n_other, "every event is counted");
    for (int64_t i = 0; i < r->n; i++) {
        check(r->phases[i] >= 0 && r->phases[i] < 6, "phase");
        check(r->args.offsets[i] <= r->args.offsets[i + 1], "args in order");
        for (int k = 0; k < N_DICTIONARIES; k++) {
            const Dictionary *d = &r->dictionaries[k];
            int is_valid = d->is_valid[i >> 3] >> (i & 7) & 1;
            check(!is_valid || (d->codes[i] >= 0 && d->codes[i] < d->n), "code");
        }
    }
    for (int64_t i = 0; i < r->n_other; i++) {
        check(r->other_start[i] >= 0 && r->other_start[i] < r->other_end[i]
              && r->other_end[i] <= n_bytes, "other within the block");
    }
}

static void run(const byte *document, size_t n) {
    size_t n_bytes;
    byte *data = mutate(document, n, &n_bytes);
    Rows *r = new_rows();
    static const int32_t styles[] = {1, 2, 4};
    State s = {0, styles[random_below(3)], styles[random_below(3)], (int32_t)random_below(2), 0, 0};
    int64_t first = s.seq;
    size_t at = 0;
    for (;;) {
        Rows before = *r;
        size_t length = random_below(2) ? n_bytes - at : random_below((uint32_t)(n_bytes - at) + 1);
        byte *block = malloc(length ? length : 1);
        memcpy(block, data + at, length);
        int status = tw_read(r, &s, block, (int64_t)length);
        free(block);
        check_rows(r, &s, first, (int64_t)length);
        if (status == INVALID) {
            check(r->n == before.n && r->n_other == before.n_other, "unchanged if invalid");
            break;
        }
        at += (size_t)s.n_consumed;
        if (status == CLOSED || (status == MORE && length == n_bytes - at + (size_t)s.n_consumed))
            break;
        if (status == FULL || r->n_other) {
            free_rows(r);
            r = new_rows();
            first = s.seq;
        }
    }
    free_rows(r);
    free(data);
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    state = strtoull(argv[1], NULL, 10) * UINT64_C(0x9E3779B97F4A7C15) + 1;
    unsigned long count = strtoul(argv[2], NULL, 10);
    for (unsigned long i = 0; i < count; i++) {
        static byte document[1 << 20];
        static int last = -1;
        static size_t n;
        int file = 3 + (int)(i * (unsigned long)(argc - 3) / count);
        if (file != last) {
            FILE *f = fopen(argv[file], "rb");
            if (!f) return 2;
            n = fread(document, 1, sizeof document, f);
            fclose(f);
            last = file;
        }
        run(document, n);
    }
    printf("%lu executions\n", count);
    return 0;
}
