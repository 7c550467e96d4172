import { Trans, useLingui } from "@lingui/react/macro";
import { useCallback } from "react";
import type { Study, ViewerObstacle } from "../../../shared/api/studies.ts";
import { Button } from "../../ui/button.tsx";
import { DownloadIcon } from "../../ui/icons.tsx";
import { useHis } from "../session/his-context.ts";
import { useAccessEnd } from "../sharing/use-access-end.ts";
import { descriptionText } from "../studies/study-text.ts";
import { useDownload } from "../studies/use-download.ts";
import { usePicture } from "../studies/use-picture.ts";
import { findStudyPage } from "./find-study-page.ts";
import { ViewerFrame } from "./viewer-frame.tsx";

interface ViewerStageProps {
  study: Study;
  /** SeriesInstanceUID; undefined for the series that the server names. */
  beginWith?: string | undefined;
  /** The session or the access to this study has ended. */
  onRefused: () => void;
  /** The person pressed Escape inside the viewer. */
  onLeave?: () => void;
}

/** The image area: the study's small picture until the viewer has drawn an image, then the viewer. */
export function ViewerStage({ study, beginWith, onRefused, onLeave }: ViewerStageProps) {
  const { i18n } = useLingui();
  const { user } = useHis();
  const find = useCallback(() => findStudyPage(study.id, user.id, beginWith), [study.id, user.id, beginWith]);
  useAccessEnd(study.id, onRefused);
  return (
    <ViewerFrame
      description={descriptionText(i18n, study)}
      find={find}
      picture={<SmallPicture study={study} />}
      unseen={(obstacle) => <Unseen study={study} obstacle={obstacle} />}
      onRefused={onRefused}
      onLeave={onLeave}
    />
  );
}

function SmallPicture({ study }: { study: Study }) {
  const picture = usePicture({ study, imagesReceived: study.imagesReceived, isSeen: true });
  return picture ? <img className="viewer-picture" src={picture} alt="" /> : null;
}

/** Nothing failed: the study is stored completely, but this viewer can't show it. */
function Unseen({ study, obstacle }: { study: Study; obstacle: ViewerObstacle }) {
  const download = useDownload();
  return (
    <section className="viewer-unseen" role="status">
      <h2>
        {obstacle === "no_images" ? (
          <Trans id="viewer.noImages">This exam has no images to show</Trans>
        ) : (
          <Trans id="viewer.noDecoder">Images of this kind can't be shown here</Trans>
        )}
      </h2>
      <p>
        {obstacle === "no_images" ? (
          <Trans id="viewer.noImages.text">
            It holds documents or data instead. They are kept unharmed, as they were sent.
          </Trans>
        ) : (
          <Trans id="viewer.noDecoder.text">
            They are stored in a rare or retired format. They are kept unharmed, as they were sent.
          </Trans>
        )}{" "}
        {study.access.download && <Trans id="viewer.canDownload">You can download them.</Trans>}
      </p>
      {study.access.download && (
        <Button onClick={() => void download(study)}>
          <DownloadIcon small />
          <Trans id="study.download">Download exam</Trans>
        </Button>
      )}
    </section>
  );
}
