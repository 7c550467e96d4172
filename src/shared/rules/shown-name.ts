import { fold } from "../fold.ts";

/** In characters. Longer names are cut before they are compared. */
const MAX_NAME = 200;

/**
 * Whether the patient of some images may be who a request names: each word of the shown name is one of the patient's, and each
 * initial, such as "G.", begins one. `patientName` is written as DICOM does.
 */
export function mayBeSamePerson(shownName: string, patientName: string): boolean {
  const words = wordsOf(patientName.replace(/[\^=]+/g, " "));
  const shown = wordsOf(shownName);
  return (
    shown.length > 0 &&
    shown.every((word) =>
      words.some((other) => (word.length === 1 ? other.startsWith(word) : other === word)),
    )
  );
}

function wordsOf(name: string): string[] {
  return fold(name.slice(0, MAX_NAME))
    .split(/[\s.,]+/)
    .filter((word) => word !== "");
}
