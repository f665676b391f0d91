// stills.mjs - the pictures in examples/gallery, from the pages that `make gallery` wrote:  sh tests/view/run.sh stills
//
// The names of the pictures, the pages of build/demo/out, their frames (negative: from the end) and the sizes in pixels.
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { check, finish, ok, open, picture, skip } from './harness.mjs';

const stills = [
    ['push', 'push/push.html', 70, 1000, 380],
    ['manifold_drop', 'manifold_drop/manifold_drop.html', -1, 720, 400],
    ['ncp_tumble', 'ncp_tumble/ncp_tumble.html', -1, 720, 400],
    ['sim_chain', 'sim_chain/sim_chain.html', 30, 720, 400],
    ['sim_ant', 'sim_ant/sim_ant.html', -1, 720, 400],
    ['grains', 'grain_silo/grain_silo.html', -1, 720, 400]
];
const most = 150e3;                                             // bytes

for (const [name, path, frame, width, height] of stills) {
    await check(`${name}.png`, async () => {
        const file = resolve('build/demo/out', path);
        if (!existsSync(file)) skip(`no ${path} (make gallery)`);
        const page = await open(file, { width: width + 40, height: 900, colorScheme: 'light', reducedMotion: 'reduce' });
        await page.addStyleTag({ content: `#stage { width: ${width}px !important; height: ${height}px !important; border: 0 !important; }` });
        await page.evaluate((k) => {
            window.dispatchEvent(new Event('resize'));
            view.seek(k < 0 ? +document.getElementById('scrub').max + 1 + k : k);
        }, frame);
        await page.waitForTimeout(300);
        await picture(page.locator('#stage'), '../../examples/gallery/' + name);
        const bytes = statSync(`examples/gallery/${name}.png`).size;
        ok(bytes < most, `${bytes} bytes`);
        await page.context().close();
        return `${bytes} bytes`;
    });
}
await finish();
