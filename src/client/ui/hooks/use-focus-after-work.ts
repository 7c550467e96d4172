import { type Ref, type RefObject, useImperativeHandle, useLayoutEffect, useRef } from "react";

/**
 * Gives a control the focus back that it had when it was disabled, unless something else has taken it meanwhile: controls are disabled
 * while what they do goes on, and Chromium takes the focus from what is disabled.
 *
 * @param ref what the control's owner passes; it gets the same element
 */
export function useFocusAfterWork<Control extends HTMLElement>(
  isDisabled: boolean,
  ref?: Ref<Control>,
): RefObject<Control | null> {
  const control = useRef<Control>(null);
  const hadFocus = useRef(false);
  useImperativeHandle(ref, () => control.current as Control);
  useLayoutEffect(() => {
    // The focus goes with the next frame only.
    if (isDisabled) {
      hadFocus.current = document.activeElement === control.current;
      return;
    }
    if (hadFocus.current && document.activeElement === document.body) control.current?.focus();
    hadFocus.current = false;
  }, [isDisabled]);
  return control;
}
