import { openAtom } from "../places/views.ts";

/** Whether the sample exam is open over the view; a step of the history. */
export const sampleOpenAtom = openAtom("sample");
