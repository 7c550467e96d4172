import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button } from "./button.tsx";
import { useFocusWhenDone } from "./use-focus-when-done.ts";

interface PagerProps {
  className?: string;
  /** Number of rows before the shown ones. */
  before: number;
  shown: number;
  total: number;
  /** Omitted if all rows fit on one page. */
  onStep?: (pages: 1 | -1) => void;
}

/** The range of shown rows out of the total, with buttons for the other pages. */
export function Pager({ className = "pager", before, shown, total, onStep }: PagerProps) {
  const { i18n, t } = useLingui();
  const from = i18n.number(shown > 0 ? before + 1 : 0);
  // While the last page is read, a full one before it is still shown.
  const to = i18n.number(Math.min(before + shown, total));
  const all = i18n.number(total);
  const isFirst = !onStep || before === 0;
  const isLast = !onStep || before + shown >= total;
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
