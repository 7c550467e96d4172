import { join } from "node:path";
import type { Window } from "../../../src/shared/pixels/pixel-module.ts";

/** A picture that DCMTK drew: one sample a pixel, or red, green and blue. */
export interface DrawnByDcmtk {
  columns: number;
  rows: number;
  channels: 1 | 3;
  bytes: Uint8Array;
}

/** DCMTK's programs that draw, JPEG-LS by its own; undefined if this machine has none. */
export function findDcmtk(): ((transferSyntaxUID: string) => string) | undefined {
  const [j2pnm, l2pnm] = [Bun.which("dcmj2pnm"), Bun.which("dcml2pnm")];
  if (!j2pnm || !l2pnm) return undefined;
  return (transferSyntaxUID) => (/\.4\.8[01]$/.test(transferSyntaxUID) ? l2pnm : j2pnm);
}

/** Draws a frame (0-based) of a file with all its overlays in white, by its native values; undefined if DCMTK can't. */
export async function drawOverlaysByDcmtk(
  program: string,
  { file, frameIndex }: { file: string; frameIndex: number },
  scratch: string,
): Promise<DrawnByDcmtk | undefined> {
  const out = join(scratch, "overlays.pnm");
  const command = [program, "-q", "+O", "0", "+Omr", "+F", `${frameIndex + 1}`, "+op", file, out];
  const { exitCode } = Bun.spawnSync(command, { timeout: 20_000 });
  return exitCode === 0 ? parsePnm(await Bun.file(out).bytes()) : undefined;
}

/**
 * Draws a frame (0-based) of a file, through a window, by the VOI LUT of the file (`"table"`) or without either; undefined if DCMTK can't.
 */
export async function drawByDcmtk(
  program: string,
  { file, frameIndex, voi }: { file: string; frameIndex: number; voi: Window | "table" | undefined },
  scratch: string,
): Promise<DrawnByDcmtk | undefined> {
  const out = join(scratch, "drawn.pnm");
  await Bun.file(out)
    .delete()
    .catch(() => undefined);
  const window = voi === "table" ? ["+Wl", "1"] : voi ? ["+Ww", `${voi.center}`, `${voi.width}`] : [];
  const shape = voi !== "table" && voi?.shape === "sigmoid" ? ["+Wfs"] : [];
  const command = [
    program,
    "-q",
    "-O",
    "-a",
    "+F",
    `${frameIndex + 1}`,
    ...window,
    ...shape,
    "+op",
    file,
    out,
  ];
  const { exitCode } = Bun.spawnSync(command, { timeout: 20_000 });
  return exitCode === 0 && (await Bun.file(out).exists()) ? parsePnm(await Bun.file(out).bytes()) : undefined;
}

function parsePnm(bytes: Uint8Array): DrawnByDcmtk {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 200));
  const [all = "", kind, columns, rows] = /^P([56])\s(?:#.*\n)?(\d+)\s+(\d+)\s+255\s/.exec(head) ?? [];
  return {
    columns: Number(columns),
    rows: Number(rows),
    channels: kind === "6" ? 3 : 1,
    bytes: bytes.subarray(all.length),
  };
}
