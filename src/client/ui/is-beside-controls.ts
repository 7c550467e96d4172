/** Whether a click met a row itself: none of its controls, and no selection of its text ends there. */
export function isBesideControls(target: EventTarget): boolean {
  const isControl = target instanceof Element && target.closest("button, a, input, [role=menu]") !== null;
  return !isControl && (window.getSelection()?.isCollapsed ?? true);
}
