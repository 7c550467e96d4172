import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Link, Opening } from "../../../shared/api/links.ts";
import { Button } from "../../ui/button.tsx";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { useOwnEscape } from "../../ui/hooks/use-own-escape.ts";
import { LinkIcon } from "../../ui/icons.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { whenText } from "../../ui/text/when-text.ts";
import { useExamCount } from "./use-exam-count.ts";
import { useEndLink, useOpenings } from "./use-links.ts";

/** The openings of a link that are listed here. */
const MAX_SHOWN = 10;

/** The links to an exam with their openings, newest first. */
export function LinkList({ links }: { links: Link[] }) {
  return (
    <>
      <ul>
        {links.map((link) => (
          <LinkItem key={link.id} link={link} />
        ))}
      </ul>
      <p className="field-hint">
        <Trans id="link.list.hint">Links that are over stay listed for 90 days.</Trans>
      </p>
    </>
  );
}

function LinkItem({ link }: { link: Link }) {
  const { t } = useLingui();
  const [isAsking, setAsking] = useState(false);
  // A person who keeps the link comes back to where they were.
  const [isKept, setKept] = useState(false);
  const isActive = link.state === "active";
  const keep = () => {
    setAsking(false);
    setKept(true);
  };
  const exams = useExamCount(link.studyIds.length);
  const name = link.recipient ?? t({ id: "link.nobody", message: "Link without a name" });
  return (
    <li className={isActive ? "" : "is-over"}>
      <div className="link-item">
        <LinkIcon className="link-icon" />
        <div>
          <b>{name}</b>
          <span>
            {exams} · <LinkStateText link={link} />
          </span>
        </div>
        {isActive && !isAsking && (
          <Button
            kind="quiet"
            size="small"
            ref={isKept ? focusOnce : undefined}
            aria-label={t({ id: "link.endOf", message: `End now: ${name}` })}
            onClick={() => setAsking(true)}
          >
            <Trans id="link.end">End now</Trans>
          </Button>
        )}
      </div>
      {isActive && isAsking && <EndQuestion link={link} onKeep={keep} />}
      <Openings link={link} />
    </li>
  );
}

function LinkStateText({ link }: { link: Link }) {
  const until = dayText(link.expiresAt);
  const endedAt = link.endedAt ? dayText(link.endedAt) : "";
  switch (link.state) {
    case "active":
      return link.hasPasscode ? (
        <Trans id="link.state.passcode">until {until}, with a passcode</Trans>
      ) : (
        <Trans id="link.state.active">until {until}, without a passcode</Trans>
      );
    case "blocked":
      return <Trans id="link.state.blocked">ended by wrong passcodes on {endedAt}</Trans>;
    case "ended":
      return <Trans id="link.state.ended">ended on {endedAt}</Trans>;
    case "used":
      return <Trans id="link.state.used">used up</Trans>;
    default:
      return <Trans id="link.state.expired">expired on {until}</Trans>;
  }
}

/** Focuses a button when it appears: the safe answer of a question that was just asked, what was pressed before it. */
function focusOnce(button: HTMLButtonElement | null): void {
  button?.focus();
}

function EndQuestion({ link, onKeep }: { link: Link; onKeep: () => void }) {
  const end = useEndLink();
  const question = useOwnEscape<HTMLDivElement>(() => !end.isPending && onKeep());
  return (
    <div ref={question} className="link-question" role="alertdialog" aria-labelledby={`end-${link.id}`}>
      <span id={`end-${link.id}`}>
        <Trans id="link.end.question">
          <b>End this link?</b> Whoever has it loses access at once.
        </Trans>
      </span>
      <Button size="small" ref={focusOnce} disabled={end.isPending} onClick={onKeep}>
        <Trans id="link.end.keep">Keep</Trans>
      </Button>
      <Button kind="destroy" size="small" disabled={end.isPending} onClick={() => end.mutate(link.id)}>
        <Trans id="link.end">End now</Trans>
      </Button>
    </div>
  );
}

function Openings({ link }: { link: Link }) {
  const query = useOpenings(link.id, link.openings);
  const { data = [], refetch } = query;
  const error = useFailure(query);
  const { wrongPasscodes, openings } = link;
  if (openings === 0 && wrongPasscodes === 0)
    return (
      <p className="link-openings">
        <Trans id="link.unopened">Nobody opened it yet</Trans>
      </p>
    );
  return (
    <ul className="link-openings">
      {error && (
        <li className="is-failed">
          <span role="alert">
            <Trans id="link.openings.failed">The openings could not be loaded.</Trans> {error.message}
          </span>
          <Button kind="quiet" size="small" onClick={() => void refetch()}>
            <Trans id="action.retry">Try again</Trans>
          </Button>
        </li>
      )}
      {data.slice(0, MAX_SHOWN).map((opening) => (
        <OpeningItem key={opening.at} opening={opening} />
      ))}
      {openings > MAX_SHOWN && (
        <li>
          <Plural
            id="link.moreOpenings"
            value={openings - MAX_SHOWN}
            one="# more opening"
            other="# more openings"
          />
        </li>
      )}
      {wrongPasscodes > 0 && (
        <li>
          <Plural
            id="link.wrongPasscodes"
            value={wrongPasscodes}
            one="# wrong passcode"
            other="# wrong passcodes"
          />
        </li>
      )}
    </ul>
  );
}

function OpeningItem({ opening }: { opening: Opening }) {
  const { i18n, t } = useLingui();
  const { at, address, device, readReport, downloaded } = opening;
  const did = [
    readReport && t({ id: "link.readReport", message: "read the report" }),
    downloaded && t({ id: "link.downloaded", message: "downloaded" }),
  ].filter(Boolean);
  return (
    <li>
      <span>{whenText(i18n, at)}</span>
      <span>{[device, address].filter(Boolean).join(" · ")}</span>
      <span>{did.join(", ")}</span>
    </li>
  );
}
