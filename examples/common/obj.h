/* obj.h - points and triangles of a mesh in a Wavefront OBJ or STL file (text or binary): what hulls and hierarchies are made from
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     obj_mesh m = obj_read("part.obj");                       malloc; NULL v: it cannot be read
 *     dc_hull hull = {m.v, m.n, 0};                            or dc_bsh_build(m.v, m.n, m.face, m.faces, ..)
 *     obj_free(&m);
 *
 * Of an OBJ file lines v and f are read, faces of any number of corners as fans, indices from 1 or from the end; normals, textures and
 * materials are left out. Points of an STL file that are equal are one. Include it after dc_contact.h. */
#ifndef OBJ_H_INCLUDED
#define OBJ_H_INCLUDED

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { dc_v3 *v; int *face, n, faces, room, face_room; } obj_mesh;

static inline void obj_free(obj_mesh *m)
{
    free(m->v);
    free(m->face);
    memset(m, 0, sizeof *m);
}

static inline int obj_point(obj_mesh *m, dc_v3 p)
{
    if (m->n == m->room) {
        const int    room = m->room ? 2*m->room : 64;
        dc_v3 *const v = (dc_v3 *)realloc(m->v, (size_t)room*sizeof *v);
        if (!v) return -1;
        m->v = v;
        m->room = room;
    }
    m->v[m->n] = p;
    return m->n++;
}

static inline int obj_face(obj_mesh *m, int a, int b, int c)
{
    if (m->faces == m->face_room) {
        const int  room = m->face_room ? 2*m->face_room : 64;
        int *const face = (int *)realloc(m->face, 3*(size_t)room*sizeof *face);
        if (!face) return 0;
        m->face = face;
        m->face_room = room;
    }
    m->face[3*m->faces] = a;
    m->face[3*m->faces + 1] = b;
    m->face[3*m->faces++ + 2] = c;
    return 1;
}

/* The number of a point that is there already, or a new one. */
static inline int obj_same(obj_mesh *m, dc_v3 p)
{
    int i;
    for (i = 0; i < m->n; i++) if (m->v[i].x == p.x && m->v[i].y == p.y && m->v[i].z == p.z) return i;
    return obj_point(m, p);
}

static inline int obj_text(FILE *f, obj_mesh *m)
{
    char line[4096];

    while (fgets(line, sizeof line, f)) {
        double x, y, z;
        char  *at = line + 1;
        if (sscanf(line, "v %lf %lf %lf", &x, &y, &z) == 3) {
            if (obj_point(m, dc_vec((dc_real)x, (dc_real)y, (dc_real)z)) < 0) return 0;
        } else if (line[0] == 'f' && (line[1] == ' ' || line[1] == '\t')) {
            int corner[3] = {-1, -1, -1}, k = 0;
            for (;;) {
                char *end;
                long  i = strtol(at, &end, 10);
                if (end == at) break;
                i = i < 0 ? m->n + i : i - 1;
                if (i < 0 || i >= m->n) return 0;
                corner[k < 2 ? k : 2] = (int)i;
                if (++k > 2) {
                    if (!obj_face(m, corner[0], corner[1], corner[2])) return 0;
                    corner[1] = corner[2];
                }
                for (at = end; *at && *at != ' ' && *at != '\t' && *at != '\n'; at++) { }       /* texture and normal */
            }
        }
    }
    return m->n > 0;
}

static inline int obj_stl_text(FILE *f, obj_mesh *m)
{
    char line[512];
    int  corner[3], k = 0;

    while (fgets(line, sizeof line, f)) {
        double x, y, z;
        if (sscanf(line, " vertex %lf %lf %lf", &x, &y, &z) != 3) continue;
        corner[k] = obj_same(m, dc_vec((dc_real)x, (dc_real)y, (dc_real)z));
        if (corner[k] < 0) return 0;
        if (++k == 3 && !obj_face(m, corner[0], corner[1], corner[2])) return 0;
        k %= 3;
    }
    return m->faces > 0 && k == 0;
}

/* 80 bytes, a count, then for each triangle twelve little-endian floats, the first three its normal, and two bytes. */
static inline int obj_stl_binary(FILE *f, obj_mesh *m)
{
    unsigned char b[84];
    uint32_t      count, t;

    rewind(f);
    if (fread(b, 84, 1, f) != 1) return 0;
    count = b[80] | (uint32_t)b[81] << 8 | (uint32_t)b[82] << 16 | (uint32_t)b[83] << 24;
    for (t = 0; t < count; t++) {
        int   corner[3], k, c;
        float x[12];
        if (fread(b, 50, 1, f) != 1) return 0;
        for (k = 0; k < 12; k++) {
            const uint32_t bits = b[4*k] | (uint32_t)b[4*k + 1] << 8 | (uint32_t)b[4*k + 2] << 16 | (uint32_t)b[4*k + 3] << 24;
            memcpy(&x[k], &bits, sizeof bits);
        }
        for (c = 0; c < 3; c++) {
            corner[c] = obj_same(m, dc_vec((dc_real)x[3*c + 3], (dc_real)x[3*c + 4], (dc_real)x[3*c + 5]));
            if (corner[c] < 0) return 0;
        }
        if (!obj_face(m, corner[0], corner[1], corner[2])) return 0;
    }
    return m->faces > 0;
}

/* By the end of the name, .stl or anything else; a text STL begins with "solid" and has facets. */
static inline obj_mesh obj_read(const char *file)
{
    obj_mesh    m = DC_ZERO;
    FILE       *f = fopen(file, "rb");
    const char *dot = strrchr(file, '.');
    int         ok = 0;

    if (f) {
        if (dot && (strcmp(dot, ".stl") == 0 || strcmp(dot, ".STL") == 0)) {
            char word[6] = {0};
            ok = fread(word, 5, 1, f) == 1 && strcmp(word, "solid") == 0 && obj_stl_text(f, &m);
            if (!ok) {
                obj_free(&m);
                ok = obj_stl_binary(f, &m);
            }
        } else ok = obj_text(f, &m);
        (void)fclose(f);
    }
    if (!ok) obj_free(&m);
    return m;
}

#endif /* OBJ_H_INCLUDED */
