const NUMBER_DIGITS = 8;

/** The prefix of a volume's entry names. Random digits of the volume's id keep joined volumes apart. */
export function volumeFolder(volumeId: string): string {
  // A UUIDv7 begins with the time, which volumes of the same minute would share.
  const digits = volumeId.replaceAll("-", "").slice(-12).toLowerCase();
  if (!/^[0-9a-f]{12}$/.test(digits)) throw new TypeError("a volume id is a UUID");
  return `DICOM/${digits}/`;
}

/** The name of a volume's `number`th entry, counted from 1. `moreDigits` makes it that many bytes longer. */
export function entryName(folder: string, number: number, moreDigits = 0): string {
  return `${folder}${String(number).padStart(NUMBER_DIGITS + moreDigits, "0")}.dcm`;
}
