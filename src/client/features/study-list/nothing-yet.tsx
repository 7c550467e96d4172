import { Trans } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
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

/** The list of somebody who sees no exam: what is on its way, or else the way to the first one. */
export function NothingYet() {
  const { isActive } = useHis();
  const setView = useSetAtom(viewAtom);
  const setSampleOpen = useSetAtom(sampleOpenAtom);
  const sample = <SampleButton onOpen={() => setSampleOpen(true)} />;
  const upload = useFirstUpload();
  if (upload) {
    return (
      <Empty
        title={<FirstUploadTitle {...upload} />}
        text={<FirstUploadText />}
        action={
          <div className="empty-actions">
            <FirstUploadProgress {...upload} />
            {isActive && (
              <Button onClick={() => setView("uploadExames")}>
                <Trans id="upload.first.another">Upload another exam</Trans>
              </Button>
            )}
            {sample}
          </div>
        }
      />
    );
  }
  if (!isActive) {
    return (
      <Empty
        title={<Trans id="study.none.title">No exams here yet</Trans>}
        text={
          <Trans id="study.none.shared">The exams that somebody shares with you appear in this list.</Trans>
        }
        action={sample}
      />
    );
  }
  return (
    <Empty
      title={<Trans id="study.none.title">No exams here yet</Trans>}
      text={
        <Trans id="study.none.text">
          Upload the ZIP or the folder from the disc that the clinic gave you. The images appear in this list,
          ready to open.
        </Trans>
      }
      action={
        <div className="empty-actions">
          <Button kind="lit" size="big" onClick={() => setView("uploadExames")}>
            <UploadIcon small />
            <Trans id="study.none.action">Upload the first exam</Trans>
          </Button>
          {sample}
        </div>
      }
    />
  );
}
