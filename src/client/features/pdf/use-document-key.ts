import { useEffect, useRef } from "react";

/**
 * Ctrl (⌘) and a letter while a PDF is on screen and no dialog is over it. The browser's own search and print know only the pages that
 * are drawn; where `act` answers false, the key is the browser's.
 */
export function useDocumentKey(letter: string, act: () => boolean): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isKey = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === letter;
      if (!isKey || event.altKey || event.shiftKey) return;
      if (document.querySelector("[role=dialog], [role=alertdialog]")) return;
      if (latest.current()) event.preventDefault();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [letter]);
}
