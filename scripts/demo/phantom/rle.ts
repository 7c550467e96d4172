const LITERAL_MAX = 128;
const HEADER_BYTES = 64;
const SEGMENTS_MAX = 15;

/**
 * Encodes one frame as RLE Lossless (PS3.5 annex G).
 * `samples` are little-endian and interleaved by pixel; each byte plane becomes a segment, high bytes first.
 */
export function encodeRleFrame(
  samples: Uint8Array,
  shape: { rows: number; columns: number; samplesPerPixel: number; bytesPerSample: number },
): Uint8Array {
  const { rows, columns, samplesPerPixel, bytesPerSample } = shape;
  const planes = samplesPerPixel * bytesPerSample;
  if (planes > SEGMENTS_MAX)
    throw new RangeError(`RLE holds at most ${SEGMENTS_MAX} segments, not ${planes}`);
  if (samples.length !== rows * columns * planes) throw new RangeError("frame length does not fit its shape");
  const segments: Uint8Array[] = [];
  for (let sample = 0; sample < samplesPerPixel; sample++) {
    for (let byte = bytesPerSample - 1; byte >= 0; byte--) {
      segments.push(encodeSegment(takePlane(samples, sample * bytesPerSample + byte, planes), rows, columns));
    }
  }
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(segments.length, 0);
  let offset = HEADER_BYTES;
  segments.forEach((segment, i) => {
    header.writeUInt32LE(offset, 4 + i * 4);
    offset += segment.length;
  });
  return Buffer.concat([header, ...segments]);
}

function takePlane(samples: Uint8Array, first: number, step: number): Uint8Array {
  const plane = new Uint8Array(samples.length / step);
  for (let i = 0; i < plane.length; i++) plane[i] = samples[first + i * step] ?? 0;
  return plane;
}

/** PackBits, one row at a time (runs never cross rows, PS3.5 §G.3.1), padded to an even length. */
function encodeSegment(plane: Uint8Array, rows: number, columns: number): Uint8Array {
  const out = new Uint8Array(plane.length + rows * (Math.ceil(columns / LITERAL_MAX) + 1) + 1);
  let end = 0;
  for (let row = 0; row < rows; row++) {
    end = encodeRow(plane.subarray(row * columns, (row + 1) * columns), out, end);
  }
  return out.slice(0, end + (end % 2));
}

function encodeRow(row: Uint8Array, out: Uint8Array, start: number): number {
  let end = start;
  let at = 0;
  while (at < row.length) {
    const run = runLength(row, at);
    if (run >= 3) {
      out[end++] = 257 - run;
      out[end++] = row[at] ?? 0;
      at += run;
      continue;
    }
    let stop = at + 1;
    while (stop < row.length && stop - at < LITERAL_MAX && runLength(row, stop) < 3) stop++;
    out[end++] = stop - at - 1;
    out.set(row.subarray(at, stop), end);
    end += stop - at;
    at = stop;
  }
  return end;
}

function runLength(row: Uint8Array, at: number): number {
  let end = at + 1;
  while (end < row.length && end - at < LITERAL_MAX && row[end] === row[at]) end++;
  return end - at;
}
