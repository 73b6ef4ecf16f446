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

/* What is to be covered: a place has `states[second[a][b]][c]` before it, numbers below sixteen,
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

/* Make each set of a product as large as the others allow, one after the other. */
static inline void tc_grow_product(const tc_verdicts *v, tc_product *product) {
    const uint32_t before = v->plain | 1u << TC_OUTSIDE;
    uint16_t *sets = product->sets;
    uint32_t thirds = 0, seconds = 0, grown, reached;
    /* The states from which what follows is allowed, and those from which these come. */
    for (int state = 0; state < 16; state++) {
        int all = 1;
        TC_EACH(d, sets[3]) all &= (sets[4] & ~v->may[state][d]) == 0;
        thirds |= (uint32_t)all << state;
    }
    for (int state = 0; state < 16; state++) {
        int all = 1;
        TC_EACH(c, sets[2]) all &= tc_goes_to(v, state, c, thirds);
        seconds |= (uint32_t)all << state;
    }
    grown = 0;
    TC_EACH(a, before) {
        int all = 1;
        TC_EACH(b, sets[1]) all &= tc_leads_to(v, a, b, seconds);
        grown |= (uint32_t)all << a;
    }
    sets[0] = (uint16_t)grown;
    grown = reached = 0;
    TC_EACH(b, before) {
        int all = 1;
        TC_EACH(a, sets[0]) all &= tc_leads_to(v, a, b, seconds);
        grown |= (uint32_t)all << b;
    }
    sets[1] = (uint16_t)grown;
    TC_EACH(a, sets[0])
        TC_EACH(b, sets[1])
            if (tc_can_follow(a, b)) reached |= 1u << v->second[a << 4 | b];
    grown = 0;
    TC_EACH(c, before) {
        int all = 1;
        TC_EACH(state, reached) all &= tc_goes_to(v, state, c, thirds);
        grown |= (uint32_t)all << c;
    }
    sets[2] = (uint16_t)grown;
    thirds = 0;
    TC_EACH(state, reached)
        TC_EACH(c, sets[2])
            if (c != TC_OUTSIDE || state == v->second[TC_OUTSIDE << 4 | TC_OUTSIDE])
                thirds |= 1u << v->third[state << 4 | c];
    grown = 0;
    TC_EACH(d, v->plain) {
        int all = 1;
        TC_EACH(state, thirds) all &= (sets[4] & ~v->may[state][d]) == 0;
        grown |= (uint32_t)all << d;
    }
    sets[3] = (uint16_t)grown;
    grown = 0xFFFF;
    TC_EACH(state, thirds)
        TC_EACH(d, sets[3]) grown &= v->may[state][d];
    sets[4] = (uint16_t)grown;
}

static inline void tc_join_product(tc_product *product, const tc_product *other) {
    for (int i = 0; i < TC_AROUND; i++) product->sets[i] |= other->sets[i];
}

/* Add products that hold every place of `v` and none that it does not allow. Where there is no room
 * for more, what is left goes to `rest`, which holds more than that. `left` is scratch memory. */
static inline void tc_cover_all(tc_cover *cover, const tc_verdicts *v, tc_product *rest,
                                uint16_t (*left)[16][16][16]) {
    const uint32_t before = v->plain | 1u << TC_OUTSIDE;
    TC_EACH(a, before) TC_EACH(b, before) TC_EACH(c, before) {
        int can = tc_can_follow(a, b) && tc_can_follow(b, c);
        int state = v->third[v->second[a << 4 | b] << 4 | c];
        if (can)
            memcpy(left[a][b][c], v->must[state], sizeof(v->must[state]));
        else
            memset(left[a][b][c], 0, sizeof(left[a][b][c]));
    }
    TC_EACH(a, before) TC_EACH(b, before) TC_EACH(c, before) TC_EACH(d, v->plain) {
        while (left[a][b][c][d]) {
            uint16_t e = left[a][b][c][d];
            tc_product made = {{(uint16_t)(1 << a), (uint16_t)(1 << b), (uint16_t)(1 << c),
                                (uint16_t)(1 << d), (uint16_t)(e & -e)}};
            tc_grow_product(v, &made);
            if (cover->count < TC_PRODUCTS - 1)
                cover->products[cover->count++] = made;
            else
                tc_join_product(rest, &made);
            TC_EACH(i, made.sets[0]) TC_EACH(j, made.sets[1]) TC_EACH(k, made.sets[2])
                TC_EACH(l, made.sets[3]) left[i][j][k][l] &= (uint16_t)~made.sets[4];
        }
    }
}

/* Which groups of characters there are, `plain`, and those that runs of spaces are, `runs`; the
 * tables are those of windows.h. */
static inline void tc_make_cover(tc_cover *cover, const uint8_t *second, const uint8_t *third,
                                 const uint8_t *right, const uint8_t *verdicts, uint16_t plain,
                                 uint16_t runs, int space, uint16_t (*left)[16][16][16]) {
    const uint32_t after = plain | runs | 1u << TC_OUTSIDE;
    tc_product rest = {{0, 0, 0, 0, 0}};
    tc_verdicts v;
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
        tc_cover_all(cover, &v, &rest, left);
        if (!unknown) cover->cuts = cover->count;
    }
    if (rest.sets[0]) cover->products[cover->count++] = rest;
    /* Elsewhere than behind a place, a space is a space, whatever its run is. */
    for (int i = 0; i < cover->count; i++)
        for (int at = 0; at < TC_AROUND - 1; at++)
            if (cover->products[i].sets[at] >> space & 1) cover->products[i].sets[at] |= runs;
}

#endif
