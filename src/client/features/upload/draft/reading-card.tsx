import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "../../../ui/button.tsx";
import { FileArchiveIcon, FolderOpenIcon, TriangleAlertIcon } from "../../../ui/icons.tsx";
import { SheetFrames } from "../contact-sheet/contact-sheet.tsx";
import { PackedCount } from "../count-texts.tsx";
import type { DraftSource, Packing, Reading } from "./draft-state.ts";

interface ReadingCardProps {
  /** The sources that were not looked into yet. */
  waiting: readonly DraftSource[];
  reading: Reading | undefined;
  /** How many exams the sources before hold. */
  exams: number;
  onCancel: () => void;
}

/** How far the look inside is; the contact sheet fills with what was found. */
export function ReadingCard({ waiting, reading, exams, onCancel }: ReadingCardProps) {
  const { i18n, t } = useLingui();
  const source = waiting.find(({ id }) => id === reading?.id) ?? waiting[0];
  const { loaded = 0, total = 0, studies = 0 } = reading ?? {};
  const percent = total > 0 ? Math.floor((100 * loaded) / total) : 0;
  const [read, all] = [i18n.number(loaded), i18n.number(total)];
  const found = t({
    id: "upload.examsSoFar",
    message: plural(exams + studies, { one: "# exam so far", other: "# exams so far" }),
  });
  return (
    <section className="panel work-card">
      <SourceHead source={source} more={waiting.length - 1} onCancel={onCancel} />
      <h2 className="work-title">
        <Trans id="upload.looking">Looking inside</Trans>
      </h2>
      <PercentLine percent={percent} label={t({ id: "upload.looking", message: "Looking inside" })} />
      <p className="work-count">
        {total > 0 && (
          <Trans id="upload.lookedAt">
            {read} of {all} files · {found}
          </Trans>
        )}
      </p>
      <SheetFrames percent={percent} films={reading?.films ?? new Map()} isOneRow />
      {reading?.isWaiting && <ReadingWaits />}
      <p className="field-hint">
        <Trans id="upload.nothingSent">Nothing was uploaded yet. The reading happens on this device.</Trans>
      </p>
      <span className="sr-only" role="status">
        <Trans id="upload.looking">Looking inside</Trans> {25 * Math.floor(percent / 25)}%
      </span>
    </section>
  );
}

/** Why nothing is read yet. */
export function ReadingWaits() {
  return (
    <p className="notice is-warn" role="status">
      <TriangleAlertIcon />
      <span>
        <Trans id="upload.readingWaits">
          A part of this page could not be loaded. Check the connection: the reading goes on by itself, and
          what you chose stays.
        </Trans>
      </span>
    </p>
  );
}

interface PackingCardProps {
  packing: Packing;
  sources: readonly DraftSource[];
  onCancel: () => void;
}

/** How much of what was chosen is packed. The person can cancel, and loses nothing. */
export function PackingCard({ packing: { packed, total }, sources, onCancel }: PackingCardProps) {
  const { t } = useLingui();
  const percent = total > 0 ? Math.floor((100 * packed) / total) : 0;
  return (
    <section className="panel work-card">
      <SourceHead source={sources[0]} more={sources.length - 1} onCancel={onCancel} />
      <h2 className="work-title" role="status">
        <Trans id="upload.packing">Putting the exams together</Trans>
      </h2>
      <PercentLine
        percent={percent}
        label={t({ id: "upload.packing", message: "Putting the exams together" })}
      />
      <p className="work-count">{total > 0 && <PackedCount packed={packed} total={total} />}</p>
      <p className="field-hint">
        <Trans id="upload.packing.hint">
          The images go as they are, bit by bit. Keep this page open until they are in the tray.
        </Trans>
      </p>
    </section>
  );
}

function PercentLine({ percent, label }: { percent: number; label: string }) {
  return (
    <span
      className="progress-line"
      style={{ "--percent": percent }}
      role="progressbar"
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-label={label}
    />
  );
}

interface SourceHeadProps {
  source: DraftSource | undefined;
  more: number;
  onCancel: () => void;
}

function SourceHead({ source, more, onCancel }: SourceHeadProps) {
  const SourceIcon = source?.kind === "folder" ? FolderOpenIcon : FileArchiveIcon;
  const name = source?.name ?? "";
  return (
    <div className="work-source">
      <SourceIcon />
      <b>
        {more > 0 ? (
          <Trans id="upload.andMore">
            {name} and {more} more
          </Trans>
        ) : (
          name
        )}
      </b>
      <Button size="small" onClick={onCancel}>
        <Trans id="action.cancel">Cancel</Trans>
      </Button>
    </div>
  );
}
