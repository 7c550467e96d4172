const FIELD = "input:is(:not([type]), [type=text], [type=email], [type=password], [type=search])";

/**
 * Focuses the first field to type in, and tells whether there is one. On a touch screen, where the keyboard would cover what has
 * just opened, `instead` gets the focus.
 */
export function focusFirstField(place: Element, instead?: HTMLElement): boolean {
  const field = place.querySelector<HTMLElement>(`${FIELD}:not(:disabled, [readonly])`);
  const isTouched = matchMedia("(pointer: coarse)").matches;
  const focused = field && isTouched ? instead : field;
  focused?.focus();
  return focused != null;
}
