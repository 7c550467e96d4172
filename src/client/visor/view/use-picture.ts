import { useMemo, useRef } from "react";
import { drawnTable } from "../../../shared/pixels/drawn-table.ts";
import { fullWindow, type Voi } from "../../../shared/pixels/grey-table.ts";
import { type PixelModule, readPixelModule, type Window } from "../../../shared/pixels/pixel-module.ts";
import type { PreparedFrame } from "../../../shared/pixels/prepare-frame.ts";
import { readProposals } from "../../../shared/pixels/proposals.ts";
import type { Slice } from "../core/stacks.ts";
import { autoVoi } from "../core/windows.ts";
import type { Picture } from "../draw/picture.ts";
import type { Stage } from "../draw/placement.ts";
import type { ViewSettings } from "./view-settings.ts";

export interface ShownPicture {
  slice: Slice;
  pixels: PixelModule;
  picture: Picture;
  /** The window that it is seen through; undefined for colours and for a table of the instance. */
  window: Window | undefined;
}

/** The picture on a screen of that size. */
export function stageOf({ picture, pixels }: ShownPicture, screen: { width: number; height: number }): Stage {
  const { rows, columns } = picture.frame;
  const { width, height } = screen;
  return { rows, columns, pixelAspect: pixels.pixelAspect, width, height };
}

/** From where a person moves the window: the one that is seen, for a table of the instance the whole range. Undefined for colours. */
export function movedFrom({ picture: { frame }, pixels, window }: ShownPicture): Window | undefined {
  return window ?? (frame.kind === "grey" ? fullWindow(frame, pixels) : undefined);
}

const NO_TABLE = new Uint8Array();

/** The picture of a slice as the person wants to see it; undefined until the frame has come. */
export function usePictureOf(
  slice: Slice | undefined,
  frame: PreparedFrame | undefined,
  { window, proposal, isInverted }: Pick<ViewSettings, "window" | "proposal" | "isInverted">,
): ShownPicture | undefined {
  const kept = useRef<{ key: string; table: Uint8Array; window: Window | undefined }>(undefined);
  return useMemo(() => {
    if (!slice || !frame) return undefined;
    const pixels = readPixelModule(slice.metadata, slice.frameIndex);
    if (frame.kind === "colour") {
      return { slice, pixels, picture: { frame, table: NO_TABLE, isInverted }, window: undefined };
    }
    const chosen = (at: number) => readProposals(slice.metadata, slice.frameIndex, pixels)[at]?.voi;
    const own = proposal === undefined ? undefined : chosen(proposal);
    const voi: Voi = window ? { kind: "window", window } : (own ?? autoVoi(frame, pixels));
    const isDark = pixels.isInverted !== isInverted;
    const { first, step, levels } = frame;
    const { rescale, modalityTable, supplement } = pixels;
    // Most slices of a stack share their table; one with tables of its own gets a key of its own.
    const table = voi.kind === "table" && `${slice.key} ${proposal}`;
    const tables = table || ((modalityTable || supplement) && slice.key);
    const key = JSON.stringify([
      first,
      step,
      levels,
      rescale,
      voi.kind === "window" && voi.window,
      isDark,
      tables,
    ]);
    if (kept.current?.key !== key) {
      const shown = voi.kind === "window" ? voi.window : undefined;
      kept.current = { key, table: drawnTable(frame, pixels, voi, isDark), window: shown };
    }
    return {
      slice,
      pixels,
      picture: { frame, table: kept.current.table, isInverted },
      window: kept.current.window,
    };
  }, [slice, frame, window, proposal, isInverted]);
}
