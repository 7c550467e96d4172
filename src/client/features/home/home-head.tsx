import { Trans, useLingui } from "@lingui/react/macro";
import { useAtomValue } from "jotai";
import { type ReactNode, useEffect, useState } from "react";
import { ErrorCard } from "../../ui/error-card.tsx";
import { useHis } from "../session/his-context.ts";
import { greetingName } from "./greeting-name.ts";
import { unreachedAtom } from "./unreached.ts";

/** After this time the first paint is over. */
const SEEN_MS = 100;

interface HomeHeadProps {
  /** Whether nothing is here yet, so that the person is welcomed. */
  isFirstVisit?: boolean;
  /** What the role does most, at the right. */
  children?: ReactNode;
}

/** The greeting and the day, and whether parts of the home are missing. */
export function HomeHead({ isFirstVisit = false, children }: HomeHeadProps) {
  const { user } = useHis();
  const firstName = greetingName(user.name);
  return (
    <>
      <div className="view-head home-head">
        <h1>
          {isFirstVisit ? (
            <Trans id="welcome.title">Welcome, {firstName}</Trans>
          ) : (
            <Greeting firstName={firstName} hour={new Date().getHours()} />
          )}
        </h1>
        <Today />
        {children}
      </div>
      <Unreached />
    </>
  );
}

/** Stands for all parts of the home that the connection keeps from being shown. */
function Unreached() {
  const retries = useAtomValue(unreachedAtom);
  if (retries.length === 0) return null;
  const retry = () => {
    for (const read of retries) read();
  };
  return (
    <div className="home-unreached">
      <ErrorCard
        title={<Trans id="offline.title">No connection</Trans>}
        action={{ label: <Trans id="action.retry">Try again</Trans>, run: retry }}
      >
        <Trans id="home.offline">What is missing here appears by itself once the connection is back.</Trans>
      </ErrorCard>
    </div>
  );
}

const MORNING = 5;
const AFTERNOON = 12;
const EVENING = 18;

function Greeting({ firstName, hour }: { firstName: string; hour: number }) {
  if (hour >= MORNING && hour < AFTERNOON) return <Trans id="home.morning">Good morning, {firstName}</Trans>;
  if (hour >= AFTERNOON && hour < EVENING)
    return <Trans id="home.afternoon">Good afternoon, {firstName}</Trans>;
  return <Trans id="home.evening">Good evening, {firstName}</Trans>;
}

/** The day, written once the rest can be seen: a phone takes some 100 ms for Intl's first formatter. */
function Today() {
  const { i18n } = useLingui();
  const [isSeen, setIsSeen] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsSeen(true), SEEN_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className="welcome-date">
      {isSeen && i18n.date(new Date(), { weekday: "long", day: "numeric", month: "long" })}
    </p>
  );
}
