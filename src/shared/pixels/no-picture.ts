/** `unsupported`: nothing here can decode it; `undecodable`: something is wrong with it. */
export type PictureFailure = "unsupported" | "undecodable";

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
