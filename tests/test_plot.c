/* The pictures of plot.h, read back: well-formed, ticks and data where they belong, hostile input refused without a trace. */
#include "child.h"

#include "greatest.h"
#include "plot.h"
#include "support.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

GREATEST_MAIN_DEFS();

/* ---- reading a picture ---- */

static char directory[64];                                  /* of this program's files; empty between tests */
static char picture[128];                                   /* a file there */

/* The file as a string, to be freed; NULL if it cannot be read. */
static char *contents(const char *file)
{
    FILE  *f = fopen(file, "rb");
    char  *text = NULL;
    size_t n = 0, room = 0, got = 1;

    while (f && got > 0) {
        if (n + 1 >= room) {
            char *more = (char *)realloc(text, room = 2*room + 4096);
            if (!more) break;
            text = more;
        }
        got = fread(text + n, 1, room - 1 - n, f);
        n += got;
        text[n] = 0;
    }
    if (f) fclose(f);
    return text;
}

static int name_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || (c >= '0' && c <= '9');
}

/* Whether s is what XML allows of elements, attributes, text and the entities lt, gt, amp, all in UTF-8: one root, every
 * element closed in order, every attribute quoted and once in its element. */
static int well_formed(const char *s)
{
    const char *open[32], *attribute[32];
    int         depth = 0, roots = 0, n_attributes, i;

    while (*s) {
        if (*s != '<') {                                    /* text */
            const unsigned char *u = (const unsigned char *)s;
            int                  n = u[0] < 0x80 ? 1 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
            if ((u[0] < 0x20 && u[0] != '\n') || (u[0] >= 0x7f && u[0] < 0xc2) || u[0] > 0xf4) return 0;
            for (i = 1; i < n; i++) if ((u[i] & 0xc0) != 0x80) return 0;
            if (depth == 0 && *s != '\n') return 0;
            if (*s == '>') return 0;
            if (*s == '&' && strncmp(s, "&lt;", 4) && strncmp(s, "&gt;", 4) && strncmp(s, "&amp;", 5)) return 0;
            s += n;
        } else if (s[1] == '/') {                           /* end of an element */
            const char *name = s += 2;
            while (name_letter(*s)) s++;
            if (depth == 0 || strncmp(open[--depth], name, (size_t)(s - name)) != 0) return 0;
            if (name_letter(open[depth][s - name]) || *s++ != '>') return 0;
        } else {
            if (depth == 32 || (depth == 0 && roots++)) return 0;
            open[depth++] = ++s;
            if (!name_letter(*s)) return 0;
            while (name_letter(*s)) s++;
            n_attributes = 0;
            while (*s == ' ') {
                while (*s == ' ') s++;
                if (!name_letter(*s)) break;
                for (i = 0; i < n_attributes; i++) {
                    size_t length = strcspn(s, "=");
                    if (strncmp(attribute[i], s, length + 1) == 0) return 0;
                }
                if (n_attributes == 32) return 0;
                attribute[n_attributes++] = s;
                while (name_letter(*s)) s++;
                if (*s++ != '=' || *s++ != '"') return 0;
                while (*s && *s != '"' && *s != '<' && *s != '&') s++;
                if (*s++ != '"') return 0;
            }
            if (*s == '/') { depth--; s++; }
            if (*s++ != '>') return 0;
        }
    }
    return depth == 0 && roots == 1;
}

/* Finds the text that reads `words`, without its tspans, from *s on: 1, its position, and *s behind it. */
static int find_text(const char **s, const char *words, double *x, double *y)
{
    const char *t = *s;

    while ((t = strstr(t, "<text ")) != NULL) {
        const char *c = strchr(t, '>') + 1, *w = words;
        if (sscanf(t, "<text x=\"%lf\" y=\"%lf\"", x, y) != 2) return 0;
        while (strncmp(c, "</text>", 7) != 0) {
            if (*c == '<') { c = strchr(c, '>') + 1; continue; }
            if (!w || *c != *w) { w = NULL; c++; continue; }
            c++;
            w++;
        }
        t = c;
        if (w && *w == 0) { *s = c; return 1; }
    }
    return 0;
}

/* Where the only text that reads `words` stands. */
static int text_at(const char *s, const char *words, double x, double y)
{
    double tx = 0, ty = 0;
    int    found = find_text(&s, words, &tx, &ty);

    if (found && fabs(tx - x) < 0.06 && fabs(ty - y) < 0.06) return 1;
    printf("\n  text \"%s\" at (%g, %g), expected at (%g, %g)\n", words, tx, ty, x, y);
    return 0;
}

static int text_count(const char *s, const char *words)
{
    double x, y;
    int    n = 0;

    while (find_text(&s, words, &x, &y)) n++;
    return n;
}

/* The points of the paths that have this attribute: up to `most` of them, returns how many there are. */
static int points_of(const char *s, const char *attribute, double *x, double *y, int most)
{
    int n = 0;

    while ((s = strstr(s, "<path ")) != NULL) {
        const char *end = strchr(s, '>'), *has = strstr(s, attribute), *d = strstr(s, " d=\"") + 4;
        s = end;
        if (!has || has > end) continue;
        for (;;) {
            char  *next;
            double v;
            while (*d == 'M' || *d == 'L' || *d == 'Z' || *d == ' ') d++;
            if (*d == '"') break;
            v = strtod(d, &next);
            if (n < most) x[n] = v;
            d = next;
            v = strtod(d, &next);
            if (n < most) y[n] = v;
            d = next;
            n++;
        }
    }
    return n;
}

static int near_to(double want, double got)
{
    if (fabs(want - got) <= 0.0501) return 1;
    printf("\n  %.10g expected, %.10g found\n", want, got);
    return 0;
}

/* A picture with one panel: x axis 100 .. 500, y axis 250 .. 50 pixels. */
static plot       p;
static plot_panel a;

static void begin(void)
{
    plot_begin(&p, 560, 320, "Test");
    a = plot_panel_at(&p, 100, 50, 400, 200);
    a.title = "panel";
}

static void ranges(double x0, double x1, double y0, double y1)
{
    begin();
    a.x.lo = x0; a.x.hi = x1;
    a.y.lo = y0; a.y.hi = y1;
}

/* Ends the picture and reads it back; NULL if that fails or it is not well-formed. */
static char *read_back(void)
{
    char *s = plot_end(&p, picture) == 0 ? contents(picture) : NULL;

    clear_directory(directory);
    if (s && well_formed(s)) return s;
    free(s);
    return NULL;
}

/* ---- the reader itself ---- */

TEST the_reader_tells_broken_xml(void)
{
    static const char *const good[] = {"<a/>", "<a>x &lt; y</a>\n", "<a b=\"1\" c=\"2\"><d/><e>ü</e></a>"};
    static const char *const bad[] = {"", "x", "<a>", "<a></b>", "<a></aa>", "<a><b></a></b>", "<a/><b/>", "<a>&x;</a>",
                                      "<a b=1/>", "<a b=\"1\" b=\"2\"/>", "<a>\xc3</a>", "<a>\x01</a>", "<a b=\"<\"/>",
                                      "<a>></a>", "<a", "<a b=\"1/>"};
    size_t i;

    for (i = 0; i < sizeof good/sizeof *good; i++) ASSERTm(good[i], well_formed(good[i]));
    for (i = 0; i < sizeof bad/sizeof *bad; i++) ASSERTm(bad[i], !well_formed(bad[i]));
    PASS();
}

/* ---- ticks ---- */

TEST linear_ticks_stand_at_round_numbers(void)
{
    char *s;

    ranges(0, 10, -1, 1);
    a.x.name = "time [s]";
    a.y.name = "way [m]";
    plot_axes(&a);
    s = read_back();
    ASSERT(s);
    ASSERT(text_at(s, "0", 100, 266) && text_at(s, "2", 180, 266) && text_at(s, "8", 420, 266) && text_at(s, "10", 500, 266));
    ASSERT(text_at(s, "−1", 94, 254) && text_at(s, "−0.5", 94, 204) && text_at(s, "0.5", 94, 104) && text_at(s, "1", 94, 54));
    ASSERT_EQ(0, text_count(s, "1.5") + text_count(s, "3") + text_count(s, "12") + text_count(s, "0.2"));
    ASSERT(text_at(s, "time [s]", 300, 284) && text_count(s, "way [m]") == 1 && text_at(s, "panel", 100, 41));
    free(s);
    PASS();
}

TEST large_and_small_numbers_are_written_as_powers(void)
{
    char *s;

    ranges(0, 5e6, -2e-7, 2e-7);
    plot_axes(&a);
    s = read_back();
    ASSERT(s);
    ASSERT(text_at(s, "0", 100, 266) && text_at(s, "106", 180, 266) && text_at(s, "3·106", 340, 266));
    ASSERT(text_at(s, "−2·10−7", 94, 254) && text_at(s, "−10−7", 94, 204) && text_at(s, "10−7", 94, 104));
    ASSERT(strstr(s, "3·10<tspan dy=\"-3.8\" font-size=\"9\">6</tspan>"));
    free(s);
    PASS();
}

TEST logarithmic_ticks_stand_at_powers_of_ten(void)
{
    char *s;

    ranges(1e-2, 1e2, 1e-6, 1e8);
    a.x.log = a.y.log = 1;
    plot_axes(&a);
    s = read_back();
    ASSERT(s);
    ASSERT(text_at(s, "10−2", 100, 266) && text_at(s, "10−1", 200, 266) && text_at(s, "101", 400, 266));
    ASSERT(text_at(s, "10−6", 94, 254) && text_at(s, "108", 94, 54));
    ASSERT_EQ(0, text_count(s, "107"));                     /* 14 decades in 200 pixels: every second */
    free(s);
    PASS();
}

TEST a_short_logarithmic_axis_is_labelled_too(void)
{
    char *s;

    ranges(1, 50, 2, 3);                                    /* less than two decades; less than from 1 to 2 */
    a.x.log = a.y.log = 1;
    plot_axes(&a);
    s = read_back();
    ASSERT(s);
    ASSERT(text_at(s, "1", 100, 266) && text_at(s, "2", 100 + 400*log(2)/log(50), 266) && text_at(s, "50", 500, 266));
    ASSERT(text_at(s, "2.4", 94, 254 - 200*log(1.2)/log(1.5)) && text_at(s, "3", 94, 54));
    free(s);
    PASS();
}

/* Any range has ticks that are inside, ascending, apart and told apart by their labels. */
TEST every_range_has_readable_ticks(void)
{
    rng    r;
    long   i, n = sweep_count(20000);
    double at[PLOT_TICKS];
    char   label[64], before[64];

    rng_seed(&r, 5);
    begin();
    for (i = 0; i < n; i++) {
        plot_axis axis;
        double    pixels = rng_uniform(&r, 100, 800), spacing = i%2 ? 28 : 56, width = rng_log(&r, 1e-12, 1e12);
        int       power, k, ticks;

        memset(&axis, 0, sizeof axis);
        axis.log = rng_int(&r, 0, 1);
        if (axis.log) {
            axis.lo = rng_log(&r, 1e-200, 1e200);
            axis.hi = axis.lo*rng_log(&r, 1.00002, 1e100);
        } else {
            axis.lo = rng_uniform(&r, -1, 1)*width*rng_log(&r, 1e-3, 9e6);
            axis.hi = axis.lo + width;
        }
        a.y = axis;
        plot_range(&a, &a.y);
        ASSERT_EQ(0, p.failed);
        ticks = plot_ticks(&axis, pixels, spacing, at, &power);
        ASSERT(ticks >= 2 && ticks < PLOT_TICKS);
        before[0] = 0;
        for (k = 0; k < ticks; k++) {
            double apart = 0;
            ASSERT(at[k] >= axis.lo - 1e-8*fabs(axis.lo) - 1e-8*width && at[k] <= axis.hi + 1e-8*fabs(axis.hi) + 1e-8*width);
            if (k > 0) apart = axis.log ? log(at[k]/at[k - 1])/log(axis.hi/axis.lo) : (at[k] - at[k - 1])/(axis.hi - axis.lo);
            ASSERT(k == 0 || (apart > 0 && (axis.log || pixels < 5*spacing || apart*pixels > 0.999*spacing)));
            plot_tick_label(label, sizeof label, at[k], power);
            ASSERT(strlen(label) < 40 && strcmp(label, before) != 0);
            strcpy(before, label);
        }
    }
    free(read_back());
    PASS();
}

SUITE(ticks)
{
    RUN_TEST(the_reader_tells_broken_xml);
    RUN_TEST(linear_ticks_stand_at_round_numbers);
    RUN_TEST(large_and_small_numbers_are_written_as_powers);
    RUN_TEST(logarithmic_ticks_stand_at_powers_of_ten);
    RUN_TEST(a_short_logarithmic_axis_is_labelled_too);
    RUN_TEST(every_range_has_readable_ticks);
}

/* ---- data ---- */

TEST data_land_where_the_axes_say(void)
{
    const double x[3] = {1, 2.5, 10}, y[3] = {0, 30, 100};
    double       qx[4], qy[4];
    char        *s;

    ranges(0, 10, 0, 100);
    plot_axes(&a);
    plot_curve(&a, 3, x, y, PLOT_BLUE, NULL);
    s = read_back();
    ASSERT(s);
    ASSERT_EQ(3, points_of(s, PLOT_BLUE, qx, qy, 4));
    ASSERT(near_to(140, qx[0]) && near_to(200, qx[1]) && near_to(500, qx[2]));
    ASSERT(near_to(250, qy[0]) && near_to(190, qy[1]) && near_to(50, qy[2]));
    free(s);
    PASS();
}

TEST data_land_on_logarithmic_axes(void)
{
    const double x[3] = {0.1, 1, 1000}, y[3] = {1e-3, 0.1, 5};
    double       qx[4], qy[4];
    char        *s;

    ranges(0.1, 1000, 1e-3, 10);
    a.x.log = a.y.log = 1;
    plot_axes(&a);
    plot_curve(&a, 3, x, y, PLOT_BLUE, NULL);
    s = read_back();
    ASSERT(s);
    ASSERT_EQ(3, points_of(s, PLOT_BLUE, qx, qy, 4));
    ASSERT(near_to(100, qx[0]) && near_to(200, qx[1]) && near_to(500, qx[2]));
    ASSERT(near_to(250, qy[0]) && near_to(150, qy[1]) && near_to(50 + 50*log10(2), qy[2]));
    free(s);
    PASS();
}

/* A line that leaves the frame keeps its slope inside: it is clipped, not bent. */
TEST what_leaves_the_frame_is_clipped(void)
{
    double qx[2], qy[2];
    char  *s;

    ranges(0, 10, 0, 100);
    plot_axes(&a);
    plot_line(&a, 0, 0, 20, 400, PLOT_GREEN, 1, NULL);
    s = read_back();
    ASSERT(s);
    ASSERT(strstr(s, "<clipPath id=\"frame1\"><rect x=\"100.0\" y=\"50.0\" width=\"400.0\" height=\"200.0\"/></clipPath>"));
    ASSERT(strstr(s, PLOT_GREEN "\" stroke-width=\"1\" stroke-linejoin=\"round\" clip-path=\"url(#frame1)\"/>"));
    ASSERT_EQ(2, points_of(s, PLOT_GREEN, qx, qy, 2));
    ASSERT(near_to(100, qx[0]) && near_to(250, qy[0]) && near_to(900, qx[1]) && near_to(-550, qy[1]));
    free(s);
    PASS();
}

TEST fitted_ranges_hold_the_data_with_a_margin(void)
{
    const double x[3] = {-1, 3, 7}, y[3] = {10, 1000, 100}, more[1] = {9};
    char        *s;

    begin();
    a.y.log = 1;
    plot_fit(&a, 3, x, y);
    plot_fit(&a, 1, more, y);
    plot_axes(&a);
    ASSERT(fabs(a.x.lo + 1.4) < 1e-12 && fabs(a.x.hi - 9.4) < 1e-12);
    ASSERT(fabs(log10(a.y.lo) - 0.92) < 1e-12 && fabs(log10(a.y.hi) - 3.08) < 1e-12);
    s = read_back();
    ASSERT(s);
    free(s);

    begin();                                                /* a range that was set stays */
    a.x.hi = 5;
    plot_fit(&a, 3, x, y);
    plot_axes(&a);
    ASSERT(a.x.lo >= 0 && a.x.lo <= 0 && a.x.hi >= 5 && a.x.hi <= 5);
    s = read_back();
    ASSERT(s);
    free(s);
    PASS();
}

/* A constant, also 0 and the smallest and largest that there are, gets a range around it. */
TEST a_constant_gets_a_range(void)
{
    const double value[] = {0, 5, -1e-5, 1e290, -1e299, 1e-310, 1e-200};
    size_t       i;

    for (i = 0; i < sizeof value/sizeof *value; i++) {
        const double v[2] = {value[i], value[i]};
        char        *s;
        begin();
        a.y.log = value[i] > 1e-300 && value[i] < 1e280;
        plot_fit(&a, 2, v, v);
        plot_axes(&a);
        plot_curve(&a, 2, v, v, PLOT_BLUE, NULL);
        ASSERT(a.x.lo < value[i] && value[i] < a.x.hi && a.y.lo < value[i] && value[i] < a.y.hi);
        s = read_back();
        ASSERT(s);
        free(s);
    }
    PASS();
}

TEST dense_data_are_thinned_to_what_can_be_seen(void)
{
    static double x[100000], y[100000], qx[10000], qy[10000];
    char         *s;
    int           i, n;

    ranges(0, 1, -1, 1);
    plot_axes(&a);
    for (i = 0; i < 100000; i++) {
        x[i] = i/99999.0;
        y[i] = i < 50000 ? 0 : sin(20*x[i]);
    }
    plot_curve(&a, 100000, x, y, PLOT_BLUE, NULL);
    s = read_back();
    ASSERT(s);
    n = points_of(s, PLOT_BLUE, qx, qy, 10000);
    ASSERT(n > 1000 && n < 4000);
    for (i = 0; i < n; i++) {                               /* those that are left are on the curve */
        double t = (qx[i] - 100)/400, want = t < 0.4999 ? 0 : sin(20*t);
        ASSERT(fabs(t - 0.5) < 0.001 || fabs(150 - 100*want - qy[i]) < 1.5);
    }
    ASSERT(near_to(100, qx[0]) && near_to(500, qx[n - 1]));
    free(s);
    PASS();
}

TEST points_and_shapes_land(void)
{
    const double x[1] = {2}, y[1] = {25};
    double       qx[5], qy[5];
    char        *s;

    ranges(0, 10, 0, 100);
    plot_axes(&a);
    plot_points(&a, 1, x, y, PLOT_BLUE, NULL);
    plot_rectangle(&a, 1, 10, 3, 20, PLOT_SOLID, PLOT_RED);
    plot_arrow(&a, 5, 50, 5, 75, PLOT_GREEN);
    plot_note(&a, 5, 50, 3, -4, "start", PLOT_INK, "here");
    s = read_back();
    ASSERT(s);
    ASSERT(strstr(s, "<circle cx=\"180.0\" cy=\"200.0\" r=\"3.5\""));
    ASSERT_EQ(4, points_of(s, PLOT_RED, qx, qy, 5));
    ASSERT(near_to(140, qx[0]) && near_to(230, qy[0]) && near_to(220, qx[2]) && near_to(210, qy[2]));
    ASSERT(strstr(s, "translate(300.0 100.0) rotate(-90.0)"));
    ASSERT(text_at(s, "here", 303, 146));
    free(s);
    PASS();
}

/* ---- fitted power laws ---- */

TEST a_power_law_is_fitted_drawn_and_named(void)
{
    double x[4] = {10, 100, 1000, 10000}, y[4], c, k, qx[2], qy[2];
    char  *s;
    int    i;

    for (i = 0; i < 4; i++) y[i] = 1e-7*pow(x[i], 1.5);
    k = plot_power_fit(4, x, y, &c);
    ASSERT(fabs(k - 1.5) < 1e-12 && fabs(c - 1e-7) < 1e-18);

    /* least squares: residuals that are orthogonal to 1 and log x leave it alone */
    y[0] *= 2; y[1] /= 2; y[2] /= 2; y[3] *= 2;
    k = plot_power_fit(4, x, y, &c);
    ASSERT(fabs(k - 1.5) < 1e-12 && fabs(c - 1e-7) < 1e-18);

    ranges(10, 1e4, 1e-6, 1e2);
    a.x.log = a.y.log = 1;
    a.x.name = "triangles *n*";
    plot_axes(&a);
    k = plot_power(&a, 4, x, y, PLOT_BLUE, 0.5);
    s = read_back();
    ASSERT(s);
    ASSERT(fabs(k - 1.5) < 1e-12);
    ASSERT_EQ(2, points_of(s, PLOT_BLUE, qx, qy, 2));
    ASSERT(near_to(100, qx[0]) && near_to(500, qx[1]));
    ASSERT(near_to(250 - 25*(-5.5 + 6), qy[0]) && near_to(250 - 25*(-1 + 6), qy[1]));
    ASSERT(text_at(s, "∝n1.50", 300 - 8, 250 - 25*(-3.25 + 6) - 9));
    free(s);
    PASS();
}

/* ---- arrows ---- */

TEST arrows_point_along_the_field(void)
{
    const double x[3] = {5, 2, 8}, y[3] = {50, 20, 80}, u[3] = {0, 1e-2, 0}, v[3] = {100, 0, 0};
    plot_scale   scale = {0, 0};
    double       qx[8], qy[8];
    char         weak[8], strong[8], *s;

    ranges(0, 10, 0, 100);
    plot_axes(&a);
    plot_scale_fit(&p, &scale, 3, u, v);
    ASSERT(fabs(scale.lo - 1e-2) < 1e-12 && fabs(scale.hi - 100) < 1e-9);
    plot_arrows(&a, 3, x, y, u, v, &scale, 10, 20);
    plot_bar(&a, &scale, "force [N]");
    plot_shade(0, weak);
    plot_shade(1, strong);
    s = read_back();
    ASSERT(s);

    /* the strong one is 20 pixels long and goes up, the weak one 10 and to the right; tip first, tail fourth and fifth */
    ASSERT_EQ(7, points_of(s, strong, qx, qy, 8));
    ASSERT(near_to(300, qx[0]) && near_to(140, qy[0]) && near_to(160, qy[3]) && near_to(300, 0.5*(qx[3] + qx[4])));
    ASSERT_EQ(7, points_of(s, weak, qx, qy, 8));
    ASSERT(near_to(185, qx[0]) && near_to(210, qy[0]) && near_to(175, qx[3]) && near_to(210, 0.5*(qy[3] + qy[4])));

    /* a zero is a dot, the bar has the decades */
    ASSERT(strstr(s, "<circle cx=\"420.0\" cy=\"90.0\" r=\"1\"/>"));
    ASSERT(text_at(s, "10−2", 532, 254) && text_at(s, "102", 532, 54) && text_count(s, "force [N]") == 1);
    free(s);
    PASS();
}

/* Colour by the logarithm: two decades of four are the middle; what is off the scale has the colour of its end. */
TEST arrows_are_coloured_by_log_magnitude(void)
{
    const double x[3] = {1, 5, 9}, y[3] = {50, 50, 50}, u[3] = {1e-9, 1, 1e9}, v[3] = {0, 0, 0};
    plot_scale   scale = {1e-2, 1e2};
    double       qx[8], qy[8];
    char         shade[8], *s;
    int          i;

    ranges(0, 10, 0, 100);
    plot_axes(&a);
    plot_arrows(&a, 3, x, y, u, v, &scale, 12, 12);
    s = read_back();
    ASSERT(s);
    for (i = 0; i < 3; i++) {
        plot_shade(i == 0 ? 0 : i == 1 ? 12.0/(PLOT_SHADES - 1) : 1, shade);
        ASSERT_EQ(7, points_of(s, shade, qx, qy, 8));
        ASSERT(near_to(100 + 40*x[i] + 6, qx[0]) && near_to(100 + 40*x[i] - 6, qx[3]));
    }
    free(s);
    PASS();
}

/* ---- text, legend, card ---- */

TEST marks_raise_lower_and_slant(void)
{
    char *s;

    begin();
    plot_text(&p, 10, 20, "start", 10, PLOT_INK, "*x*^{2}y_{i}− a<b & c>d");
    s = read_back();
    ASSERT(s);
    ASSERT(strstr(s, "><tspan font-style=\"italic\">x</tspan>"
                     "<tspan dy=\"-3.2\" font-size=\"7.5\">2</tspan><tspan dy=\"3.2\">y</tspan>"
                     "<tspan dy=\"3.2\" font-size=\"7.5\">i</tspan><tspan dy=\"-3.2\">− a&lt;b &amp; c&gt;d</tspan></text>"));
    ASSERT(text_at(s, "x2yi− a&lt;b &amp; c&gt;d", 10, 20));
    free(s);

    begin();                                                /* what is no character is marked as such */
    plot_text(&p, 10, 20, "start", 10, PLOT_INK, "a\x01\xff");
    s = read_back();
    ASSERT(s);
    ASSERT(text_at(s, "a\xef\xbf\xbd\xef\xbf\xbd", 10, 20));
    free(s);
    PASS();
}

TEST no_text_breaks_the_picture(void)
{
    static const char parts[] = "*^_{}<>&\"'/;ab \x01\x7f\x80\xbf\xc0\xc3\xa9\xe2\x88\x92\xed\xa0\xef"
                                "\xbf\xbe\xf0\x9f\x98\x80\xf5\xff\n";
    rng  r;
    long i, n = sweep_count(3000);

    rng_seed(&r, 6);
    for (i = 0; i < n; i++) {
        char  text[24], *s;
        int   k, length = rng_int(&r, 0, 23);
        for (k = 0; k < length; k++) text[k] = parts[rng_int(&r, 0, (int)sizeof parts - 2)];
        text[length] = 0;
        plot_begin(&p, 100, 100, text);
        a = plot_panel_at(&p, 10, 10, 80, 80);
        a.x.hi = a.y.hi = 1;
        a.title = a.x.name = a.y.name = text;
        plot_axes(&a);
        plot_line(&a, 0, 0, 1, 1, PLOT_BLUE, 1, NULL);
        plot_label(&a, text, PLOT_BLUE, 0);
        plot_legend(&a, PLOT_UPPER_LEFT);
        plot_note(&a, 0.5, 0.5, 0, 0, "start", PLOT_INK, text);
        s = read_back();
        ASSERT(s);
        free(s);
    }
    PASS();
}

TEST the_legend_stays_in_its_corner(void)
{
    const double x[2] = {0, 1}, y[2] = {0, 1};
    char        *s;
    int          corner;

    for (corner = PLOT_UPPER_LEFT; corner <= PLOT_LOWER_RIGHT; corner++) {
        double tx[2], ty[2];
        const char *at;
        ranges(0, 1, 0, 1);
        plot_axes(&a);
        plot_curve(&a, 2, x, y, PLOT_BLUE, "a curve");
        plot_points(&a, 2, x, y, PLOT_RED, "points");
        plot_legend(&a, (plot_corner)corner);
        s = read_back();
        ASSERT(s);
        at = s;
        ASSERT(find_text(&at, "a curve", &tx[0], &ty[0]) && find_text(&at, "points", &tx[1], &ty[1]));
        ASSERT(near_to(tx[0], tx[1]) && near_to(ty[0] + 18, ty[1]));
        if (corner == PLOT_UPPER_LEFT || corner == PLOT_LOWER_LEFT) ASSERT(tx[0] > 100 && tx[0] < 160);
        else ASSERT(tx[0] > 380 && tx[0] < 480);
        if (corner == PLOT_UPPER_LEFT || corner == PLOT_UPPER_RIGHT) ASSERT(ty[0] > 62 && ty[1] < 110);
        else ASSERT(ty[0] > 190 && ty[1] < 246);
        free(s);
    }
    PASS();
}

TEST the_picture_is_a_card_with_a_border(void)
{
    char *s, *card;

    plot_begin(&p, 300, 200, "A *card*");
    s = read_back();
    ASSERT(s);
    ASSERT(strncmp(s, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 300 200\" width=\"300\" height=\"200\"", 85) == 0);
    card = strstr(s, "<rect x=\".5\" y=\".5\" width=\"299\" height=\"199\" rx=\"8\" fill=\"" PLOT_CARD "\" stroke=\"#d0d7de\"/>");
    ASSERT(card && strstr(s, "<rect") == card);
    ASSERT(strstr(s, "<title>A card</title>"));
    free(s);
    PASS();
}

SUITE(pictures)
{
    RUN_TEST(data_land_where_the_axes_say);
    RUN_TEST(data_land_on_logarithmic_axes);
    RUN_TEST(what_leaves_the_frame_is_clipped);
    RUN_TEST(fitted_ranges_hold_the_data_with_a_margin);
    RUN_TEST(a_constant_gets_a_range);
    RUN_TEST(dense_data_are_thinned_to_what_can_be_seen);
    RUN_TEST(points_and_shapes_land);
    RUN_TEST(a_power_law_is_fitted_drawn_and_named);
    RUN_TEST(arrows_point_along_the_field);
    RUN_TEST(arrows_are_coloured_by_log_magnitude);
    RUN_TEST(marks_raise_lower_and_slant);
    RUN_TEST(no_text_breaks_the_picture);
    RUN_TEST(the_legend_stays_in_its_corner);
    RUN_TEST(the_picture_is_a_card_with_a_border);
}

/* ---- hostile input ---- */

enum { CURVE_NAN, CURVE_INFINITE, CURVE_HUGE, CURVE_LOG_ZERO, CURVE_EMPTY, POINTS_NAN, POINTS_EMPTY, SHAPE_NAN, NOTE_NAN, FIT_NAN,
       FIT_LOG_NEGATIVE, FIT_EMPTY, AXES_EMPTY, AXES_REVERSED, AXES_NAN, AXES_LOG, AXES_NARROW, LABELS_MANY, POWER_LINEAR,
       POWER_FLAT, POWER_NEGATIVE, ARROWS_NAN, ARROWS_EMPTY, ARROWS_PLACE, ARROWS_UNSCALED, SCALE_NAN, BAR_EMPTY, HOSTILE };

/* Draws a good picture but for one thing; the message has to have the words. */
static const char *const words[HOSTILE] = {
    "nan", "inf", "1e+301", "0 is no number for a logarithmic axis", "no data", "nan", "no data", "nan", "nan", "nan",
    "-2 is no number for a logarithmic axis", "no data", "no data and no range", "x axis from 2 to 1", "nan",
    "-1 is no number for a logarithmic axis", "no range", "too many labels", "no power law", "no power law", "no power law",
    "nan", "no data", "nan", "without a scale", "nan", ""};

static int draw_hostile(void *user)
{
    const int        kind = *(const int *)user;
    const double     nan_ = (double)NAN;
    double           x[3] = {1, 2, 3}, y[3] = {1, 2, 3};
    const plot_scale scale = {0.1, 10}, none = {0, 0};
    plot_scale       fitted = {0, 0};
    int              i;

    ranges(0.5, 4, 0.5, 4);
    a.x.log = a.y.log = kind == CURVE_LOG_ZERO || kind == FIT_LOG_NEGATIVE || kind == POWER_FLAT || kind == POWER_NEGATIVE;
    if (kind == FIT_NAN || kind == FIT_LOG_NEGATIVE || kind == FIT_EMPTY || kind == AXES_EMPTY) a.x.lo = a.x.hi = 0;
    if (kind == FIT_NAN) { x[1] = nan_; plot_fit(&a, 3, x, y); }
    if (kind == FIT_LOG_NEGATIVE) { x[1] = -2; plot_fit(&a, 3, x, y); }
    if (kind == FIT_EMPTY) plot_fit(&a, 0, x, y);
    if (kind == AXES_REVERSED) { a.x.lo = 2; a.x.hi = 1; }
    if (kind == AXES_NAN) a.y.hi = nan_;
    if (kind == AXES_LOG) { a.y.log = 1; a.y.lo = -1; }
    if (kind == AXES_NARROW) a.x.hi = a.x.lo + 1e-10;
    plot_axes(&a);
    if (kind == CURVE_NAN) y[2] = nan_;
    if (kind == CURVE_INFINITE) y[2] = -HUGE_VAL;
    if (kind == CURVE_HUGE) x[2] = 1e301;
    if (kind == CURVE_LOG_ZERO) y[2] = 0;
    plot_curve(&a, kind == CURVE_EMPTY ? 0 : 3, x, y, PLOT_BLUE, "curve");
    if (kind == POINTS_NAN) x[0] = nan_;
    plot_points(&a, kind == POINTS_EMPTY ? -1 : 3, x, y, PLOT_BLUE, "points");
    if (kind == SHAPE_NAN) plot_rectangle(&a, 0, 0, nan_, 1, PLOT_SOLID, "none");
    if (kind == NOTE_NAN) plot_note(&a, nan_, 0, 0, 0, "start", PLOT_INK, "note");
    for (i = 0; kind == LABELS_MANY && i < PLOT_LABELS; i++) plot_curve(&a, 3, x, y, PLOT_RED, "more");
    if (kind == POWER_LINEAR) plot_power(&a, 3, x, y, PLOT_RED, 0.5);
    if (kind == POWER_FLAT) { x[1] = x[2] = 1; plot_power(&a, 3, x, y, PLOT_RED, 0.5); }
    if (kind == POWER_NEGATIVE) { y[1] = -1; plot_power(&a, 3, x, y, PLOT_RED, 0.5); }
    if (kind == SCALE_NAN) { y[1] = nan_; plot_scale_fit(&p, &fitted, 3, x, y); }
    if (kind == ARROWS_NAN) y[1] = nan_;
    if (kind == ARROWS_PLACE) plot_arrows(&a, 1, &nan_, y, x, y, &scale, 9, 9);
    plot_arrows(&a, kind == ARROWS_EMPTY ? 0 : 3, x, x, x, y, kind == ARROWS_UNSCALED ? &none : &scale, 9, 9);
    plot_bar(&a, kind == BAR_EMPTY ? &none : &scale, "bar");
    plot_legend(&a, PLOT_UPPER_LEFT);
    return plot_end(&p, picture);
}

/* One line that begins with "plot: ". */
static int one_message(const char *text)
{
    return strncmp(text, "plot: ", 6) == 0 && strchr(text, '\n') == text + strlen(text) - 1;
}

TEST hostile_input_leaves_a_message_and_no_picture(void)
{
    int   kind;
    child c;

    for (kind = 0; kind < HOSTILE; kind++) {
        c = child_run(draw_hostile, &kind);
        ASSERTm(words[kind], c.code == 1);
        ASSERTm(c.err, one_message(c.err) && strstr(c.err, words[kind]));
        ASSERT_EQ(0, clear_directory(directory));
    }
    c = child_run(draw_hostile, &kind);                     /* without the hostile thing it is a picture */
    ASSERT_EQ(0, c.code);
    ASSERT_EQ(0, c.err[0]);
    ASSERT_EQ(1, clear_directory(directory));
    PASS();
}

TEST an_earlier_picture_outlives_a_failure(void)
{
    int   kind = HOSTILE;
    char *before, *after;

    ASSERT_EQ(0, draw_hostile(&kind));
    before = contents(picture);
    kind = CURVE_NAN;
    ASSERT_EQ(1, child_run(draw_hostile, &kind).code);
    after = contents(picture);
    ASSERT(before && after && strcmp(before, after) == 0);
    free(before);
    free(after);
    ASSERT_EQ(1, clear_directory(directory));
    PASS();
}

TEST a_picture_replaces_an_earlier_one(void)
{
    int   kind = HOSTILE;
    FILE *f = fopen(picture, "w");
    char *s;

    ASSERT(f && fputs("earlier", f) >= 0 && fclose(f) == 0);
    ASSERT_EQ(0, draw_hostile(&kind));
    s = contents(picture);
    ASSERT(s && well_formed(s));
    free(s);
    ASSERT_EQ(1, clear_directory(directory));                        /* and no second file */
    PASS();
}

/* ---- where nothing can be written ---- */

static int draw_to(void *user)
{
    begin();
    return plot_end(&p, (const char *)user);
}

TEST an_unwritable_path_is_a_message(void)
{
    char        into_nothing[140], into_a_file[140], a_directory[140];
    char *const path[3] = {into_nothing, into_a_file, a_directory};
    FILE       *f = fopen(picture, "w");
    int         i;

    ASSERT(f && fclose(f) == 0);
    snprintf(into_nothing, sizeof into_nothing, "%s/none/x.svg", directory);
    snprintf(into_a_file, sizeof into_a_file, "%s/x.svg", picture);
    snprintf(a_directory, sizeof a_directory, "%s", directory);
    for (i = 0; i < 3; i++) {
        child c = child_run(draw_to, path[i]);
        ASSERT_EQ(1, c.code);
        ASSERTm(c.err, one_message(c.err) && strstr(c.err, path[i]));
    }
    ASSERT_EQ(1, clear_directory(directory));
    PASS();
}

TEST a_full_device_is_a_message(void)
{
    char        full[] = "/dev/full";
    struct stat s;
    child       c;

    if (stat(full, &s) != 0 || !S_ISCHR(s.st_mode)) SKIPm("no /dev/full");
    c = child_run(draw_to, full);
    ASSERT_EQ(1, c.code);
    ASSERTm(c.err, one_message(c.err) && strstr(c.err, full));
    ASSERT(stat(full, &s) == 0 && S_ISCHR(s.st_mode));      /* it was not replaced by a file */
    PASS();
}

/* The disk is full after 4 kB. */
static int draw_on_a_full_disk(void *user)
{
    struct rlimit limit;
    int           i;

    (void)user;
    limit.rlim_cur = limit.rlim_max = 4096;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 99;
    signal(SIGXFSZ, SIG_IGN);
    begin();
    for (i = 0; i < 1000; i++) plot_text(&p, 10, 10, "start", 12, PLOT_INK, "some bytes");
    return plot_end(&p, picture);
}

TEST a_full_disk_leaves_nothing_behind(void)
{
    child c = child_run(draw_on_a_full_disk, NULL);

    ASSERT_EQ(1, c.code);
    ASSERTm(c.err, one_message(c.err) && strstr(c.err, picture));
    ASSERT_EQ(0, clear_directory(directory));
    PASS();
}

SUITE(refusals)
{
    RUN_TEST(hostile_input_leaves_a_message_and_no_picture);
    RUN_TEST(an_earlier_picture_outlives_a_failure);
    RUN_TEST(a_picture_replaces_an_earlier_one);
    RUN_TEST(an_unwritable_path_is_a_message);
    RUN_TEST(a_full_device_is_a_message);
    RUN_TEST(a_full_disk_leaves_nothing_behind);
}

int main(int argc, char **argv)
{
    snprintf(directory, sizeof directory, "build/plot.%ld", (long)getpid());
    snprintf(picture, sizeof picture, "%s/picture.svg", directory);
    if (mkdir(directory, 0777) != 0) {
        perror(directory);
        return EXIT_FAILURE;
    }
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(ticks);
    RUN_SUITE(pictures);
    RUN_SUITE(refusals);
    rmdir(directory);
    GREATEST_MAIN_END();
}
