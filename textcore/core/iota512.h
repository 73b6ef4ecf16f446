/* The numbers 0 to 63, each in a byte: places in 64 bytes. */
#ifndef TEXTCORE_IOTA512_H
#define TEXTCORE_IOTA512_H

/* A macro, since functions for different sets of instructions use it. */
#define TC_IOTA_512                                                                              \
    _mm512_set_epi64(0x3F3E3D3C3B3A3938, 0x3736353433323130, 0x2F2E2D2C2B2A2928,                 \
                     0x2726252423222120, 0x1F1E1D1C1B1A1918, 0x1716151413121110,                 \
                     0x0F0E0D0C0B0A0908, 0x0706050403020100)

#endif
