import { Trans } from "@lingui/react/macro";
import { useId, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { HomeRow, HomeSection } from "./home-panel.tsx";
import type { useWaiting, WaitingItem } from "./use-waiting.tsx";

const SHOWN = 5;

/**
 * What waits for the person; nothing at all if nothing does. Its rows stay as long as the view does, because what is below must
 * not move away from a finger: what comes later is shown at the next visit, and what is done loses its button.
 */
export function WaitingList({ query }: { query: ReturnType<typeof useWaiting> }) {
  const [wasLate] = useState(query.data === undefined);
  const [first, setFirst] = useState(query.data);
  if (!first && query.data) setFirst(query.data);
  const shown = first?.slice(0, SHOWN).map((item) => withNews(item, query.data));
  if (shown?.length === 0 && !wasLate) return null;
  return (
    <HomeSection
      title={<Trans id="home.waiting.title">Waiting for you</Trans>}
      count={shown?.filter(({ action }) => action).length}
      query={{ ...query, data: shown }}
    >
      {(items) => (
        <ul className="panel home-rows">
          {items.length === 0 && (
            <li className="home-none">
              <Trans id="home.waiting.none">Nothing waits for you.</Trans>
            </li>
          )}
          {items.map((item) => (
            <li key={item.key}>
              <WaitingRow item={item} />
            </li>
          ))}
        </ul>
      )}
    </HomeSection>
  );
}

/** Its button's name is what it does and what the row is about, since several rows may do the same. */
function WaitingRow({ item: { lead, title, text, action } }: { item: WaitingItem }) {
  const [titleId, buttonId] = [useId(), useId()];
  return (
    <HomeRow
      lead={lead}
      title={<span id={titleId}>{title}</span>}
      actions={
        action && (
          <Button size="small" id={buttonId} aria-labelledby={`${buttonId} ${titleId}`} onClick={action.run}>
            {action.label}
          </Button>
        )
      }
    >
      {text}
    </HomeRow>
  );
}

/** The row as it is now. One that is not there any more has nothing left to do. */
function withNews(item: WaitingItem, now: readonly WaitingItem[] | undefined): WaitingItem {
  return now?.find(({ key }) => key === item.key) ?? { ...item, action: undefined };
}
