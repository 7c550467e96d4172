import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "../../ui/button.tsx";
import { STUDIES_PER_PAGE } from "./use-study-list.ts";

interface StudyPagerProps {
  pageIndex: number;
  shown: number;
  total: number;
  onPageChange: (pageIndex: number) => void;
}

/** Which studies of how many are shown, and the way to the others. */
export function StudyPager({ pageIndex, shown, total, onPageChange }: StudyPagerProps) {
  const { i18n, t } = useLingui();
  const before = pageIndex * STUDIES_PER_PAGE;
  const from = i18n.number(shown > 0 ? before + 1 : 0);
  const to = i18n.number(before + shown);
  const all = i18n.number(total);
  return (
    <nav className="study-pager" aria-label={t({ id: "pager.label", message: "Pages" })}>
      <span aria-live="polite">
        <Trans id="pager.showing">
          Showing {from} to {to} of {all} results
        </Trans>
      </span>
      <Button size="small" disabled={pageIndex === 0} onClick={() => onPageChange(pageIndex - 1)}>
        <Trans id="pager.previous">Previous</Trans>
      </Button>
      <Button size="small" disabled={before + shown >= total} onClick={() => onPageChange(pageIndex + 1)}>
        <Trans id="pager.next">Next</Trans>
      </Button>
    </nav>
  );
}
