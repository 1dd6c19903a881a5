/* Types the plain events of a block of Trace Event JSON: the compiled half of read.py.
 *
 * A plain event is one whose columns hold all of it, as stage.sql decides; those are nearly all
 * events of a recording. Any other event is reported by its position, and goes through stage.sql.
 * The whole text is validated as JSON and UTF-8; a block that is invalid anywhere is refused, and
 * read by split.py and repair.py. This file may therefore refuse what they accept, and call events
 * not plain that are, but never the other way round.
 *
 * Called through ctypes: no Python API, no global state, no allocation. The caller owns all memory.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#ifndef TW_SOURCE_SHA256
#define TW_SOURCE_SHA256 "unknown"
#endif
#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

typedef uint8_t byte;

enum { MORE, CLOSED, INVALID, FULL }; /* how tw_read ended */
enum { GOOD = -1 };                   /* of the functions below: none of these */
enum { MAX_DEPTH = 512 };
enum { HAS_ESCAPE = 1, HAS_HIGH = 2 };
enum { IS_FRACTION = 1, IS_EXPONENT = 2, IS_NEGATIVE_ZERO = 4 };
enum { FIXED = 1, SHORTEST_FLOAT = 2, SHORTEST = 4, ANY_STYLE = 7 };

/* Times beyond 95 years from the epoch are damage; usable_ns in macros.sql. */
static const uint64_t MAX_NS = UINT64_C(3000000000000000000);

/* Columns of codes: positions in a dictionary of the texts in this group of rows. */
enum { CAT, NAME, PID, TID, BP, SCOPE, N_DICTIONARIES };
enum { F_CAT, F_NAME, F_PID, F_TID, F_BP, F_SCOPE, F_PH, F_TS, F_DUR, F_ID, F_ARGS, N_FIELDS };
enum { NUMBER = '0', STRING = '"', OBJECT = '{', ARRAY = '[', LITERAL = 'l' };

typedef struct {
    int32_t *codes; /* one a row; of nulls, any */
    byte *is_valid; /* bits */
    int32_t *slots; /* hash table: code + 1, or 0; n_slots is a power of two */
    uint32_t *hashes;
    int32_t *offsets; /* of each text in `texts`, and the end */
    byte *texts;
    int64_t n_text_bytes;
    int32_t n_slots;
    int32_t n;
    int32_t n_null;
    int32_t last; /* the code of the row before, or -1 */
} Dictionary;

typedef struct {
    int32_t *offsets;
    byte *is_valid;
    byte *texts;
    int64_t n_text_bytes;
    int32_t n_null;
} Texts;

typedef struct {
    int64_t n_max;       /* rows that fit */
    int64_t n_event_max; /* bytes of a plain event: no more than any of the buffers of texts */
    int64_t n;
    int64_t *seq, *ts, *dur;
    int32_t *phases; /* positions in "XiIstf" */
    byte *dur_is_valid;
    int32_t n_dur_null;
    Dictionary dictionaries[N_DICTIONARIES];
    Texts id, args;
    /* Events that are not plain: their place among all events, and where in the block they are. */
    int64_t n_other_max;
    int64_t n_other;
    int64_t *other_seq, *other_start, *other_end;
} Rows;

typedef struct {
    int64_t seq;       /* of the next event */
    int32_t ts_style;  /* bits as in macros.sql: how the file prints its times */
    int32_t dur_style;
    int32_t is_first;  /* no event came before in this array, so that no comma is due */
    int32_t after_comma;
    int64_t n_consumed; /* out: bytes of the block */
} State;

typedef struct {
    const byte *start, *end; /* of the value */
    byte kind;
    byte flags;
} Value;

static const byte *skip_blank(const byte *p, const byte *end) {
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) p++;
    return p;
}

static int is_utf8(const byte *p, const byte *end) {
    while (p < end) {
        byte c = *p++;
        if (c < 0x80) continue;
        int n = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
        byte low = 0x80, high = 0xBF;
        if (c < 0xC2 || c > 0xF4 || end - p < n) return 0;
        if (c == 0xE0) low = 0xA0;
        if (c == 0xED) high = 0x9F;
        if (c == 0xF0) low = 0x90;
        if (c == 0xF4) high = 0x8F;
        if (*p < low || *p > high) return 0;
        while (--n) {
            if ((*++p & 0xC0) != 0x80) return 0;
        }
        p++;
    }
    return 1;
}

static int hex4(const byte *p) {
    int value = 0;
    for (int i = 0; i < 4; i++) {
        byte c = p[i];
        int digit = c >= '0' && c <= '9' ? c - '0'
            : c >= 'a' && c <= 'f' ? c - 'a' + 10
            : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (digit < 0) return -1;
        value = value << 4 | digit;
    }
    return value;
}

/* Skips an escape sequence at a backslash. A surrogate without its partner is invalid. */
static int skip_escape(const byte **at, const byte *end) {
    const byte *p = *at;
    if (end - p < 2) return MORE;
    if (p[1] != 'u') {
        if (p[1] == 0 || !strchr("\"\\/bfnrt", p[1])) return INVALID;
        *at = p + 2;
        return GOOD;
    }
    if (end - p < 6) return MORE;
    int code = hex4(p + 2);
    if (code < 0 || (code >= 0xDC00 && code <= 0xDFFF)) return INVALID;
    p += 6;
    if (code >= 0xD800 && code <= 0xDBFF) {
        if (end - p < 6) return MORE;
        int second = p[0] == '\\' && p[1] == 'u' ? hex4(p + 2) : -1;
        if (second < 0xDC00 || second > 0xDFFF) return INVALID;
        p += 6;
    }
    *at = p;
    return GOOD;
}

/* The first quote, backslash or control character; `end` if there is none. */
static const byte *skip_plain(const byte *p, const byte *end, byte *flags) {
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
    const __m128i control = _mm_set1_epi8(0x1F);
    while (end - p >= 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)p);
        __m128i found = _mm_or_si128(
            _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)),
            _mm_cmpeq_epi8(_mm_max_epu8(v, control), control));
        unsigned stops = (unsigned)_mm_movemask_epi8(found), high = (unsigned)_mm_movemask_epi8(v);
        if (stops) {
            unsigned n = (unsigned)__builtin_ctz(stops);
            if (high & ((1u << n) - 1)) *flags |= HAS_HIGH;
            return p + n;
        }
        if (high) *flags |= HAS_HIGH;
        p += 16;
    }
#endif
    while (p < end && *p != '"' && *p != '\\' && *p >= 0x20) {
        if (*p >= 0x80) *flags |= HAS_HIGH;
        p++;
    }
    return p;
}

/* Skips a string at its opening quote. */
static inline int skip_string(const byte **at, const byte *end, byte *flags) {
    const byte *start = *at + 1, *p = start;
    *flags = 0;
    for (;;) {
        p = skip_plain(p, end, flags);
        if (p >= end) return MORE;
        if (*p == '"') break;
        if (*p != '\\') return INVALID;
        *flags |= HAS_ESCAPE;
        int status = skip_escape(&p, end);
        if (status != GOOD) return status;
    }
    if (*flags & HAS_HIGH && !is_utf8(start, p)) return INVALID;
    *at = p + 1;
    return GOOD;
}

static inline int is_digit(byte c) { return c >= '0' && c <= '9'; }

/* Skips a number; it ends where another byte follows. */
static int skip_number(const byte **at, const byte *end, byte *flags) {
    const byte *p = *at;
    *flags = 0;
    int is_negative = *p == '-';
    p += is_negative;
    if (p >= end) return MORE;
    if (!is_digit(*p)) return INVALID;
    if (*p == '0') {
        p++;
        if (is_negative) *flags |= IS_NEGATIVE_ZERO; /* or -0.5 */
        if (p < end && is_digit(*p)) return INVALID;
    } else {
        while (p < end && is_digit(*p)) p++;
    }
    if (p < end && *p == '.') {
        *flags |= IS_FRACTION;
        const byte *first = ++p;
        while (p < end && is_digit(*p)) p++;
        if (p < end && p == first) return INVALID;
    }
    if (p < end && (*p | 0x20) == 'e') {
        *flags |= IS_EXPONENT;
        p++;
        if (p < end && (*p == '+' || *p == '-')) p++;
        const byte *first = p;
        while (p < end && is_digit(*p)) p++;
        if (p < end && p == first) return INVALID;
    }
    if (p >= end) return MORE;
    *at = p;
    return GOOD;
}

static int skip_literal(const byte **at, const byte *end) {
    const byte *p = *at;
    const char *word = *p == 't' ? "true" : *p == 'f' ? "false" : "null";
    ptrdiff_t n = *p == 'f' ? 5 : 4, n_left = end - p;
    if (memcmp(p, word, (size_t)(n_left < n ? n_left : n)) != 0) return INVALID;
    if (n_left < n) return MORE;
    *at = p + n;
    return GOOD;
}

/* Skips what is neither an object nor an array. */
static int skip_scalar(const byte **at, const byte *end, byte *kind, byte *flags) {
    byte c = **at;
    *flags = 0;
    if (c == '"') {
        *kind = STRING;
        return skip_string(at, end, flags);
    }
    if (c == '-' || is_digit(c)) {
        *kind = NUMBER;
        return skip_number(at, end, flags);
    }
    if (c == 't' || c == 'f' || c == 'n') {
        *kind = LITERAL;
        return skip_literal(at, end);
    }
    return INVALID;
}

/* Skips a key of an object and the colon behind it, to the value. */
static int skip_key(const byte **at, const byte *end, const byte **key_end, byte *flags) {
    const byte *p = *at;
    if (p >= end) return MORE;
    if (*p != '"') return INVALID;
    int status = skip_string(&p, end, flags);
    if (status != GOOD) return status;
    *key_end = p - 1;
    p = skip_blank(p, end);
    if (p >= end) return MORE;
    if (*p != ':') return INVALID;
    p = skip_blank(p + 1, end);
    if (p >= end) return MORE;
    *at = p;
    return GOOD;
}

static int field_of(const byte *key, ptrdiff_t n) {
    switch (n) {
    case 1:
        return *key == 's' ? F_SCOPE : -1;
    case 2:
        if (key[0] == 'p' && key[1] == 'h') return F_PH;
        if (key[0] == 't' && key[1] == 's') return F_TS;
        if (key[0] == 'i' && key[1] == 'd') return F_ID;
        return key[0] == 'b' && key[1] == 'p' ? F_BP : -1;
    case 3:
        if (memcmp(key, "cat", 3) == 0) return F_CAT;
        if (memcmp(key, "pid", 3) == 0) return F_PID;
        if (memcmp(key, "tid", 3) == 0) return F_TID;
        return memcmp(key, "dur", 3) == 0 ? F_DUR : -1;
    case 4:
        if (memcmp(key, "name", 4) == 0) return F_NAME;
        return memcmp(key, "args", 4) == 0 ? F_ARGS : -1;
    default:
        return -1;
    }
}

/* The text from a value, or the brace of its object, to the next value of the object: blanks, a
 * comma, a key, a colon. Writers repeat few of them in few orders, so that a text that was valid
 * once is compared with what followed the same text before, and skipped whole. */
enum { LEAD_WORDS = 4, MAX_LEAD = 8 * LEAD_WORDS, MAX_LEADS = 64, N_NEXT = 2, NO_LEAD = -1 };

typedef struct {
    uint64_t words[LEAD_WORDS], masks[LEAD_WORDS];
    int n_bytes;
    int field;        /* of the key; -1 if it has no column */
    int next[N_NEXT]; /* the leads that followed, last first; or NO_LEAD */
} Lead;

typedef struct {
    Lead leads[MAX_LEADS + 1]; /* the last one precedes each event */
    int n;
    int at; /* the lead that was skipped last */
} Leads;

static void start_leads(Leads *leads) {
    Lead *first = &leads->leads[MAX_LEADS];
    leads->n = 0;
    first->next[0] = first->next[1] = NO_LEAD;
}

static inline int is_lead(const Lead *lead, const byte *p) {
    uint64_t word, differs = 0;
    for (int i = 0; i < LEAD_WORDS; i++) {
        memcpy(&word, p + 8 * i, 8);
        differs |= (word ^ lead->words[i]) & lead->masks[i];
    }
    return !differs;
}

/* Skips a lead that followed the last one before, and the blanks behind it; NULL for others.
 * `is_open`: at the brace of an object, not behind a value. */
static inline const byte *skip_lead(Leads *leads, const byte *p, const byte *end, int is_open) {
    if (end - p <= MAX_LEAD || (*p == '{') != is_open) return NULL;
    int *next = leads->leads[leads->at].next;
    for (int i = 0; i < N_NEXT && next[i] != NO_LEAD; i++) {
        Lead *lead = &leads->leads[next[i]];
        if (!is_lead(lead, p)) continue;
        leads->at = next[i];
        if (i) {
            next[1] = next[0];
            next[0] = leads->at;
        }
        p = skip_blank(p + lead->n_bytes, end);
        return p < end ? p : NULL;
    }
    return NULL;
}

/* Notes the lead in front of a value, which was found valid. */
static void note_lead(Leads *leads, const byte *start, const byte *value, int field) {
    ptrdiff_t n_bytes = value - start;
    byte text[MAX_LEAD] = {0}, mask[MAX_LEAD] = {0};
    int found = 0, *next = leads->leads[leads->at].next;
    if (n_bytes > MAX_LEAD) return;
    memcpy(text, start, (size_t)n_bytes);
    memset(mask, 0xFF, (size_t)n_bytes);
    for (; found < leads->n; found++) {
        Lead *each = &leads->leads[found];
        if (each->n_bytes == n_bytes && memcmp(each->words, text, MAX_LEAD) == 0) break;
    }
    if (found == MAX_LEADS) return;
    if (found == leads->n) {
        Lead *lead = &leads->leads[leads->n++];
        memcpy(lead->words, text, MAX_LEAD);
        memcpy(lead->masks, mask, MAX_LEAD);
        lead->n_bytes = (int)n_bytes;
        lead->field = field;
        lead->next[0] = lead->next[1] = NO_LEAD;
    }
    if (next[0] != found) {
        next[1] = next[0];
        next[0] = found;
    }
    leads->at = found;
}

/* Skips an object or array at its bracket, without recursion: a bit for each open one. */
static int skip_container(Leads *leads, const byte **at, const byte *end) {
    uint64_t is_object[MAX_DEPTH / 64];
    int depth = -1, status;
    const byte *p = *at, *lead, *skipped, *key_end;
    byte kind, flags;
open:
    if (++depth >= MAX_DEPTH) return INVALID;
    lead = p;
    is_object[depth >> 6] &= ~(UINT64_C(1) << (depth & 63));
    if (*p == '{') {
        is_object[depth >> 6] |= UINT64_C(1) << (depth & 63);
        if ((skipped = skip_lead(leads, p, end, 1)) != NULL) {
            p = skipped;
            goto value;
        }
    }
    p = skip_blank(p + 1, end);
    if (p >= end) return MORE;
    if (*p == (is_object[depth >> 6] >> (depth & 63) & 1 ? '}' : ']')) goto close;
item:
    if (is_object[depth >> 6] >> (depth & 63) & 1) {
        const byte *key = p + 1;
        status = skip_key(&p, end, &key_end, &flags);
        if (status != GOOD) return status;
        note_lead(leads, lead, p, flags & HAS_ESCAPE ? -1 : field_of(key, key_end - key));
    }
    if (p >= end) return MORE;
value:
    if (*p == '{' || *p == '[') goto open;
    status = skip_scalar(&p, end, &kind, &flags);
    if (status != GOOD) return status;
next:
    lead = p;
    if (is_object[depth >> 6] >> (depth & 63) & 1
        && (skipped = skip_lead(leads, p, end, 0)) != NULL) {
        p = skipped;
        goto value;
    }
    p = skip_blank(p, end);
    if (p >= end) return MORE;
    if (*p == ',') {
        p = skip_blank(p + 1, end);
        goto item;
    }
    if (*p != (is_object[depth >> 6] >> (depth & 63) & 1 ? '}' : ']')) return INVALID;
close:
    p++;
    if (--depth >= 0) goto next;
    *at = p;
    return GOOD;
}

/* Nanoseconds of a number in microseconds by moving its point; 0 if stage.sql must decide. */
static int to_nanoseconds(const Value *v, int style, int64_t *ns) {
    const byte *p = v->start;
    int is_negative = *p == '-', n_decimals = 0, n_digits = 0;
    uint64_t value = 0;
    if (v->flags & (IS_EXPONENT | IS_NEGATIVE_ZERO) || v->end - p > 20) return 0;
    for (p += is_negative; p < v->end && *p != '.'; p++, n_digits++) value = value * 10 + *p - '0';
    if (p < v->end) {
        n_decimals = (int)(v->end - p) - 1;
        n_digits += n_decimals;
        for (p++; p < v->end; p++) value = value * 10 + *p - '0';
    }
    if (n_decimals > 3 || n_digits + 3 - n_decimals > 19) return 0;
    int is_zero_last = v->end[-1] == '0';
    int styles = n_decimals == 0 ? SHORTEST
        : n_decimals == 3 && !is_zero_last ? ANY_STYLE
        : n_decimals == 3 ? FIXED
        : !is_zero_last ? SHORTEST_FLOAT | SHORTEST
        : n_decimals == 1 ? SHORTEST_FLOAT : 0;
    if (!(styles & style)) return 0;
    static const uint64_t scale[] = {1000, 100, 10, 1};
    value *= scale[n_decimals]; /* below 10^19 < 2^64 */
    if (value > MAX_NS) return 0;
    *ns = (int64_t)value;
    if (is_negative) *ns = -*ns;
    return 1;
}

/* Whether a text is certain to have been a string: JSON functions return numbers as text too. */
static int is_certain_text(const Value *v) {
    const byte *text = v->start + 1;
    ptrdiff_t n = v->end - v->start - 2;
    if (n == 0) return 1;
    if (is_digit(*text) || *text == '-' || *text == '{' || *text == '[') return 0;
    return !(n == 4 && memcmp(text, "true", 4) == 0) && !(n == 5 && memcmp(text, "false", 5) == 0);
}

/* Whether a pid, tid or id is printed by the JSON functions as it is written. */
static int is_exact(const Value *v) {
    if (v->kind == STRING) return !(v->flags & HAS_ESCAPE);
    return v->kind == NUMBER && !v->flags && v->end - v->start <= 18;
}

static int is_zero(const Value *v) { return v->end - v->start == 1 && *v->start == '0'; }

static int contains_negative_zero(const byte *p, const byte *end) {
    while ((p = memchr(p, '-', (size_t)(end - p))) != NULL) {
        if (++p < end && *p == '0') return 1;
    }
    return 0;
}

/* The position of the phase in "XiIstf"; -1 for phases that have no columns. */
static int phase_of(const Value *v) {
    if (v->kind != STRING || v->end - v->start != 3) return -1;
    switch (v->start[1]) {
    case 'X': return 0;
    case 'i': return 1;
    case 'I': return 2;
    case 's': return 3;
    case 't': return 4;
    case 'f': return 5;
    default: return -1;
    }
}

/* Whether columns hold all of an event; mirrors the end of stage.sql. */
static int is_plain(const Value *v, unsigned seen, const State *s, const byte *start,
                    const byte *end, int *phase, int64_t *ts, int64_t *dur) {
    unsigned needed = 1u << F_PH | 1u << F_TS | 1u << F_NAME;
    if ((seen & needed) != needed) return 0;
    *phase = phase_of(&v[F_PH]);
    if (*phase < 0 || (*phase == 0) != (seen >> F_DUR & 1)) return 0;
    if (*phase > 2 && seen & (1u << F_ARGS | 1u << F_SCOPE)) return 0;
    if (seen >> F_PID & 1 && !(seen >> F_TID & 1)) return 0;
    static const int texts[] = {F_NAME, F_CAT, F_SCOPE, F_BP}, exact[] = {F_PID, F_TID, F_ID};
    for (int i = 0; i < 4; i++) {
        const Value *text = &v[texts[i]];
        if (!(seen >> texts[i] & 1)) continue;
        if (text->kind != STRING || text->flags & HAS_ESCAPE || !is_certain_text(text)) return 0;
    }
    int has_zero = 0;
    for (int i = 0; i < 3; i++) {
        if (!(seen >> exact[i] & 1)) continue;
        if (!is_exact(&v[exact[i]])) return 0;
        has_zero |= is_zero(&v[exact[i]]);
    }
    if (seen >> F_ARGS & 1 && v[F_ARGS].kind != OBJECT) return 0;
    if (v[F_TS].kind != NUMBER || !to_nanoseconds(&v[F_TS], s->ts_style, ts)) return 0;
    if (*phase == 0 && (v[F_DUR].kind != NUMBER || !to_nanoseconds(&v[F_DUR], s->dur_style, dur)))
        return 0;
    return !(has_zero && contains_negative_zero(start, end));
}

/* Makes the rows those of `before`, whose buffers are the same. Codes may stay in dictionaries. */
static void restore(Rows *r, const Rows *before) {
    r->n = before->n;
    r->n_other = before->n_other;
    r->n_dur_null = before->n_dur_null;
    r->id.n_null = before->id.n_null;
    r->args.n_null = before->args.n_null;
    for (int i = 0; i < N_DICTIONARIES; i++)
        r->dictionaries[i].n_null = before->dictionaries[i].n_null;
}

static void set_bit(byte *bits, int64_t n, int is_set) {
    byte mask = (byte)(1 << (n & 7));
    bits[n >> 3] = (byte)(is_set ? bits[n >> 3] | mask : bits[n >> 3] & ~mask);
}

static uint32_t hash(const byte *p, size_t n) {
    uint64_t h = n * UINT64_C(0x9E3779B97F4A7C15), word;
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&word, p, 8);
        h = (h ^ word) * UINT64_C(0xFF51AFD7ED558CCD);
        h ^= h >> 32;
    }
    if (n) {
        word = 0;
        memcpy(&word, p, n);
        h = (h ^ word) * UINT64_C(0xFF51AFD7ED558CCD);
    }
    return (uint32_t)(h ^ h >> 29 ^ h >> 47);
}

static inline int is_code(const Dictionary *d, int32_t code, const byte *text, size_t n) {
    int32_t start = d->offsets[code];
    return (size_t)(d->offsets[code + 1] - start) == n && memcmp(d->texts + start, text, n) == 0;
}

/* The code of a text, added if it is new. The caller has checked that there is room. */
static int32_t code_of(Dictionary *d, const byte *text, size_t n) {
    if (d->last >= 0 && is_code(d, d->last, text, n)) return d->last;
    uint32_t h = hash(text, n), mask = (uint32_t)d->n_slots - 1, at = h & mask;
    for (; d->slots[at]; at = (at + 1) & mask) {
        int32_t code = d->slots[at] - 1;
        if (d->hashes[code] == h && is_code(d, code, text, n)) return d->last = code;
    }
    int32_t code = d->n++;
    d->slots[at] = code + 1;
    d->hashes[code] = h;
    memcpy(d->texts + d->offsets[code], text, n);
    d->offsets[code + 1] = d->offsets[code] + (int32_t)n;
    return d->last = code;
}

static void put_code(Dictionary *d, int64_t row, const Value *v, int is_given, int is_quoted) {
    set_bit(d->is_valid, row, is_given);
    d->n_null += !is_given;
    int cut = is_given && v->kind == STRING && !is_quoted;
    d->codes[row] = is_given
        ? code_of(d, v->start + cut, (size_t)(v->end - v->start) - 2 * (size_t)cut) : 0;
}

static void put_text(Texts *t, int64_t row, const Value *v, int is_given) {
    int32_t at = t->offsets[row], n = is_given ? (int32_t)(v->end - v->start) : 0;
    set_bit(t->is_valid, row, is_given);
    t->n_null += !is_given;
    if (n) memcpy(t->texts + at, v->start, (size_t)n);
    t->offsets[row + 1] = at + n;
}

/* Whether one more event fits, whose texts are within `n` bytes. */
static int has_room(const Rows *r, int64_t n) {
    if (r->n >= r->n_max || r->id.offsets[r->n] + n > r->id.n_text_bytes
        || r->args.offsets[r->n] + n > r->args.n_text_bytes) return 0;
    for (int i = 0; i < N_DICTIONARIES; i++) {
        const Dictionary *d = &r->dictionaries[i];
        if (d->offsets[d->n] + n > d->n_text_bytes || 2 * ((int64_t)d->n + 1) > d->n_slots) return 0;
    }
    return 1;
}

static void put_row(Rows *r, const Value *v, unsigned seen, int64_t seq, int phase, int64_t ts,
                    int64_t dur) {
    int64_t row = r->n++;
    r->seq[row] = seq;
    r->ts[row] = ts;
    r->phases[row] = phase;
    r->dur[row] = phase == 0 ? dur : 0;
    set_bit(r->dur_is_valid, row, phase == 0);
    r->n_dur_null += phase != 0;
    for (int i = 0; i < N_DICTIONARIES; i++)
        put_code(&r->dictionaries[i], row, &v[i], seen >> i & 1, i == PID || i == TID);
    put_text(&r->id, row, &v[F_ID], seen >> F_ID & 1);
    put_text(&r->args, row, &v[F_ARGS], seen >> F_ARGS & 1);
}

/* Reads the event at `*at`, an opening brace; adds a row or an entry of `other`. */
static int read_event(Rows *r, State *s, Leads *leads, const byte *block, const byte **at,
                      const byte *end) {
    const byte *start = *at, *p = start, *key, *key_end, *skipped;
    Value values[N_FIELDS];
    unsigned seen = 0;
    int is_odd = 0, status, field;
    byte flags;
    leads->at = MAX_LEADS;
    for (;;) {
        const byte *lead = p;
        if ((skipped = skip_lead(leads, p, end, p == start)) != NULL) {
            p = skipped;
            field = leads->leads[leads->at].field;
        } else {
            p = skip_blank(p, end);
            if (p >= end) return MORE;
            if (*p == '}') break;
            if (*p != (lead == start ? '{' : ',')) return INVALID;
            p = skip_blank(p + 1, end);
            if (p >= end) return MORE;
            if (*p == '}' && lead == start) {
                is_odd = 1;
                break;
            }
            key = p + 1;
            status = skip_key(&p, end, &key_end, &flags);
            if (status != GOOD) return status;
            field = flags & HAS_ESCAPE ? -1 : field_of(key, key_end - key);
            note_lead(leads, lead, p, field);
        }
        Value ignored, *v = field < 0 || seen >> field & 1 ? &ignored : &values[field];
        is_odd |= v == &ignored;
        v->start = p;
        v->flags = 0;
        v->kind = *p;
        status = *p == '{' || *p == '[' ? skip_container(leads, &p, end)
                                        : skip_scalar(&p, end, &v->kind, &v->flags);
        if (status != GOOD) return status;
        v->end = p;
        if (field >= 0) seen |= 1u << field;
    }
    p++;
    int phase;
    int64_t ts, dur = 0;
    if (!is_odd && is_plain(values, seen, s, start, p, &phase, &ts, &dur)
        && p - start <= r->n_event_max) {
        if (!has_room(r, p - start)) return FULL;
        put_row(r, values, seen, s->seq, phase, ts, dur);
    } else {
        if (r->n_other >= r->n_other_max) return FULL;
        r->other_seq[r->n_other] = s->seq;
        r->other_start[r->n_other] = start - block;
        r->other_end[r->n_other++] = p - block;
    }
    s->seq++;
    *at = p;
    return GOOD;
}

static int read_events(Rows *r, State *s, const byte *block, int64_t n_bytes) {
    const byte *p = block, *end = block + n_bytes;
    Leads leads;
    start_leads(&leads);
    for (;;) {
        p = skip_blank(p, end);
        s->n_consumed = p - block;
        if (p >= end) return MORE;
        if (*p == ']') {
            if (s->after_comma) return INVALID;
            s->n_consumed++;
            return CLOSED;
        }
        if (!s->is_first && !s->after_comma) {
            if (*p != ',') return INVALID;
            p++;
            s->after_comma = 1;
            continue;
        }
        if (*p != '{') return INVALID;
        int status = read_event(r, s, &leads, block, &p, end);
        if (status != GOOD) return status;
        s->is_first = s->after_comma = 0;
    }
}

EXPORT const char *tw_source_sha256(void) { return TW_SOURCE_SHA256; }

/* Reads the whole events in a block of the array's content, which begins between two events.
 *
 * Returns MORE if the block ends before the array does; CLOSED with the bytes up to and including
 * the bracket; FULL if there is no room for another row; INVALID, with rows and state unchanged, if
 * the block is not JSON. `n_consumed` ends behind an event or comma and its blanks.
 */
EXPORT int tw_read(Rows *r, State *s, const byte *block, int64_t n_bytes) {
    Rows rows_before = *r;
    State before = *s;
    int status = read_events(r, s, block, n_bytes);
    if (status == INVALID) {
        restore(r, &rows_before);
        *s = before;
        s->n_consumed = 0;
    }
    return status;
}
