import { Trans } from "@lingui/react/macro";

export default function StudyListView() {
  return (
    <div className="view-head">
      <h1>
        <Trans id="menu.ownExams">My exams</Trans>
      </h1>
    </div>
  );
}
