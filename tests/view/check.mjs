import { check, finish, open, picture, ink, ok } from './harness.mjs';
const p = await open('stand.html');
await check('a', async () => { ok(p.complaints.length===0, p.complaints[0]); return String(ink(await picture(p.locator('canvas'),'stand'))); });
await finish();
