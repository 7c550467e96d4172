import { AppError } from "../../http/app-error.ts";
import { validationFailed } from "../../http/http.errors.ts";
import type { Drawing } from "../thumbnails/worker/picture-messages.ts";

/** Keywords of the parameters that no picture follows here (PS3.18 §8.3.5.1.1 and §8.3.5.1.5). */
const KEYWORDS = {
  annotation: ["patient", "technique"],
  iccprofile: ["no", "yes", "srgb", "adobergb", "rommrgb", "displayp3"],
} as const;
/** What is done all the same: no picture has an ICC profile. */
const DONE: ReadonlySet<string> = new Set(["no"]);

/**
 * The values of `Warning` that name what a picture lacks of its request: pictures are not annotated, and their colours are those of
 * the image.
 * @throws {AppError} 400 if a value is no keyword, and for an ICC profile in a GIF, which has no place for one
 */
export function renderingWarnings(parameters: URLSearchParams, type: Drawing["type"]): string[] {
  return (["annotation", "iccprofile"] as const).flatMap((name) => {
    const values = parameters.getAll(name).flatMap((value) => value.split(","));
    const missing = values.filter((value) => !DONE.has(value));
    const isUnknown = values.some((value) => !(KEYWORDS[name] as readonly string[]).includes(value));
    if (isUnknown || (name === "iccprofile" && type === "gif" && missing.length > 0))
      throw new AppError(validationFailed, { violations: [{ path: name, code: "invalid" }] });
    const named = [...new Set(missing)].join(", ");
    return named === "" ? [] : [`299 dicomweb "The following ${name} values are not supported: ${named}"`];
  });
}
