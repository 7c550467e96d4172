import { type DragEvent, useState } from "react";
import { type Picked, pickDroppedSources } from "../../pick/picked-files.ts";

/** Makes an element take a drop. Elements inside it send drag events too; only leaving the element itself counts. */
export function useDrop(disabled: boolean, onPick: (picked: Promise<Picked[]>) => void) {
  const [isOver, setOver] = useState(false);
  return {
    isOver: isOver && !disabled,
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      event.dataTransfer.dropEffect = disabled ? "none" : "copy";
      setOver(true);
    },
    onDragLeave: (event: DragEvent<HTMLElement>) => {
      if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) {
        setOver(false);
      }
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      if (!disabled) onPick(pickDroppedSources(event.dataTransfer));
    },
  };
}
