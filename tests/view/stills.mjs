// stills.mjs - the pictures in examples/gallery, from pages in build/demo:  make stills
//
// Names of the pages, frames (negative: from the end), sizes in pixels, and how near the camera is.
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { check, finish, ok, open, picture, skip } from './harness.mjs';

const stills = [
    ['push', 70, 1000, 380, 1],
    ['manifold_drop', 40, 720, 400, 1.4],
    ['ncp_tumble', -1, 720, 400, 1],
    ['sim_chain', 80, 720, 400, 1.9],
    ['sim_ant', -1, 720, 400, 1],
    ['grain_silo', -1, 720, 400, 1]
];
const most = 150e3;                                             // bytes

for (const [name, frame, width, height, zoom] of stills) {
    await check(`${name}.png`, async () => {
        const file = resolve(`build/demo/${name}.html`);
        if (!existsSync(file)) skip(`no ${file}`);
        const page = await open(file, { width: width + 40, height: 900, colorScheme: 'light', reducedMotion: 'reduce' });
        await page.addStyleTag({ content: `#stage { width: ${width}px !important; height: ${height}px !important; border: 0 !important; }` });
        await page.waitForTimeout(300);                         // the page fits the scene into the new size
        await page.evaluate(([k, zoom]) => {
            view.camera.distance /= zoom;
            view.seek(k < 0 ? +document.getElementById('scrub').max + 1 + k : k);
        }, [frame, zoom]);
        await page.waitForTimeout(300);
        await picture(page.locator('#stage'), '../../examples/gallery/' + name);
        const bytes = statSync(`examples/gallery/${name}.png`).size;
        ok(bytes < most, `${bytes} bytes`);
        await page.context().close();
        return `${bytes} bytes`;
    });
}
await finish();
