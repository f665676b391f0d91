// check.mjs - the pages of pages.c in a browser:  node check.mjs BROWSER DIRECTORY,  by run.sh
//
// What is expected is worked out here from what pages.c puts into a page, and from what view.h says of it.
import { centre, check, difference, finish, ink, ok, open, picture } from './harness.mjs';

// ---- reading and working a page

// Two frames of the browser: what was asked for is drawn.
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const shot = async (page, save) => { await settle(page); return picture(page, save); };
const stage_shot = async (page) => { await settle(page); return picture(page.locator('#stage')); };
// "frame 3 / 90, time 0.0667 s" -> 3
const frame_of = async (page) => parseInt((await page.locator('#now').textContent()).match(/^frame (\d+) \/ \d+, /)[1]);
const press = async (page, ...keys) => { for (const key of keys) await page.keyboard.press(key); };
const playing = async (page) => await page.locator('#play').getAttribute('aria-label') === 'Pause';
async function expect_frame(page, want, after) {
    const got = await frame_of(page);
    ok(got === want, `frame ${got} after ${after}, expected ${want}`);
}
function quiet(page) { ok(page.complaints.length === 0, page.complaints.join('; ')); }

// Opens a page for one check, and fails it if the page complains.
const on = (file, options, body) => async () => {
    const page = await open(file, options);
    try {
        const note = await body(page);
        quiet(page);
        return note;
    } finally {
        await page.context().close();
    }
};

// ---- every page

for (const name of ['scene3d', 'scene2d', 'compare', 'plots', 'grains', 'still', 'hostile', 'numbers', 'points3d', 'points2d', 'points3dq', 'points2dq']) {
    await check(`${name}: opens, plays and is scrubbed without a complaint`, on(`${name}.html`, {}, async (page) => {
        const stage = await page.locator('#stage').isVisible();
        ok(stage === (name !== 'plots'), `stage visible: ${stage}`);
        if (stage) ok(ink(await stage_shot(page)) > 0.02, 'the scene is blank');
        if (name === 'plots') ok(ink(await picture(page.locator('.plot').first())) > 0.02, 'the plot is blank');
        if (name !== 'still') {
            await press(page, 'Space');
            await page.waitForTimeout(300);
            await press(page, 'Space', 'End', 'ArrowLeft', 'Home', 'ArrowRight');
        }
        await settle(page);
        const image = await shot(page, name);
        return `${(100*ink(image)).toFixed(0)} % of the pixels are not background`;
    }));
}

// ---- where points of the world are on the screen

// The page's camera at the start looks at the middle of the bounds from azimuth -60, elevation 20 degrees, 35 degrees
// high; 2D: from above. It is as near as keeps a margin of 6 percent of half the picture around every corner.
const bounds = [[-2, -1, 0], [4, 2, 3]];
const dot = (a, b) => a.reduce((sum, x, k) => sum + x*b[k], 0);
function camera(flat, aspect) {
    const half = bounds[0].map((lo, k) => flat && k === 2 ? 0 : (bounds[1][k] - lo)/2);
    const middle = bounds[0].map((lo, k) => lo + half[k]);
    const az = -Math.PI/3, el = Math.PI/9, tan = Math.tan(17.5*Math.PI/180);
    const toward = flat ? [0, 0, 1] : [Math.cos(el)*Math.cos(az), Math.cos(el)*Math.sin(az), Math.sin(el)];
    const right = flat ? [1, 0, 0] : [-Math.sin(az), Math.cos(az), 0];
    const up = flat ? [0, 1, 0] : [toward[1]*right[2] - toward[2]*right[1], toward[2]*right[0] - toward[0]*right[2], toward[0]*right[1] - toward[1]*right[0]];
    let away = 0;
    for (const x of [-half[0], half[0]]) for (const y of [-half[1], half[1]]) for (const z of [-half[2], half[2]]) {
        const p = [x, y, z], reach = 1.06*Math.max(Math.abs(dot(p, up)), Math.abs(dot(p, right))/aspect);
        away = Math.max(away, flat ? reach : dot(p, toward) + reach/tan);
    }
    // in halves of the picture's height, from its middle
    return (p) => {
        const d = p.map((x, k) => x - middle[k]), scale = flat ? away : tan*(away - dot(d, toward));
        return [dot(d, right)/scale, -dot(d, up)/scale];
    };
}
const magenta = (r, g, b) => r > 90 && b > 90 && g < 0.6*r && g < 0.6*b && Math.abs(r - b) < 40;
const green = (r, g, b) => g > 120 && r < 40 && b < 40;
const marker = (flat, run, frame) => [-1 + 0.5*frame + run, 0.2*frame, flat ? 0 : 0.5 + 0.25*frame];
const middle_of = (r) => [r.x + r.width/2, r.y + r.height/2];

// Where `colour` is in a rectangle of the page, against where the camera has the point; in pixels, 1 at most.
function expect_at(image, rectangle, flat, p, colour, what) {
    const see = camera(flat, rectangle.width/rectangle.height)(p), [mx, my] = middle_of(rectangle);
    const x = mx + see[0]*rectangle.height/2, y = my + see[1]*rectangle.height/2;
    const got = centre(image, colour, rectangle), error = Math.hypot(got.x - x, got.y - y);
    ok(got.n >= 20, `${what}: ${got.n} pixels of its colour`);
    ok(error < 1, `${what}: at (${got.x.toFixed(1)}, ${got.y.toFixed(1)}), expected (${x.toFixed(1)}, ${y.toFixed(1)})`);
    return error;
}
// The panes of two runs: side by side in a wide stage, one above the other in a high one.
function pane(box, run) {
    return box.width > box.height ? { x: box.x + run*Math.floor(box.width/2), y: box.y, width: Math.floor(box.width/2), height: box.height }
                                  : { x: box.x, y: box.y + run*Math.floor(box.height/2), width: box.width, height: Math.floor(box.height/2) };
}

for (const name of ['points3d', 'points2d', 'points3dq', 'points2dq']) {
    for (const size of [{ width: 1000, height: 800 }, { width: 420, height: 900 }]) {
        const flat = name.includes('2d');
        await check(`${name}: bodies and marks are on the pixels expected, ${size.width} wide`, on(`${name}.html`, size, async (page) => {
            let worst = 0;
            const box = await page.locator('#stage').boundingBox();
            for (const frame of [0, 2, 4]) {
                await page.locator('#scrub').fill(String(frame));
                for (const colour of [green, magenta]) {
                    await page.locator('#switches input').setChecked(colour === green);
                    const image = await shot(page);
                    for (const run of [0, 1])
                        worst = Math.max(worst, expect_at(image, pane(box, run), flat, marker(flat, run, frame), colour, `frame ${frame}, run ${run}, ${colour.name}`));
                }
            }
            return `at most ${worst.toFixed(2)} pixels off`;
        }));
    }
}

await check('compare: a wide page shows the runs side by side and names them', on('compare.html', {}, async (page) => {
    const names = await page.locator('.pane').allTextContents();
    ok(names.join() === 'long-range,local', names.join());
    await press(page, 'End');
    await expect_frame(page, 80, 'End');
    const at_end = await page.locator('.plot h2').first().textContent();
    ok(at_end.includes('long-range') && at_end.includes('local'), at_end);
}));

await finish();
