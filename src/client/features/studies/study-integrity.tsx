import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { Integrity, Study } from "../../../shared/api/studies.ts";
import { ShieldAlertIcon } from "../../ui/icons.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { Tooltip } from "../../ui/tooltip.tsx";

interface Finding {
  word: MessageDescriptor;
  text: MessageDescriptor;
}

/** The text shown when a study's bytes differ from the stored ones. */
const findings: Partial<Record<Integrity, Finding>> = {
  damaged: {
    word: msg({ id: "integrity.damaged", message: "Damaged" }),
    text: msg({
      id: "integrity.damaged.text",
      message:
        "Part of this exam no longer matches what was received, and is not shown. The administrator was told. Upload the original file again, if you have it: that repairs the images. A damaged report is deleted and attached again.",
    }),
  },
  missing: {
    word: msg({ id: "integrity.missing", message: "Missing" }),
    text: msg({
      id: "integrity.missing.text",
      message:
        "A stored file of this exam is missing. The administrator was told. Upload the original file again, if you have it: that repairs the images. A missing report is deleted and attached again.",
    }),
  },
};

export function findingOf({ integrity }: Pick<Study, "integrity">): Finding | undefined {
  return findings[integrity];
}

/** Marks a damaged study; renders nothing for an intact one. */
export function StudyIntegrity({ study }: { study: Pick<Study, "integrity" | "verifiedAt"> }) {
  const { i18n } = useLingui();
  const finding = findingOf(study);
  if (!finding) return null;
  const { verifiedAt } = study;
  const since = verifiedAt ? ` (${dayText(new Date(verifiedAt))})` : "";
  return (
    <Tooltip text={`${i18n._(finding.text)}${since}`}>
      <span className="study-integrity">
        <ShieldAlertIcon small />
        {i18n._(finding.word)}
        <span className="sr-only">. {i18n._(finding.text)}</span>
      </span>
    </Tooltip>
  );
}
