// play.mjs - the page that `make play` makes, worked by clicking and dragging; part of check.mjs
//
// run.sh builds it beside the other pages; skipped where it says that a tool is missing.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { check, difference, ink, ok, open, picture, skip } from './harness.mjs';

const out = process.argv[3], file = resolve(out, 'play.html'), scenes = ['stack', 'chain', 'arm', 'gripper', 'solids', 'wall', 'grains'];
const why = () => readFileSync(resolve(out, 'play.log'), 'utf8').trim().split('\n')[0];

// One check: the page is opened, a scene chosen, and it may complain of nothing. Readers who ask for less motion begin paused, so
// that a check takes the steps it wants however slowly the browser draws.
function on(scene, options, body) {
    return async () => {
        if (!existsSync(file)) {
            if (why().startsWith('needs ')) skip(why());
            ok(false, `no page: ${why()}`);
        }
        const page = await open('play.html', { reducedMotion: 'reduce', ...options });
        try {
            await page.waitForFunction(() => window.page);
            await page.locator(`[data-scene=${scene}]`).click();
            const note = await body(page);
            ok(page.complaints.length === 0, page.complaints.join('; '));
            ok(await page.evaluate(() => window.page.trouble()) === '', `it says: ${await page.locator('#say').textContent()}`);
            return note;
        } finally {
            await page.context().close();
        }
    };
}
const get = (page, what) => page.evaluate((what) => window.page[what](), what);
// Steps until the page is at a frame.
const reach = (page, frame) => page.evaluate((frame) => { while (window.page.frame() < frame) window.page.advance(); }, frame);
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
// Where a body's middle is, in pixels of the window.
async function place(page, body) {
    const box = await page.locator('#stage').boundingBox();
    const [x, y] = await page.evaluate((b) => window.page.project([...window.page.pose()[b]].slice(4)), body);
    return [box.x + x, box.y + y];
}
async function drag(page, body, dx, dy) {
    const [x, y] = await place(page, body);
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let k = 1; k <= 12; k++) {
        await page.mouse.move(x + dx*k/12, y + dy*k/12);
        await settle(page);
    }
}

await check('play: one file below 2 MB', async () => {
    if (!existsSync(file)) skip(why());
    const size = statSync(file).size;
    ok(size < 2e6, `${size} bytes`);
    return `${(size/1e6).toFixed(2)} MB`;
});

const small = { width: 400, height: 500 };
for (const scene of scenes) {
    // Is drawn; then whole windows of steps are made again with a small force on one body, more and less: the derivative is that
    // of the number that the page shows. The forces are recorded with the steps, so the last call takes them off again.
    await check(`play ${scene}: it runs, light and dark; the gradient is the difference of losses`, on(scene, { ...small, colorScheme: 'dark' }, async (page) => {
        await reach(page, 12);
        const stage = page.locator('#stage'), dark = await picture(stage, `play_${scene}_dark`);
        ok(ink(dark, 40) > 0.05, 'the scene is blank');
        await page.keyboard.press('d');
        await settle(page);
        const light = await picture(stage, `play_${scene}_light`);
        ok(difference(dark, light) > 0.3, 'light and dark look the same');
        // grains of the heap are moved by little: steps of a stiff heap bend at the slightest change of who touches whom
        const [steps, e] = scene === 'grains' ? [150, 1e-6] : [14, 0.1];
        const worst = await page.evaluate(([warm_up, e]) => {
            const { dc } = window.page, window_steps = 6;
            let frame = window.page.frame(), worst = 0;
            // the goal's body is held for a while, so that forces and slip are not those of rest
            const goal = window.page.goal();
            dc.hold(goal.body, ...goal.at, ...goal.to);
            for (let k = 0; k < warm_up; k++) frame = dc.step(frame);
            dc.hold(-1, 0, 0, 0, 0, 0, 0);
            const steps = dc.gradient(frame, window_steps), n = dc.bodies();
            if (steps !== window_steps) return `gradient: ${steps}`;
            const push = Array.from(new Float64Array(dc.memory.buffer, dc.push_at(), 3*n));
            const shove = () => new Float64Array(dc.memory.buffer, dc.shove_at(), 3*n);
            const most = Math.max(...push.map(Math.abs));
            const again = (at, force) => { shove().fill(0); shove()[at] = force; if (dc.again(frame, window_steps) < 0) throw new Error('a step'); };
            const loss = () => { dc.gradient(frame, 1); return dc.loss(); };
            for (const at of [3*goal.body, 3*goal.body + 2, 0, 3*(n >> 1) + 1]) {
                again(at, e);
                const more = loss();
                again(at, -2*e);
                const less = loss();
                again(at, e);
                worst = Math.max(worst, Math.abs((more - less)/(2*e) + push[at])/most);
            }
            return worst;
        }, [steps, e]);
        ok(typeof worst === 'number' && worst < 1e-3, `off by ${worst} of the largest`);
        return `off by ${worst.toExponential(1)} of the largest at most`;
    }));
}

await check('play stack: a box follows the hand, and the others feel it', on('stack', small, async (page) => {
    await reach(page, 5);
    const before = await page.evaluate(() => window.page.pose().map((p) => [...p]));
    await drag(page, 9, 150, -60);
    await page.waitForFunction(() => window.page.frame() > 45);
    await settle(page);
    const [x, y] = await place(page, 9), box = await page.locator('#stage').boundingBox(), held = await picture(page.locator('#stage'), 'play_dragged');
    const hand = await page.evaluate(() => window.page.hold().to.concat(window.page.project(window.page.hold().to)));
    const off = Math.hypot(box.x + hand[3] - x, box.y + hand[4] - y);
    ok(off < 60, `the box is ${off.toFixed(0)} pixels from the hand`);
    ok(ink(held, 40) > 0.05, 'the scene is blank');
    await page.mouse.up();
    ok(await get(page, 'hold') === null, 'it is still held');
    const after = await page.evaluate(() => window.page.pose().map((p) => [...p]));
    ok(Math.hypot(...[4, 5, 6].map((k) => after[9][k] - before[9][k])) > 0.05, 'the box stayed');
    return `${off.toFixed(0)} pixels from the hand`;
}));

await check('play stack: at rest the forces of contact carry the boxes', on('stack', small, async (page) => {
    await reach(page, 90);
    await settle(page);
    // those at the ground, on the boxes
    const got = await page.evaluate(() => { const { dc } = window.page, n = dc.touches(), t = new Float64Array(dc.memory.buffer, dc.touch_at(), 9*n);
                                            return [...Array(n).keys()].filter((k) => Math.abs(t[9*k + 2]) < 0.02).map((k) => Math.abs(t[9*k + 8])); });
    const weight = 10*400*0.2**3*9.81, off = Math.abs(got.reduce((s, f) => s + f, 0) - weight)/weight;
    ok(got.length === 16 && off < 0.01, `${got.length} forces, off by ${off} of the weight`);
    return `off by ${off.toExponential(1)} of the weight`;
}));

await check('play solids: a tap makes a body the one of the loss, and the ring is dragged', on('solids', small, async (page) => {
    await reach(page, 20);
    await page.mouse.click(...await place(page, 5));
    ok((await get(page, 'goal')).body === 5, 'the body was not chosen');
    const box = await page.locator('#stage').boundingBox(), goal = await get(page, 'goal');
    const ring = await page.evaluate((p) => window.page.project(p), goal.to);
    await page.mouse.move(box.x + ring[0], box.y + ring[1]);
    await page.mouse.down();
    await page.mouse.move(box.x + ring[0] - 80, box.y + ring[1] + 30, { steps: 4 });
    await page.mouse.up();
    const moved = await get(page, 'goal'), now = await page.evaluate((p) => window.page.project(p), moved.to);
    ok(Math.hypot(now[0] - ring[0] + 80, now[1] - ring[1] - 30) < 3, 'the ring is not where it was dragged');
    ok(await get(page, 'count') > 20, 'time began anew');
}));

await check('play: descent brings the loss down', async () => {
    const fall = {};
    for (const scene of ['stack', 'arm', 'solids']) {
        await on(scene, small, async (page) => {
            await reach(page, 12);
                const losses = [];
            for (let k = 0; k < 4; k++) {
                losses.push(await get(page, 'loss'));
                await page.locator('#descend').click();
                await page.waitForFunction(() => window.page.fresh());
            }
            ok(losses.every((x, k) => k === 0 || x < losses[k - 1]), `${scene}: ${losses.join(' ')}`);
            fall[scene] = losses[3]/losses[0];
        })();
    }
    return Object.entries(fall).map(([scene, x]) => `${scene} to ${x.toFixed(2)}`).join(', ');
});

for (const scene of ['chain', 'solids', 'grains']) {
    await check(`play ${scene}: back in time, the same frame and the same gradient; on from there`, on(scene, small, async (page) => {
        await reach(page, 20);
        const at = await get(page, 'frame');
        const seen = () => page.evaluate(() => JSON.stringify([window.page.pose().map((p) => [...p]), window.page.push()]));
        await page.waitForFunction(() => window.page.fresh());
        const then = JSON.parse(await seen());
        for (let k = 0; k < 15; k++) await page.keyboard.press('ArrowRight');
        ok(await get(page, 'frame') === at + 15 && await get(page, 'count') === at + 16, 'fifteen steps are not fifteen frames');
        await page.locator('#scrub').fill(String(at));
        await page.waitForFunction(() => window.page.fresh());
        await settle(page);
        const now = JSON.parse(await seen());
        ok(JSON.stringify(now[0]) === JSON.stringify(then[0]), 'the frame is another');
        const most = Math.max(...then[1].map(Math.abs)), off = Math.max(...then[1].map((x, k) => Math.abs(x - now[1][k])))/most;
        ok(most > 0 && off < 1e-6, `the gradient is off by ${off}`);
        await page.locator('#back').click();
        await page.locator('#play').click();
        await page.waitForFunction((n) => window.page.count() < n, at + 15);
        return `gradient of a past frame within ${off.toExponential(1)}`;
    }));
}

await check('play: sliders change the model, and time begins there', on('stack', small, async (page) => {
    await reach(page, 12);
    for (const [id, to] of [['friction', '0.1'], ['stiffness', '1'], ['rate', '120']]) {
        await settle(page);
        const before = await page.evaluate(() => [...window.page.pose()[9]]);
        await page.locator(`#${id}`).fill(to);
        await settle(page);
        const after = await page.evaluate(() => [...window.page.pose()[9]]);
        ok(await get(page, 'count') === 1, `${id}: ${await get(page, 'count')} frames`);
        ok(before.every((x, k) => x === after[k]), `${id}: the boxes jump`);
        await reach(page, 12);
    }
    await page.locator('[data-scene=solids]').click();
    await page.locator('#rho').fill('-2');
    await reach(page, 10);
    await page.locator('[data-scene=gripper]').click();
    const height = async () => (await page.evaluate(() => window.page.pose()[4][6]));
    await reach(page, 5);
    await settle(page);
    const before = await height();
    await page.locator('#up').fill('0.6');
    await reach(page, 40);
    await settle(page);
    ok(await height() > before + 0.02, 'the hand stays');
}));

await check('play: phone width', on('stack', { width: 390, height: 844, hasTouch: true, isMobile: true, deviceScaleFactor: 2 }, async (page) => {
    await reach(page, 10);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    ok(wide <= 390, `${wide} pixels wide`);
    await picture(page, 'play_phone');
}));

// Processor time of the page's thread, which other programs do not lengthen, between two moments: steps, gradient, forces, what is
// asked of the graphics. Painting itself, here without a graphics card, is another thread's.
await check('play: fifty boxes in real time while one of them is pulled out', on('wall', {}, async (page) => {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const spent = async () => (await session.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value;
    await reach(page, 30);
    await settle(page);
    await drag(page, 22, 60, 90);
    const at = await get(page, 'frame'), ticks = await get(page, 'ticks'), before = await spent();
    await page.waitForFunction((n) => window.page.frame() > n, at + 60);
    const after = await spent(), frames = await get(page, 'ticks') - ticks, steps = await get(page, 'frame') - at;
    await picture(page.locator('#stage'), 'play_pulled');
    await page.mouse.up();
    const each = 1000*(after - before)/steps, note = `${each.toFixed(1)} ms of a processor for each step, ${(each*steps/frames).toFixed(1)} ms for each frame of ${(steps/frames).toFixed(1)} steps`;
    ok(each < 1000/60, note);
    return note;
}));
