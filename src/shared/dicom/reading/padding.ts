/**
 * Removes the spaces and NULs at the end of a text. It uses a loop because a regular expression would take quadratic
 * time on a value crafted for that.
 */
export function trimPaddingEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isPadding(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Removes the spaces and NULs at both ends of a text. */
export function trimPadding(text: string): string {
  const trimmed = trimPaddingEnd(text);
  let start = 0;
  while (start < trimmed.length && isPadding(trimmed.charCodeAt(start))) start += 1;
  return trimmed.slice(start);
}

function isPadding(code: number): boolean {
  return code === 0x20 || code === 0;
}
