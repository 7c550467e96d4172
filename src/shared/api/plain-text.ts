import * as z from "zod/mini";
import { withoutBidiControls } from "../rules/without-bidi-controls.ts";

/** A check of text that is shown within other text: takes out what would reorder that, then spaces at both ends. */
export const plain = z.overwrite<string>((text) => withoutBidiControls(text).trim());
