import { Trans } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import { Button } from "../../ui/button.tsx";
import { LifeBuoyIcon } from "../../ui/icons.tsx";
import { viewAtom } from "../places/views.ts";

/** How exams are kept, and whom to ask; below everything else. */
export function HomeFoot() {
  const setView = useSetAtom(viewAtom);
  return (
    <section className="panel home-foot" aria-labelledby="home-foot-title">
      <div className="light-box" aria-hidden="true">
        <StackedFilms />
      </div>
      <div className="home-foot-text">
        <h2 id="home-foot-title" className="home-foot-title">
          <Trans id="welcome.storage.title">Secure storage</Trans>
        </h2>
        <p>
          <Trans id="welcome.storage.unaltered">What you download is bit for bit what you uploaded.</Trans>{" "}
          <Trans id="welcome.storage.private">
            Only you and the people you share them with can open your exams.
          </Trans>{" "}
          <Trans id="welcome.storage.verified">Every file is read back and checked once it is stored.</Trans>
        </p>
      </div>
      <Button kind="quiet" onClick={() => setView("support")}>
        <LifeBuoyIcon small />
        <Trans id="menu.support">Support</Trans>
      </Button>
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
