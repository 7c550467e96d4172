import { useEffect, useEffectEvent, useState } from "react";

/** Takes files that are dropped anywhere on the page. Returns whether some are held over it; `onOver` is called while they are. */
export function usePageDrop(onDrop: (transfer: DataTransfer) => void, onOver?: () => unknown): boolean {
  const [isOver, setOver] = useState(false);
  const drop = useEffectEvent(onDrop);
  const over = useEffectEvent(() => void onOver?.());
  useEffect(() => {
    const listen = new AbortController();
    const { signal } = listen;
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") === true;
    document.addEventListener(
      "dragover",
      (event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
        over();
      },
      { signal },
    );
    // Leaving an element for another one inside the page names that one.
    document.addEventListener("dragleave", (event) => event.relatedTarget === null && setOver(false), {
      signal,
    });
    document.addEventListener(
      "drop",
      (event) => {
        if (!event.dataTransfer || !hasFiles(event)) return;
        event.preventDefault();
        setOver(false);
        drop(event.dataTransfer);
      },
      { signal },
    );
    return () => listen.abort();
  }, []);
  return isOver;
}
