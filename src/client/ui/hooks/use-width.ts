import { type RefObject, useLayoutEffect, useState } from "react";

/** An element's inner width in pixels, before its first painting and after each change; undefined while it is not laid out. */
export function useWidth(ref: RefObject<HTMLElement | null>): number | undefined {
  const [widthPx, setWidthPx] = useState<number>();
  useLayoutEffect(() => {
    const { current } = ref;
    if (!current) return;
    const measure = () => setWidthPx(current.clientWidth || undefined);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [ref]);
  return widthPx;
}
