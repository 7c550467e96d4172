import { useEffect, useState } from "react";

const QUIET_MS = 400;

/**
 * Tells a screen reader a text once the person has stopped, and not at each of their steps.
 * @param text undefined: what was said last stays
 */
export function QuietStatus({ text }: { text: string | undefined }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (text === undefined) return;
    const timer = setTimeout(() => setSaid(text), QUIET_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <p className="sr-only" role="status">
      {said}
    </p>
  );
}
