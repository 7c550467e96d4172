import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "../../ui/button.tsx";

/** One page holds all accounts that match. */
export function UserPager({ shown, total }: { shown: number; total: number }) {
  const { i18n, t } = useLingui();
  const from = i18n.number(Math.min(1, shown));
  const to = i18n.number(shown);
  const all = i18n.number(total);
  return (
    <nav className="user-pager" aria-label={t({ id: "pager.label", message: "Pages" })}>
      <span aria-live="polite">
        <Trans id="pager.showing">
          Showing {from} to {to} of {all} results
        </Trans>
      </span>
      <Button size="small" disabled>
        <Trans id="pager.previous">Previous</Trans>
      </Button>
      <Button size="small" disabled>
        <Trans id="pager.next">Next</Trans>
      </Button>
    </nav>
  );
}
