import { Children, type ReactNode } from "react";

/** As `calendarText` and `momentText` write them. */
const DATE = /(\d\d-(?:\d\d|[A-Z][a-z]{2})-\d{4}(?: \d\d:\d\d)?)/;

/** Text that keeps each date in one line: a browser would break `23-12-2026` after a hyphen. */
export function WholeDates({ children }: { children: ReactNode }) {
  if (typeof children === "string") return inWhole(children);
  return Children.map(children, (child) => (typeof child === "string" ? inWhole(child) : child));
}

/** One element, because the sentence may be a part of a flexible row. */
function inWhole(text: string): ReactNode {
  if (!DATE.test(text)) return text;
  const parts = text.split(DATE);
  return (
    <span>
      {parts.map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          // The same date may stand twice in a sentence.
          <span key={parts.slice(0, index).join("")} className="whitespace-nowrap">
            {part}
          </span>
        ),
      )}
    </span>
  );
}
