/**
 * Text without the spaces and NULs behind it. A loop, because the regular expression for it takes quadratic
 * time on a value made for that.
 */
export function trimPaddingEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isPadding(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Text without the spaces and NULs around it. */
export function trimPadding(text: string): string {
  const trimmed = trimPaddingEnd(text);
  let start = 0;
  while (start < trimmed.length && isPadding(trimmed.charCodeAt(start))) start += 1;
  return trimmed.slice(start);
}

function isPadding(code: number): boolean {
  return code === 0x20 || code === 0;
}
