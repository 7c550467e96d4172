const NUMBER_DIGITS = 8;

/** The names of a volume's entries begin with this; random digits of its id keep joined volumes apart. */
export function volumeFolder(volumeId: string): string {
  // The front of a UUIDv7 is the time: volumes of the same minute would share it.
  const digits = volumeId.replaceAll("-", "").slice(-12).toLowerCase();
  if (!/^[0-9a-f]{12}$/.test(digits)) throw new TypeError("a volume id is a UUID");
  return `DICOM/${digits}/`;
}

/** The name of a volume's `number`th entry, from 1; `moreDigits` make it longer by as many bytes. */
export function entryName(folder: string, number: number, moreDigits = 0): string {
  return `${folder}${String(number).padStart(NUMBER_DIGITS + moreDigits, "0")}.dcm`;
}
