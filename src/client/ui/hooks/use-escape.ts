import { useEffect, useEffectEvent } from "react";

/** Runs `leave` when Escape is pressed and nothing on the page, such as a dialog or a field, takes the key for itself. */
export function useEscape(leave: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.repeat || event.isComposing || event.defaultPrevented) return;
    if (!document.querySelector("[role=dialog], [role=alertdialog]")) leave();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}
