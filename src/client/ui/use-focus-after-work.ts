import { type Ref, type RefObject, useImperativeHandle, useLayoutEffect, useRef } from "react";

/**
 * Gives a button the focus back that it had when it was disabled, unless something else has taken it meanwhile: buttons are disabled
 * while what they do goes on, and Chromium takes the focus from what is disabled.
 *
 * @param ref what the button's owner passes; it gets the same element
 */
export function useFocusAfterWork(
  isDisabled: boolean,
  ref: Ref<HTMLButtonElement> | undefined,
): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const hadFocus = useRef(false);
  useImperativeHandle(ref, () => button.current as HTMLButtonElement);
  useLayoutEffect(() => {
    // The focus goes with the next frame only.
    if (isDisabled) {
      hadFocus.current = document.activeElement === button.current;
      return;
    }
    if (hadFocus.current && document.activeElement === document.body) button.current?.focus();
    hadFocus.current = false;
  }, [isDisabled]);
  return button;
}
