import { bell, ramp } from "../../../src/shared/phantom/noise.ts";
import { accumulate, type Raster } from "../../../src/shared/phantom/raster.ts";
import { RIB_STEP, type RibPoint, ribPath, splitRib } from "./rib-path.ts";
import { emptyLike, flush, type Point, paintTube } from "./tube.ts";

/** Adds what a ray meets of spine, ribs and shoulders, in mm of water; the middle of the chest is at `[0, 0]`. */
export function paintChestBones(raster: Raster): void {
  paintSpine(raster);
  paintRibs(raster);
  paintShoulders(raster);
}

function paintSpine(raster: Raster): void {
  accumulate(raster, [-40, -200, 40, 200], (x, y) => {
    const along = (((y + 200) / RIB_STEP) % 1) - 0.5;
    const body = discAcross(x, 19 + 2.5 * Math.abs(along)) * (1 - 0.55 * bell(Math.abs(along) - 0.5, 0.1));
    const pedicles = bell(Math.hypot(Math.abs(x) - 12, along * RIB_STEP + 3), 3.4) * 8;
    const spinous = bell(x, 2.2) * ramp(0.5, 0.1, Math.abs(along - 0.15)) * 9;
    return body * 19 + pedicles + spinous;
  });
}

/** The ribs as bent tubes: their back and front parts lie over each other and add up. */
function paintRibs(raster: Raster): void {
  const scratch = emptyLike(raster);
  const flat = (path: readonly RibPoint[]): Point[] => path.map(([x, , z]) => [x, -z]);
  for (const path of ribPath()) {
    const { back, front } = splitRib(path);
    flush(scratch, paintTube(scratch, flat(back), { radius: 5.8, wall: 1.5, density: 3.7 }), raster);
    flush(scratch, paintTube(scratch, flat(front), { radius: 6.4, wall: 1.5, density: 3.7 }), raster);
  }
}

/** Collarbones, the blades of the shoulder and the heads of the upper arms. */
function paintShoulders(raster: Raster): void {
  const scratch = emptyLike(raster);
  for (const side of [-1, 1]) {
    const collar = Array.from({ length: 16 }, (_, i): Point => {
      const t = i / 15;
      return [side * (16 + 132 * t), -112 - 30 * t - 9 * Math.sin(t * Math.PI * 1.8)];
    });
    flush(scratch, paintTube(scratch, collar, { radius: 6.4, wall: 1.8, density: 4.6 }), raster);
    const blade: Point[] = [
      [side * 152, -118],
      [side * 168, -60],
      [side * 158, 8],
      [side * 146, 22],
      [side * 124, -40],
      [side * 116, -96],
    ];
    flush(scratch, paintTube(scratch, blade, { radius: 3.4, wall: 1, density: 2.2 }), raster);
    flush(
      scratch,
      paintTube(
        scratch,
        [
          [side * 178, -128],
          [side * 196, 20],
        ],
        { radius: 16, wall: 2.6, density: 1.1 },
      ),
      raster,
    );
  }
}

function discAcross(distance: number, radius: number): number {
  return Math.sqrt(Math.max(0, 1 - (distance / radius) ** 2));
}
