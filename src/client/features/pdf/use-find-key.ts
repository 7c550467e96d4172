import { type RefObject, useEffect, useRef } from "react";

/**
 * Ctrl+F (⌘F) opens our search while a PDF is on screen, because the browser's own sees only the pages that are drawn;
 * pressed again inside the field, it opens the browser's search.
 */
export function useFindKey(input: RefObject<HTMLInputElement | null>, open: () => void): void {
  const opened = useRef(open);
  useEffect(() => {
    opened.current = open;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isFind = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "f";
      if (!isFind || event.shiftKey || document.activeElement === input.current) return;
      if (document.querySelector("[role=dialog], [role=alertdialog]")) return;
      event.preventDefault();
      opened.current();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [input]);
}
