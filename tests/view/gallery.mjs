// gallery.mjs - the page that `make gallery` writes and every page it leads to, light and dark; part of check.mjs
//
// Skipped where build/demo/index.html is missing.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check, ink, ok, open, picture, skip } from './harness.mjs';

const index = resolve('build/demo/index.html'), small = { width: 640, height: 560 };
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const quiet = (page) => ok(page.complaints.length === 0, page.complaints.join('; '));
let links = [];

// Share of an element that is not of its most frequent colour.
async function drawn(page, element, what) {
    await settle(page);
    const share = ink(await picture(element), 4);
    ok(share > 0.001, `${what} is blank`);
    return share;
}

// A part of a picture, given in pixels of it.
function crop({ width, data }, { x, y, width: w, height: h }) {
    const [x0, y0, cols, rows] = [x, y, w, h].map(Math.round), part = new Uint8Array(4*cols*rows);
    for (let j = 0, at; j < rows; j++) {
        at = 4*((y0 + j)*width + x0);
        part.set(data.subarray(at, at + 4*cols), 4*cols*j);
    }
    return { width: cols, height: rows, data: part };
}

for (const colorScheme of ['light', 'dark']) {
    await check(`gallery: the index has a picture for every page, ${colorScheme}`, async () => {
        if (!existsSync(index)) skip('no build/demo/index.html (make gallery)');
        const page = await open(index, { width: 1280, height: 900, colorScheme, beside: true });
        const cards = page.locator('article');
        links = await page.locator('article > a').evaluateAll((all) => all.map((a) => a.href));
        ok(links.length > 0 && links.length === await cards.count(), `${links.length} links, ${await cards.count()} cards`);
        // the window as high as the page: all pictures in one screenshot
        await page.setViewportSize({ width: 1280, height: await page.evaluate(() => document.documentElement.scrollHeight) });
        await settle(page);
        const all = await picture(page, `gallery_${colorScheme}`);
        for (let k = 0; k < links.length; k++) {
            const part = crop(all, await cards.nth(k).locator('svg, img').first().boundingBox());
            ok(ink(part, 4) > 0.001, `the picture of ${links[k]} is blank`);
            ok(await cards.nth(k).locator('p').count() === 1, `${links[k]} has no line of text`);
            ok(existsSync(fileURLToPath(links[k])), `${links[k]} does not exist`);
        }
        quiet(page);
        await page.context().close();
        return `${links.length} pages`;
    });
}

for (const link of links) {
    await check(`gallery: ${link.replace(/.*\/out\//, '')}: nothing blank, no complaint, light and dark`, async () => {
        const page = await open(fileURLToPath(link), small);
        let least = 1;
        if (link.endsWith('.svg')) {
            least = await drawn(page, page.locator('svg').first(), 'the picture');
        } else {
            const stage = page.locator('#stage'), plots = page.locator('.plot svg');
            const last = await page.evaluate(() => +document.getElementById('scrub').max);
            if (last > 0) ok(await page.locator('#play').getAttribute('aria-label') === 'Pause', 'it does not play when it opens');
            for (const colorScheme of ['light', 'dark']) {
                await page.emulateMedia({ colorScheme });
                if (await stage.isVisible()) {
                    for (const frame of new Set([0, last >> 1, last])) {
                        await page.evaluate((k) => { play(false); view.seek(k); }, frame);
                        least = Math.min(least, await drawn(page, page.locator('#view'), `frame ${frame}, ${colorScheme},`));
                    }
                }
                for (let k = 0; k < await plots.count(); k++) await drawn(page, plots.nth(k), `plot ${k}, ${colorScheme},`);
                ok(await stage.isVisible() || await plots.count() > 0, 'neither scene nor plot');
            }
        }
        quiet(page);
        await page.context().close();
        return `${(100*least).toFixed(1)} % of the emptiest picture is drawn`;
    });
}

// the page of the demo, which plays when it is opened
const demo = links.find((link) => link.endsWith('/push.html'));
for (const reducedMotion of ['no-preference', 'reduce']) {
    await check(`gallery: the demo ${reducedMotion === 'reduce' ? 'stands still for who asked for less motion' : 'plays when it opens'}`, async () => {
        if (!demo) skip('no page of the demo');
        const page = await open(fileURLToPath(demo), { ...small, reducedMotion });
        const label = await page.locator('#play').getAttribute('aria-label');
        ok(label === (reducedMotion === 'reduce' ? 'Play' : 'Pause'), `the button says ${label}`);
        quiet(page);
        await page.context().close();
    });
}
