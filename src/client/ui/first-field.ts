const FIELD = "input:is(:not([type]), [type=text], [type=email], [type=password], [type=search])";

/**
 * Focuses the first field to type in, and tells whether there is one. Not on a touch screen, where the keyboard would cover
 * what has just opened.
 */
export function focusFirstField(place: Element): boolean {
  if (matchMedia("(pointer: coarse)").matches) return false;
  const field = place.querySelector<HTMLElement>(`${FIELD}:not(:disabled, [readonly])`);
  field?.focus();
  return field !== null;
}
