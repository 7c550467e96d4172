import * as z from "zod/mini";
import { withoutBidiControls } from "../rules/without-bidi-controls.ts";

/**
 * Spaces, joiners, marks of direction, fillers (`Default_Ignorable_Code_Point` of UAX #44), controls, the marks of annotations and the
 * empty Braille pattern.
 */
const UNSEEN = /^[\s\p{Default_Ignorable_Code_Point}\p{Control}\ufff9-\ufffb\u2800]*$/u;

/**
 * A check of text that is shown within other text: takes out what would reorder that, then spaces at both ends. A text of which
 * nothing would be seen is empty.
 */
export const plain = z.overwrite<string>((text) => {
  const trimmed = withoutBidiControls(text).trim();
  return UNSEEN.test(trimmed) ? "" : trimmed;
});

/** Text without line breaks, which U+2028 and U+2029 are too, and other control characters. */
export const ONE_LINE = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u;

/** One line of such text, of at most so many characters; it may be empty. */
export const lineOfText = (maxLength: number) =>
  z
    .string("validation.required")
    .check(plain, z.maxLength(maxLength, "validation.tooLong"), z.regex(ONE_LINE, "validation.invalid"));

/** As {@link lineOfText}, of which something is seen. */
export const requiredLine = (maxLength: number) =>
  lineOfText(maxLength).check(z.minLength(1, "validation.required"));
