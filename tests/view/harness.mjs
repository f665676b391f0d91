// harness.mjs - a browser, pages with all they complain about, pictures, and the tally of checks
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { decodePNG } from './png.mjs';

const CHECK_SECONDS = 60;

// ---- checks

let browser, passed = 0, failed = 0, skipped = 0;

export function ok(condition, why) { if (!condition) throw new Error(why); }
export function skip(why) { throw Object.assign(new Error(why), { skipped: true }); }

function fail(name, error) {
    failed++;
    console.log(`FAIL ${name}: ${String(error?.message ?? error).split('\n')[0]}`);
}

// Prints what the body returns as a note. A body that throws, or does not end in time, has failed.
export async function check(name, body) {
    let timer;
    const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`no end after ${CHECK_SECONDS} s`)), 1000*CHECK_SECONDS);
    });
    try {
        const note = await Promise.race([body(), late]);
        passed++;
        console.log(`pass ${name}${note ? `: ${note}` : ''}`);
    } catch (error) {
        if (!error?.skipped) {
            fail(name, error);
        } else {
            skipped++;
            console.log(`skip ${name}: ${error.message}`);
        }
    } finally {
        clearTimeout(timer);
    }
}

export async function finish() {
    await browser?.close();
    console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
    process.exit(failed ? 1 : 0);
}

// what goes wrong outside a check, such as a browser that does not start, is one failure more
process.on('uncaughtException', (error) => { fail('browser', error); finish(); });

const [program, out] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(resolve(out, 'node_modules/playwright-core/index.mjs')));
// launch() makes a new empty profile; WebGL2 is drawn by the processor, on every machine the same way
browser = await chromium.launch({ executablePath: program, headless: true, args: [
    '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
    '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
console.log(`Chromium ${browser.version()}, node ${process.version}`);

// ---- time

const session = await browser.newBrowserCDPSession();

// Seconds of processor time that programs other than this one and the browser have taken.
async function taken_by_others() {
    const all = cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)/1000;
    const { user, system } = process.cpuUsage(), { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return all - (user + system)/1e6 - processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

// What the body returns, and how many processors others kept busy meanwhile.
export async function with_others(body) {
    const start = performance.now(), before = await taken_by_others();
    const result = await body();
    return [result, Math.max(await taken_by_others() - before, 0)/((performance.now() - start)/1000)];
}

// ---- pages

// Opens a page from disk in a context of its own. page.complaints collects console errors and warnings, exceptions, and
// requests for anything but the file itself (what a page carries in data: and blob: addresses is in the file), or with
// `beside` but files in its directory.
export async function open(file, { width = 1000, height = 800, beside = false, ...options } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, ...options });
    const page = await context.newPage();
    const url = pathToFileURL(resolve(out, file)).href;
    page.complaints = [];
    const complain = (condition, what) => { if (condition) page.complaints.push(what); };
    page.on('console', (m) => complain(['error', 'warning', 'assert'].includes(m.type()), `console ${m.type()}: ${m.text()}`));
    page.on('pageerror', (e) => complain(true, `exception: ${e.message}`));
    page.on('crash', () => complain(true, 'the page crashed'));
    const own = (address) => address === url || /^(data|blob):/.test(address) || (beside && address.startsWith(new URL('.', url).href));
    page.on('request', (r) => complain(!own(r.url()), `request: ${r.url()}`));
    page.on('requestfailed', (r) => complain(true, `not found: ${r.url()}`));
    page.setDefaultTimeout(10000);
    await page.goto(url);
    return page;
}

// ---- pictures: { width, height, data }, four bytes a pixel

export async function picture(target, save) {
    const file = save ? { path: join(out, `${save}.png`) } : {};
    return decodePNG(await target.screenshot({ animations: 'allow', ...file }));
}

// Calls f(index in data, x, y) for the pixels of a rectangle as far as it lies in the picture.
function each_pixel(image, { x, y, width, height }, f) {
    for (let j = Math.max(Math.ceil(y), 0); j < Math.min(Math.floor(y + height), image.height); j++)
        for (let i = Math.max(Math.ceil(x), 0); i < Math.min(Math.floor(x + width), image.width); i++) f(4*(j*image.width + i), i, j);
}

const SAME = 24;    // two colours are the same when no channel differs by more: antialiasing, rounding

// Number of pixels in a rectangle that differ between two pictures of one size.
export function count_changed(a, b, rectangle) {
    let n = 0;
    each_pixel(a, rectangle, (i) => { if ([0, 1, 2].some((c) => Math.abs(a.data[i + c] - b.data[i + c]) > SAME)) n++; });
    return n;
}

// Share of the pixels that differ between two pictures.
export function difference(a, b) {
    if (a.width !== b.width || a.height !== b.height) return 1;
    return count_changed(a, b, { x: 0, y: 0, ...a })/(a.width*a.height);
}

// Share of the pixels, `margin` away from the edges, that are not of the most frequent colour: 0 for a blank picture.
export function ink(image, margin = 0) {
    const { width, height, data } = image, count = new Map();
    let all = 0;
    each_pixel(image, { x: margin, y: margin, width: width - 2*margin, height: height - 2*margin }, (i) => {
        const key = data[i] << 16 | data[i + 1] << 8 | data[i + 2];
        count.set(key, (count.get(key) ?? 0) + 1);
        all++;
    });
    return 1 - Math.max(...count.values())/all;
}

// Mean position, in pixels from the upper left corner, of the pixels in a rectangle for which is(r, g, b), and their number.
export function centre(image, is, rectangle) {
    const { data } = image;
    let n = 0, x = 0, y = 0;
    each_pixel(image, rectangle, (k, i, j) => {
        if (!is(data[k], data[k + 1], data[k + 2])) return;
        n++;
        x += i + 0.5;
        y += j + 0.5;
    });
    return { n, x: x/n, y: y/n };
}
