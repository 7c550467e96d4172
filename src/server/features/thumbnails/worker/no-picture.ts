import type { PictureFailure } from "./picture-messages.ts";

/** There is no picture to be made of a frame. */
export class NoPicture extends Error {
  override name = "NoPicture";
  constructor(
    readonly failure: PictureFailure,
    readonly detail: string,
  ) {
    super(`${failure}: ${detail}`);
  }
}
