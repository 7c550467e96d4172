import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { Button } from "./button.tsx";
import { useFocusWhenDone } from "./hooks/use-focus-when-done.ts";

interface ShownRows {
  /** Number of rows before the shown ones. */
  before: number;
  shown: number;
  total: number;
}

interface PagerProps extends ShownRows {
  className?: string;
  /** Whether the page that begins at `before` is still being read: the rows, and so the words, are those of the page before it. */
  isReading?: boolean;
  /** Omitted if all rows fit on one page. */
  onStep?: (pages: 1 | -1) => void;
}

/** The range of shown rows out of the total, with buttons for the other pages. */
export function Pager({ className = "pager", isReading = false, onStep, ...asked }: PagerProps) {
  const { i18n, t } = useLingui();
  const { before, shown, total } = useLastRead(asked, isReading);
  const from = i18n.number(shown > 0 ? before + 1 : 0);
  const to = i18n.number(shown > 0 ? Math.min(before + shown, total) : 0);
  const all = i18n.number(total);
  const isFirst = !onStep || asked.before === 0;
  const isLast = !onStep || asked.before + asked.shown >= asked.total;
  const previous = useFocusWhenDone(isFirst);
  const next = useFocusWhenDone(isLast);
  return (
    <nav tabIndex={-1} className={className} aria-label={t({ id: "pager.label", message: "Pages" })}>
      <span aria-live="polite">
        <Plural
          id="pager.showingOf"
          value={total}
          one={`Showing ${from} to ${to} of ${all} result`}
          other={`Showing ${from} to ${to} of ${all} results`}
        />
      </span>
      <Button size="small" ref={previous} disabled={isFirst} onClick={() => onStep?.(-1)}>
        <Trans id="pager.previous">Previous</Trans>
      </Button>
      <Button size="small" ref={next} disabled={isLast} onClick={() => onStep?.(1)}>
        <Trans id="pager.next">Next</Trans>
      </Button>
    </nav>
  );
}

/** The rows as they were when their page was last there. */
function useLastRead(rows: ShownRows, isReading: boolean): ShownRows {
  const [read, setRead] = useState(rows);
  if (isReading) return read;
  const { before, shown, total } = rows;
  if (before !== read.before || shown !== read.shown || total !== read.total) setRead(rows);
  return rows;
}
