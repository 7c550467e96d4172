import { Trans, useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import { Suspense, useEffect, useState } from "react";
import { Boundary, ReloadCard } from "../../ui/boundary.tsx";
import { Button } from "../../ui/button.tsx";
import { CircleCheckIcon } from "../../ui/entry-icons.tsx";
import { LayersIcon, LifeBuoyIcon, UploadIcon } from "../../ui/icons.tsx";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import { viewAtom } from "../places/views.ts";
import { maySeeExams, useHis } from "../session/his-context.ts";
import { RecentPlace } from "../study-list/recent-place.tsx";
import { greetingName } from "./greeting-name.ts";

/** Only admins download it. */
const AdminHome = lazyChunk(() => import("../operations/admin-home.tsx"));

const RecentExams = lazyChunk(() => import("../study-list/recent-exams.tsx"));

/** After this time the first paint is over. */
const SEEN_MS = 100;

/** The first view: what the product is, what to do next, and how exams are kept. */
export function WelcomeView() {
  const his = useHis();
  const { user } = his;
  const firstName = greetingName(user.name);
  return (
    <>
      <div className="view-head">
        <h1>
          <Trans id="welcome.title">Welcome, {firstName}</Trans>
        </h1>
        <Today />
      </div>
      {user.role === "admin" && (
        <Boundary failure={<HomeFailure />}>
          <Suspense>
            <AdminHome />
          </Suspense>
        </Boundary>
      )}
      {maySeeExams(his) && (
        <Suspense fallback={<RecentPlace />}>
          <RecentExams />
        </Suspense>
      )}
      <div className="welcome">
        <WelcomeCard />
        <StorageCard />
      </div>
    </>
  );
}

function HomeFailure() {
  return (
    <ReloadCard title={<Trans id="home.failed">This could not be loaded</Trans>}>
      <Trans id="view.failed.text">Your exams are safe. Reload the page or continue in another view.</Trans>
    </ReloadCard>
  );
}

/** The day, written once the rest can be seen: a phone takes some 100 ms for Intl's first formatter. */
function Today() {
  const { i18n } = useLingui();
  const [isSeen, setIsSeen] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsSeen(true), SEEN_MS);
    return () => clearTimeout(timer);
  }, []);
  return <p className="welcome-date">{isSeen && i18n.date(new Date(), { dateStyle: "full" })}</p>;
}

function WelcomeCard() {
  const his = useHis();
  const { isActive, productName } = his;
  const setView = useSetAtom(viewAtom);
  return (
    <section className="panel welcome-card">
      <h2>
        <Trans id="welcome.card.title">Your exams in one place</Trans>
      </h2>
      <p>
        <Trans id="welcome.card.text">
          Upload the ZIP or the folder from the CD that the clinic gave you. {productName} keeps the images as
          they came, opens them in a real viewer and keeps the report beside them.
        </Trans>
      </p>
      <div className="welcome-actions">
        <Button kind="lit" disabled={!isActive} onClick={() => setView("uploadExames")}>
          <UploadIcon small />
          <Trans id="menu.upload">Upload exams</Trans>
        </Button>
        <Button disabled={!maySeeExams(his)} onClick={() => setView("listaExames")}>
          <LayersIcon small />
          <Trans id="welcome.card.list">See my exams</Trans>
        </Button>
        <Button kind="quiet" onClick={() => setView("support")}>
          <LifeBuoyIcon small />
          <Trans id="menu.support">Support</Trans>
        </Button>
      </div>
    </section>
  );
}

function StorageCard() {
  return (
    <section className="panel welcome-storage">
      <div className="light-box" aria-hidden="true">
        <StackedFilms />
      </div>
      <div>
        <h2>
          <Trans id="welcome.storage.title">Secure storage</Trans>
        </h2>
        <ul>
          <li>
            <CircleCheckIcon small className="welcome-check" />
            <Trans id="welcome.storage.unaltered">What you download is bit for bit what you uploaded.</Trans>
          </li>
          <li>
            <CircleCheckIcon small className="welcome-check" />
            <Trans id="welcome.storage.private">
              Only you and the people you share them with can open your exams.
            </Trans>
          </li>
          <li>
            <CircleCheckIcon small className="welcome-check" />
            <Trans id="welcome.storage.verified">
              Every file is read back and checked once it is stored.
            </Trans>
          </li>
        </ul>
      </div>
    </section>
  );
}

/** Slices on a shelf, seen from the side, the top one lit. */
function StackedFilms() {
  return (
    <svg viewBox="0 0 200 150" aria-hidden="true">
      {[0, 1, 2, 3]
        .map((slice) => (
          <path
            key={slice}
            d={`M100 ${27 + slice * 20} 164 ${51 + slice * 20} 100 ${75 + slice * 20} 36 ${51 + slice * 20}z`}
            fill={`oklch(${0.24 + 0.13 * (3 - slice)} 0.03 225)`}
            stroke="oklch(.985 .008 210)"
            strokeWidth="2"
          />
        ))
        .reverse()}
    </svg>
  );
}
