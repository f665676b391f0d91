#!/usr/bin/env python3
"""The polynomials of the elementary functions in dc_contact.h and dc_witness.h: Remez exchange in 60 digits (needs mpmath).

Each line of TABLE: name, the function to fit, the interval of its argument, the weight of an error
in it, the number of coefficients for double and for float. The program prints the coefficients,
rounded to the format, lowest power first, with the worst weighted error after rounding as a power of two.

    python3 tests/tools/polynomials.py
"""
import struct
from mpmath import mp, mpf, log, exp, sin, cos, atan, atanh, sqrt, matrix, lu_solve, pi, tan, cos as mcos

mp.dps = 60


def series(f, g, cut):
    """f away from zero, the Taylor series g near it, where f cancels"""
    return lambda x: g(x) if abs(x) < cut else f(x)


def tail(coef):
    def g(x):
        s, p = mpf(0), mpf(1)
        for k in range(40):
            s += coef(k)*p
            p *= x
        return s
    return g


fac = mp.factorial
ln2 = log(mpf(2))
s2 = sqrt(mpf(2))
smax = ((s2 - 1)/(s2 + 1))**2
amax = tan(pi/8)**2
tiny = mpf('0.05')

TABLE = [
    # e^r = 1 + r + r^2 (1/2 + r E(r)), |r| <= ln2/2; weight: relative to e^r - 1
    ('exp', series(lambda r: (exp(r) - 1 - r - r*r/2)/r**3, tail(lambda k: 1/fac(k + 3)), tiny),
     -ln2/2*mpf('1.001'), ln2/2*mpf('1.001'), lambda r: r*r, 10, 5),
    # log((1+s)/(1-s)) = 2s + s z L(z), z = s^2; weight: relative to 2s
    ('log', series(lambda z: (2*atanh(sqrt(z))/sqrt(z) - 2)/z, tail(lambda k: mpf(2)/(2*k + 3)), tiny/10),
     mpf(0), smax*mpf('1.001'), lambda z: z/2, 8, 4),
    # the same on s <= 1/3: dc_witness.h
    ('ends', series(lambda z: (2*atanh(sqrt(z))/sqrt(z) - 2)/z, tail(lambda k: mpf(2)/(2*k + 3)), tiny/10),
     mpf(0), mpf(1)/9, lambda z: z/2, 10, 4),
    # cosh r = 1 + z C(z), sinh r = r + r z S(z), z = r^2, |r| <= ln2/2
    ('cosh', series(lambda z: (mp.cosh(sqrt(z)) - 1)/z, tail(lambda k: 1/fac(2*k + 2)), tiny),
     mpf(0), (ln2/2*mpf('1.001'))**2, lambda z: z, 5, 3),
    ('sinh', series(lambda z: (mp.sinh(sqrt(z))/sqrt(z) - 1)/z, tail(lambda k: 1/fac(2*k + 3)), tiny),
     mpf(0), (ln2/2*mpf('1.001'))**2, lambda z: z*sqrt(z), 5, 3),
    # atanh(s)/s = 1 + z/3 + z^2 B(z)
    ('pow', series(lambda z: (atanh(sqrt(z))/sqrt(z) - 1 - z/3)/z**2, tail(lambda k: mpf(1)/(2*k + 5)), tiny/10),
     mpf(0), smax*mpf('1.001'), lambda z: z*z, 10, 4),
    # sin r = r + r z S(z), cos r = 1 - z/2 + z^2 C(z), z = r^2, |r| <= pi/4
    ('sin', series(lambda z: (sin(sqrt(z))/sqrt(z) - 1)/z, tail(lambda k: (-1)**(k + 1)/fac(2*k + 3)), tiny),
     mpf(0), (pi/4)**2*mpf('1.001'), lambda z: z, 6, 3),
    ('cos', series(lambda z: (cos(sqrt(z)) - 1 + z/2)/z**2, tail(lambda k: (-1)**k/fac(2*k + 4)), tiny),
     mpf(0), (pi/4)**2*mpf('1.001'), lambda z: z*z, 6, 3),
    # atan t = t + t z A(z), z = t^2, t <= tan(pi/8)
    ('atan', series(lambda z: (atan(sqrt(z))/sqrt(z) - 1)/z, tail(lambda k: (-1)**(k + 1)/mpf(2*k + 3)), tiny/10),
     mpf(0), amax*mpf('1.001'), lambda z: z, 12, 5),
]


def remez(f, a, b, w, n):
    N = n + 1
    xs = [(a + b)/2 - (b - a)/2*mcos(pi*(i + mpf(1)/2)/N) for i in range(N)]
    grid = [a + (b - a)*(1 - mcos(pi*i/800))/2 for i in range(801)]
    fg = [f(x) for x in grid]
    wg = [w(x) for x in grid]
    c = None
    for _ in range(12):
        M, r = matrix(N, N), matrix(N, 1)
        for i, x in enumerate(xs):
            for j in range(n):
                M[i, j] = w(x)/w(b)*(x/b)**j
            M[i, n] = (-1)**i
            r[i] = w(x)/w(b)*f(x)
        sol = lu_solve(M, r)
        c = [sol[j]/b**j for j in range(n)]
        e = [wg[i]*(mp.polyval(c[::-1], grid[i]) - fg[i]) for i in range(len(grid))]
        # the largest point of each run of one sign
        ext, cur = [], None
        for i, v in enumerate(e):
            if v == 0:
                continue
            if cur is None or (v > 0) != (e[cur] > 0):
                if cur is not None:
                    ext.append(cur)
                cur = i
            elif abs(v) > abs(e[cur]):
                cur = i
        ext.append(cur)
        while len(ext) > N:
            ext.pop(0) if abs(e[ext[0]]) < abs(e[ext[-1]]) else ext.pop()
        if len(ext) < N:
            break
        new = [grid[i] for i in ext]
        done = max(abs(e[i]) for i in ext) < abs(sol[n])*w(b)*mpf('1.001')
        xs = new
        if done:
            break
    return c


def rounded(c, single):
    x = float(c)
    if single:
        x = struct.unpack('f', struct.pack('f', x))[0]
    return x


for name, f, a, b, w, nd, nf in TABLE:
    for single, n in ((False, nd), (True, nf)):
        c = [rounded(v, single) for v in remez(f, a, b, w, n)]
        err = max(w(x)*abs(mp.polyval([mpf(v) for v in c[::-1]], x) - f(x))
                  for x in (a + (b - a)*mpf(i)/500 for i in range(1, 501)))
        print('%s %s: worst 2^%.1f' % (name, 'float' if single else 'double', float(mp.log(err, 2))))
        for v in c:
            print('    ' + ('%.9g' if single else '%.17g') % v)
