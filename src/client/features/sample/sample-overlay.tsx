import { Trans, useLingui } from "@lingui/react/macro";
import { Dialog as RadixDialog } from "radix-ui";
import { Suspense, useEffect, useRef, useState } from "react";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import { SAMPLE_STUDY_UID } from "./sample-exam.ts";
import { createSampleSource } from "./sample-source.ts";

const Visor = lazyChunk(() => import("../../visor/view/visor.tsx"));

/** The sample exam in our own viewer, over everything else. It comes from no server and counts nowhere. */
export default function SampleOverlay({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const content = useRef<HTMLDivElement>(null);
  const [opener] = useState(() => document.activeElement);
  const title = t({ id: "sample.title", message: "Head CT (sample)" });
  return (
    <RadixDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <RadixDialog.Portal>
        <RadixDialog.Content
          ref={content}
          className="viewer-visor"
          data-theme="dark"
          aria-describedby={undefined}
          onCloseAutoFocus={() => {
            if (opener instanceof HTMLElement) opener.focus();
          }}
        >
          <RadixDialog.Title className="sr-only">{title}</RadixDialog.Title>
          <Suspense fallback={<div className="visor" data-theme="dark" aria-busy="true" />}>
            <SampleVisor title={title} onBack={onClose} />
          </Suspense>
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

function SampleVisor({ title, onBack }: { title: string; onBack: () => void }) {
  const { t } = useLingui();
  const [source] = useState(() =>
    createSampleSource({
      brain: t({ id: "sample.series.brain", message: "Axial, brain" }),
      bone: t({ id: "sample.series.bone", message: "Axial, bone" }),
    }),
  );
  useEffect(() => () => source.close(), [source]);
  const study = {
    studyInstanceUID: SAMPLE_STUDY_UID,
    title,
    detail: t({ id: "sample.detail", message: "Computed images of nobody, drawn on this device" }),
    date: "",
  };
  return (
    <Visor
      source={source}
      studies={[study]}
      onBack={onBack}
      information={
        <p>
          <Trans id="sample.about">
            This exam belongs to no patient: its images are computed on this device. It is not stored, is not
            sent anywhere and does not count towards any plan.
          </Trans>
        </p>
      }
    />
  );
}
