// png.mjs - decodes the PNG that a browser screenshot is: 8 bits a channel, RGB or RGBA, not interlaced.
import { inflateSync } from 'node:zlib';

// Paeth's predictor (PNG specification, 9.4): whichever of left, up, upper left is nearest to left + up - upper left.
function paeth(a, b, c) {
    const pa = Math.abs(b - c), pb = Math.abs(a - c), pc = Math.abs(a + b - 2*c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

// { width, height, data }: rows from the top, four bytes R G B A a pixel.
export function decodePNG(file) {
    if (file.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') throw new Error('not a PNG');
    const width = file.readUInt32BE(16), height = file.readUInt32BE(20);
    const [depth, type, , , interlaced] = file.subarray(24, 29);
    const n = type === 6 ? 4 : type === 2 ? 3 : 0;
    if (depth !== 8 || !n || interlaced) throw new Error(`PNG of depth ${depth}, type ${type}, interlaced ${interlaced}`);

    // chunks: length, name, that many bytes, checksum
    const parts = [];
    for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at))
        if (file.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)));
    const raw = inflateSync(Buffer.concat(parts));

    // each row is a filter byte and width*n bytes, which the filter predicts from their neighbours
    const data = new Uint8Array(4*width*height).fill(255);
    const stride = width*n;
    let above = new Uint8Array(stride);
    for (let y = 0; y < height; y++) {
        const filter = raw[y*(stride + 1)];
        const row = raw.subarray(y*(stride + 1) + 1, (y + 1)*(stride + 1));
        for (let i = 0; i < stride; i++) {
            const left = i >= n ? row[i - n] : 0, up = above[i], corner = i >= n ? above[i - n] : 0;
            row[i] += [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
        }
        for (let x = 0; x < width; x++)
            for (let k = 0; k < n; k++) data[4*(y*width + x) + k] = row[n*x + k];
        above = row;
    }
    return { width, height, data };
}
