import { type RefObject, useEffect, useRef, useState } from "react";

/** An element within this distance of the screen counts as seen. */
const MARGIN = "200px";

/** Whether the element has been on or near the screen since it was mounted. */
export function useSeen<Kind extends Element>(): [ref: RefObject<Kind | null>, isSeen: boolean] {
  const ref = useRef<Kind>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (!element || isSeen) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setSeen(true);
      },
      { rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isSeen]);
  return [ref, isSeen];
}
