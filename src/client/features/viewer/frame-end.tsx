import type { FocusEvent, RefObject } from "react";

/**
 * The end of a dialog that ends in a frame. Tab goes from the frame to what follows it, and the dialog would send the focus back there:
 * this place sends it to the dialog's first control. From that one Shift+Tab comes here, and goes to the frame.
 */
export function FrameEnd({ dialog }: { dialog: RefObject<HTMLElement | null> }) {
  const pass = ({ relatedTarget }: FocusEvent) => {
    const controls = dialog.current?.querySelectorAll<HTMLElement>("button, iframe") ?? [];
    const [first] = controls;
    const isBackwards = relatedTarget !== null && relatedTarget === first;
    (isBackwards ? Array.from(controls).at(-1) : first)?.focus();
  };
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it passes the focus on
  // biome-ignore lint/a11y/noStaticElementInteractions: as above
  return <span className="sr-only" tabIndex={0} onFocus={pass} />;
}
