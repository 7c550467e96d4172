import { Trans } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import { Button } from "../../ui/button.tsx";
import { UploadIcon } from "../../ui/icons.tsx";
import { viewAtom } from "../places/views.ts";
import { SampleButton } from "../sample/sample-button.tsx";
import { sampleOpenAtom } from "../sample/sample-state.ts";
import { useHis } from "../session/his-context.ts";
import {
  FirstUploadProgress,
  FirstUploadText,
  FirstUploadTitle,
  useFirstUpload,
} from "../upload/tray/first-upload.tsx";
import type { FirstUpload } from "../upload/tray/first-upload-progress.tsx";

const TITLE = "home-start-title";

/** For somebody without exams: what to do, in three steps, or what is on its way. */
export function StartPanel() {
  const { isActive } = useHis();
  const setView = useSetAtom(viewAtom);
  const setSampleOpen = useSetAtom(sampleOpenAtom);
  const upload = useFirstUpload();
  return (
    <section className="panel home-start" aria-labelledby={TITLE}>
      <div className="home-start-room">
        <div className="light-box" aria-hidden="true">
          <i />
          <i />
        </div>
      </div>
      <div className="home-start-steps">
        {upload ? <OnItsWay {...upload} /> : <Steps />}
        <div className="home-start-actions">
          {!isActive ? (
            <Button kind="lit" size="big" onClick={() => setView("subscription")}>
              <Trans id="subscription.seePlans">See plans</Trans>
            </Button>
          ) : upload ? (
            <Button onClick={() => setView("uploadExames")}>
              <Trans id="upload.first.another">Upload another exam</Trans>
            </Button>
          ) : (
            <Button kind="lit" size="big" onClick={() => setView("uploadExames")}>
              <UploadIcon small />
              <Trans id="home.start.upload">Upload the first exam</Trans>
            </Button>
          )}
          <SampleButton onOpen={() => setSampleOpen(true)} />
        </div>
      </div>
    </section>
  );
}

function Steps() {
  const setView = useSetAtom(viewAtom);
  return (
    <>
      <div>
        <h2 id={TITLE} className="home-start-title">
          <Trans id="welcome.card.title">Your exams in one place</Trans>
        </h2>
        <p>
          <Trans id="home.start.text">Three steps, about five minutes.</Trans>
        </p>
      </div>
      <ol className="steps">
        <li>
          <span>
            <Trans id="home.start.bring">
              <b>Bring the files.</b> The ZIP or the folder of the CD.
            </Trans>{" "}
            <button type="button" className="link" onClick={() => setView("help")}>
              <Trans id="help.how">How do I get it?</Trans>
            </button>
          </span>
        </li>
        <li>
          <span>
            <Trans id="home.start.check">
              <b>Check what is inside.</b> Before uploading, you see each exam.
            </Trans>
          </span>
        </li>
        <li>
          <span>
            <Trans id="home.start.open">
              <b>Open and share.</b> On the phone, on the computer, with whom you like.
            </Trans>
          </span>
        </li>
      </ol>
    </>
  );
}

/** In the place of the steps, once the person has taken them. */
function OnItsWay(upload: FirstUpload) {
  return (
    <>
      <div>
        <h2 id={TITLE} className="home-start-title">
          <FirstUploadTitle {...upload} />
        </h2>
        <p>
          <FirstUploadText />
        </p>
      </div>
      <FirstUploadProgress {...upload} />
    </>
  );
}
