import decodeQR from "qr/decode.js";

const SCALE = 4;

/** The text of a QR Code drawn as `data:image/svg+xml;base64,…`, one unit square a dark module. */
export function readQrCode(url: string): string {
  const svg = Buffer.from(url.split(",")[1] ?? "", "base64").toString();
  const width = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]) * SCALE;
  const path = / d="([^"]+)"/.exec(svg)?.[1] ?? "";
  const data = new Uint8Array(width * width * 4).fill(255);
  let [x, y] = [0, 0];
  for (const [, command, dx, dy] of path.matchAll(/([Mm])(-?\d+)[ ,]?(-?\d+)/g)) {
    const [fromX, fromY] = command === "m" ? [x, y] : [0, 0];
    [x, y] = [fromX + Number(dx), fromY + Number(dy)];
    for (let row = y * SCALE; row < (y + 1) * SCALE; row++)
      for (let column = x * SCALE; column < (x + 1) * SCALE; column++)
        data.set([0, 0, 0], (row * width + column) * 4);
  }
  return decodeQR({ width, height: width, data });
}
