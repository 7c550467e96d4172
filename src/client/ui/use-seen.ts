import { type RefObject, useEffect, useRef, useState } from "react";

/** How far outside of what is shown counts as seen. */
const MARGIN = "200px";

/** Whether the element was on the screen, or nearly, since it is there. */
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
