// runs a WASI program: node wasm.mjs PROGRAM
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const wasi = new WASI({ version: 'preview1', args: [process.argv[2]], env: {} });
const program = await WebAssembly.instantiate(await WebAssembly.compile(await readFile(process.argv[2])), wasi.getImportObject());
process.exitCode = wasi.start(program);
