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
        <img src="/imagestorage.png" width={64} height={48} alt="" />
      </div>
      <div className="home-foot-text">
        <h2 id="home-foot-title" className="home-foot-title">
          <Trans id="welcome.storage.title">Secure storage</Trans>
        </h2>
        <p>
          <Trans id="welcome.storage.unaltered">What you download is bit for bit what you uploaded.</Trans>{" "}
          <Trans id="welcome.storage.private">
            Only you, the people you share them with and the administrators of this service can open your
            exams.
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
