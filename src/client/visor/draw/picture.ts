import type { PreparedFrame } from "../../../shared/pixels/prepare-frame.ts";
import type { Placement } from "./placement.ts";

/** What is drawn. `table` has the grey level of each index of a grey frame, or its red, green and blue. */
export interface Picture {
  frame: PreparedFrame;
  table: Uint8Array;
  /** Colours only: the table of a grey frame is inverted already. */
  isInverted: boolean;
}

export interface Renderer {
  /** Draws into the canvas as large as it is now. Objects that are the same as before are not sent again. */
  draw(picture: Picture, placement: Placement): void;
  clear(): void;
  dispose(): void;
}
