import { Trans } from "@lingui/react/macro";

export default function UploadView() {
  return (
    <div className="view-head">
      <h1>
        <Trans id="menu.upload">Upload exams</Trans>
      </h1>
    </div>
  );
}
