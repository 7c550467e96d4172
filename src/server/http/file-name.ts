const MAX_LENGTH = 100;

/** A text as the name of a file that a browser saves, without an extension; empty if no letter or digit is left of it. */
export function fileNameOf(text: string): string {
  const plain = text
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}._-]+/gu, "_")
    .replace(/^[._]+/, "");
  // A cut letter of two code units leaves half of it, which no header can hold.
  return plain.slice(0, MAX_LENGTH).replace(/\p{Cs}$/u, "");
}
