import { Trans } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import { Button } from "../../ui/button.tsx";
import { LifeBuoyIcon, UploadIcon } from "../../ui/icons.tsx";
import { viewAtom } from "../places/views.ts";
import { SampleButton } from "../sample/sample-button.tsx";
import { sampleOpenAtom } from "../sample/sample-state.ts";
import { useHis } from "../session/his-context.ts";
import { HelpArticle } from "./help-article.tsx";

/** Help, for somebody who is signed in. */
export default function HelpView() {
  const { isActive } = useHis();
  const setView = useSetAtom(viewAtom);
  const setSampleOpen = useSetAtom(sampleOpenAtom);
  return (
    <>
      <div className="view-head">
        <h1>
          <Trans id="help.title">Help</Trans>
        </h1>
      </div>
      <HelpArticle />
      <div className="help-actions">
        {isActive && (
          <Button kind="lit" size="big" onClick={() => setView("uploadExames")}>
            <UploadIcon small />
            <Trans id="menu.upload">Upload exams</Trans>
          </Button>
        )}
        <SampleButton onOpen={() => setSampleOpen(true)} />
        <Button kind="quiet" size="big" onClick={() => setView("support")}>
          <LifeBuoyIcon small />
          <Trans id="menu.support">Support</Trans>
        </Button>
      </div>
    </>
  );
}
