/* The surroundings that decide, as products: a place is a cut if each of the five groups around it
 * is one of those that some product has there, and unknown by other products.
 *
 * Eight products are a byte for each group, and a place has those that five such bytes have in
 * common. Most patterns need two dozen, so that is little work: see windows.h. */
#ifndef TEXTCORE_COVERS_H
#define TEXTCORE_COVERS_H

#include <stdint.h>
#include <string.h>

enum {
    TC_AROUND = 5,    /* groups around a place: three before it, and two from it on */
    TC_PRODUCTS = 64, /* at most */
    TC_LAYERS = TC_PRODUCTS / 8,
    TC_OUTSIDE = 15   /* the group of what is not text */
};

/* For each of the groups around a place a set of groups. */
typedef struct {
    uint16_t sets[TC_AROUND];
} tc_product;

typedef struct {
    tc_product products[TC_PRODUCTS];
    int cuts;  /* so many, the first, say that there is a cut, */
    int count; /* and the others up to here that it is not known */
} tc_cover;

/* What is to be covered: a place has a state before it, `third[second[a][b]][c]`, below sixteen,
 * and for each of those and the group `d` sets of groups `e`. */
typedef struct {
    const uint8_t *second, *third;
    uint16_t plain;         /* the groups of characters */
    uint16_t may[16][16];   /* with which a product may hold the place; what can't be, too */
    uint16_t must[16][16];  /* with which one must */
} tc_verdicts;

/* Nothing but the outside is before the outside. */
static inline int tc_can_follow(int before, int group) {
    return group != TC_OUTSIDE || before == TC_OUTSIDE;
}

/* Whether the state after `state` and a group is one of `states`, or can't be. */
static inline int tc_goes_to(const tc_verdicts *v, int state, int group, uint32_t states) {
    if (group == TC_OUTSIDE && state != v->second[TC_OUTSIDE << 4 | TC_OUTSIDE]) return 1;
    return states >> v->third[state << 4 | group] & 1;
}

static inline int tc_leads_to(const tc_verdicts *v, int a, int b, uint32_t states) {
    return !tc_can_follow(a, b) || (states >> v->second[a << 4 | b] & 1);
}

#define TC_EACH(member, set) \
    for (int member = 0; member < 16; member++) \
        if ((set) >> member & 1)

/* Make each set of a product as large as the others allow, the last one first. */
static inline void tc_grow_product(const tc_verdicts *v, tc_product *product) {
    const uint32_t before = v->plain | 1u << TC_OUTSIDE;
    uint16_t *sets = product->sets;
    uint32_t seconds = 0, thirds = 0, grown = 0xFFFF;
    /* The states that there are, */
    TC_EACH(a, sets[0])
        TC_EACH(b, sets[1])
            if (tc_can_follow(a, b)) seconds |= 1u << v->second[a << 4 | b];
    TC_EACH(state, seconds)
        TC_EACH(c, sets[2])
            if (c != TC_OUTSIDE || state == v->second[TC_OUTSIDE << 4 | TC_OUTSIDE])
                thirds |= 1u << v->third[state << 4 | c];
    TC_EACH(state, thirds)
        TC_EACH(d, sets[3]) grown &= v->may[state][d];
    sets[4] = (uint16_t)grown;
    grown = 0;
    TC_EACH(d, v->plain) {
        int all = 1;
        TC_EACH(state, thirds) all &= (sets[4] & ~v->may[state][d]) == 0;
        grown |= (uint32_t)all << d;
    }
    sets[3] = (uint16_t)grown;
    /* and those that there may be. */
    thirds = 0;
    for (int state = 0; state < 16; state++) {
        int all = 1;
        TC_EACH(d, sets[3]) all &= (sets[4] & ~v->may[state][d]) == 0;
        thirds |= (uint32_t)all << state;
    }
    grown = 0;
    TC_EACH(c, before) {
        int all = 1;
        TC_EACH(state, seconds) all &= tc_goes_to(v, state, c, thirds);
        grown |= (uint32_t)all << c;
    }
    sets[2] = (uint16_t)grown;
    seconds = 0;
    for (int state = 0; state < 16; state++) {
        int all = 1;
        TC_EACH(c, sets[2]) all &= tc_goes_to(v, state, c, thirds);
        seconds |= (uint32_t)all << state;
    }
    grown = 0;
    TC_EACH(b, before) {
        int all = 1;
        TC_EACH(a, sets[0]) all &= tc_leads_to(v, a, b, seconds);
        grown |= (uint32_t)all << b;
    }
    sets[1] = (uint16_t)grown;
    grown = 0;
    TC_EACH(a, before) {
        int all = 1;
        TC_EACH(b, sets[1]) all &= tc_leads_to(v, a, b, seconds);
        grown |= (uint32_t)all << a;
    }
    sets[0] = (uint16_t)grown;
}

static inline void tc_join_product(tc_product *product, const tc_product *other) {
    for (int i = 0; i < TC_AROUND; i++) product->sets[i] |= other->sets[i];
}

/* For each three groups before a place and the next one, the groups `e` with which it is left to be
 * held; sixteen of these. */
typedef uint16_t tc_left[16][16][16];

/* All places of `v` are left. */
static inline void tc_leave_all(const tc_verdicts *v, tc_left *left) {
    const uint32_t before = v->plain | 1u << TC_OUTSIDE;
    TC_EACH(a, before) TC_EACH(b, before) TC_EACH(c, before) {
        if (tc_can_follow(a, b) && tc_can_follow(b, c))
            memcpy(left[a][b][c], v->must[v->third[v->second[a << 4 | b] << 4 | c]],
                   sizeof(left[a][b][c]));
        else
            memset(left[a][b][c], 0, sizeof(left[a][b][c]));
    }
}

/* What a product holds is left no more: whether any of it was. */
static inline int tc_hold(const tc_product *product, tc_left *left) {
    const uint16_t *sets = product->sets;
    uint32_t any = 0;
    TC_EACH(a, sets[0]) TC_EACH(b, sets[1]) TC_EACH(c, sets[2]) TC_EACH(d, sets[3]) {
        any |= left[a][b][c][d] & sets[4];
        left[a][b][c][d] &= (uint16_t)~sets[4];
    }
    return any != 0;
}

/* Products that hold every place of `v` and none that it does not allow: how many. Where there are
 * more than `room`, the others are joined in `rest`, which holds more than that. */
static inline int tc_find_products(const tc_verdicts *v, tc_product *products, int room,
                                   tc_product *rest, tc_left *left) {
    int count = 0;
    tc_leave_all(v, left);
    for (int at = 0xFFFF; at >= 0; at--) {
        const int a = at >> 12, b = at >> 8 & 15, c = at >> 4 & 15, d = at & 15;
        while (left[a][b][c][d]) {
            const uint16_t e = left[a][b][c][d];
            tc_product made = {{(uint16_t)(1 << a), (uint16_t)(1 << b), (uint16_t)(1 << c),
                                (uint16_t)(1 << d), (uint16_t)(e & -e)}};
            tc_grow_product(v, &made);
            tc_hold(&made, left);
            if (count < room)
                products[count++] = made;
            else
                tc_join_product(rest, &made);
        }
    }
    return count;
}

/* Drop products whose places others hold: how many are kept, in the opposite order. */
static inline int tc_keep_needed(const tc_verdicts *v, tc_product *products, int count,
                                 tc_left *left) {
    int kept = 0;
    tc_leave_all(v, left);
    for (int i = count - 1; i >= 0; i--) {
        tc_product product = products[i];
        if (!tc_hold(&product, left)) continue;
        /* Those that are kept are gathered at the end. */
        products[count - ++kept] = product;
    }
    for (int i = 0; i < kept; i++) products[i] = products[count - kept + i];
    for (int i = 0; i < kept / 2; i++) {
        tc_product product = products[i];
        products[i] = products[kept - 1 - i];
        products[kept - 1 - i] = product;
    }
    return kept;
}

/* Whether a product holds a place that none of `others`, bits for the first 64, does; `with`: for
 * each of the four groups and its place those that have it. */
static inline int tc_is_needed(const tc_verdicts *v, const tc_product *products, int number,
                               uint64_t others, uint64_t (*with)[16]) {
    const uint16_t *sets = products[number].sets;
    TC_EACH(a, sets[0]) TC_EACH(b, sets[1]) TC_EACH(c, sets[2]) TC_EACH(d, sets[3]) {
        uint64_t same = others & with[0][a] & with[1][b] & with[2][c] & with[3][d];
        uint32_t left = sets[4] & v->must[v->third[v->second[a << 4 | b] << 4 | c]][d];
        if (!left || !tc_can_follow(a, b) || !tc_can_follow(b, c)) continue;
        for (int i = 0; same; i++, same >>= 1)
            if (same & 1) left &= ~(uint32_t)products[i].sets[4];
        if (left) return 1;
    }
    return 0;
}

/* The same, looked at one by one: fewer are kept. Of those that come after the first 64 all are. */
static inline int tc_keep_fewest(const tc_verdicts *v, tc_product *products, int count) {
    const int some = count < 64 ? count : 64;
    uint64_t with[4][16] = {{0}}, others = some < 64 ? (1ull << some) - 1 : ~0ull;
    int kept = 0;
    for (int i = 0; i < some; i++)
        for (int at = 0; at < 4; at++)
            TC_EACH(group, products[i].sets[at]) with[at][group] |= 1ull << i;
    for (int i = 0; i < some; i++)
        if (!tc_is_needed(v, products, i, others & ~(1ull << i), with)) others &= ~(1ull << i);
    for (int i = 0; i < count; i++)
        if (i >= some || others >> i & 1) products[kept++] = products[i];
    return kept;
}

/* Which groups of characters there are, `plain`, and those that runs of spaces are, `runs`; the
 * tables are those of windows.h. */
static inline void tc_make_cover(tc_cover *cover, const uint8_t *second, const uint8_t *third,
                                 const uint8_t *right, const uint8_t *verdicts, uint16_t plain,
                                 uint16_t runs, int space, tc_left *left) {
    const uint32_t after = plain | runs | 1u << TC_OUTSIDE;
    tc_product rest = {{0, 0, 0, 0, 0}};
    tc_product found[4 * TC_PRODUCTS];
    tc_verdicts v;
    memset(left, 0, 16 * sizeof(*left));
    memset(cover, 0, sizeof(*cover));
    memset(&v, 0, sizeof(v));
    v.second = second;
    v.third = third;
    v.plain = plain;
    for (int unknown = 0; unknown < 2; unknown++) {
        for (int state = 0; state < 16; state++)
            TC_EACH(d, plain) {
                uint32_t may = ~after, must = 0;
                TC_EACH(e, after) {
                    int says = verdicts[state << 4 | right[d << 4 | e]];
                    /* Where a place is unknown, it is no matter whether it is a cut. */
                    may |= (uint32_t)(unknown ? says >> 1 & 1 : (says & 3) != 0) << e;
                    must |= (uint32_t)(unknown ? says >> 1 & 1 : (says & 3) == 1) << e;
                }
                v.may[state][d] = (uint16_t)may;
                v.must[state][d] = (uint16_t)must;
            }
        int count = tc_find_products(&v, found, 4 * TC_PRODUCTS, &rest, left);
        count = tc_keep_needed(&v, found, count, left);
        count = tc_keep_fewest(&v, found, count);
        for (int i = 0; i < count; i++) {
            if (cover->count < TC_PRODUCTS - 1)
                cover->products[cover->count++] = found[i];
            else
                tc_join_product(&rest, found + i);
        }
        if (!unknown) cover->cuts = cover->count;
    }
    if (rest.sets[0]) cover->products[cover->count++] = rest;
    /* Elsewhere than behind a place, a space is a space, whatever its run is. */
    for (int i = 0; i < cover->count; i++)
        for (int at = 0; at < TC_AROUND - 1; at++)
            if (cover->products[i].sets[at] >> space & 1) cover->products[i].sets[at] |= runs;
}

#endif
