import type { PictureFailure } from "./picture-messages.ts";

/** No picture can be made of a frame. */
export class NoPicture extends Error {
  override name = "NoPicture";
  constructor(
    readonly failure: PictureFailure,
    readonly detail: string,
  ) {
    super(`${failure}: ${detail}`);
  }
}
