export type Samples =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

/** A frame's samples, the colours of a pixel side by side. */
export interface DecodedFrame {
  rows: number;
  columns: number;
  samplesPerPixel: number;
  /** `[rows, columns, samplesPerPixel]` */
  samples: Samples;
  /** The codec returned red, green and blue, whatever the instance declares. */
  isRgb?: boolean;
}

/** Puts the colours of a pixel side by side. */
export function interleave<Kind extends Samples>(planes: Kind, samplesPerPixel: number): Kind {
  const pixels = Math.floor(planes.length / samplesPerPixel);
  const mixed = planes.slice() as Kind;
  for (let plane = 0; plane < samplesPerPixel; plane++) {
    for (let pixel = 0; pixel < pixels; pixel++) {
      mixed[pixel * samplesPerPixel + plane] = planes[plane * pixels + pixel] ?? 0;
    }
  }
  return mixed;
}
