import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useLayoutEffect, useRef } from "react";
import { Button } from "./button.tsx";

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
  const to = i18n.number(before + shown);
  const all = i18n.number(total);
  const pages = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    // The button that led to the last page has nothing to do there. Not its neighbour: the key that was pressed must not lead back.
    const { activeElement } = document;
    if (activeElement?.matches(":disabled") && pages.current?.contains(activeElement)) pages.current.focus();
  });
  return (
    <nav
      ref={pages}
      tabIndex={-1}
      className={className}
      aria-label={t({ id: "pager.label", message: "Pages" })}
    >
      <span aria-live="polite">
        <Plural
          id="pager.showingOf"
          value={total}
          one={`Showing ${from} to ${to} of ${all} result`}
          other={`Showing ${from} to ${to} of ${all} results`}
        />
      </span>
      <Button size="small" disabled={!onStep || before === 0} onClick={() => onStep?.(-1)}>
        <Trans id="pager.previous">Previous</Trans>
      </Button>
      <Button size="small" disabled={!onStep || before + shown >= total} onClick={() => onStep?.(1)}>
        <Trans id="pager.next">Next</Trans>
      </Button>
    </nav>
  );
}
