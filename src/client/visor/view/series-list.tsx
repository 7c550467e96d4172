import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { ComponentType } from "react";
import type { SeriesEntry } from "../core/series-stacks.ts";
import { PlayIcon } from "./icons.ts";
import { keptPart } from "./kept-part.ts";
import { StackPicture } from "./stack-picture.tsx";
import type { Comparison } from "./use-comparison.ts";
import { isFilm, type Visor } from "./use-visor.ts";
import type { VisorProps } from "./visor-props.ts";
import { stackName } from "./visor-texts.ts";

interface SeriesListProps {
  visor: Visor;
  picture: ComponentType<{ seriesInstanceUID: string }> | undefined;
  /** A row of small films on a phone, a column with names on a desktop. */
  kind: "strip" | "column";
  documents: VisorProps["documents"];
  /** The key of the document that is open. */
  shownDocument?: string | undefined;
  /** Told the key of a document. */
  onDocument: (key: string) => void;
  /** Names the study where there are two. */
  isNamed?: boolean;
  /** Sets the study beside the first apart, which may be of the same day. */
  beside?: string;
}

/** The series of one study, or of two. */
export function SeriesColumn({
  visor,
  picture,
  comparison,
  ...others
}: Omit<SeriesListProps, "kind" | "isNamed" | "beside"> & { comparison: Comparison }) {
  const { t } = useLingui();
  const { chosen, setOtherActive } = comparison;
  if (!chosen) return <SeriesList visor={visor} picture={picture} kind="column" {...others} />;
  return (
    <div className="visor-columns">
      <div onClickCapture={() => setOtherActive(false)}>
        <SeriesList visor={visor} picture={picture} kind="column" isNamed {...others} />
      </div>
      <div onClickCapture={() => setOtherActive(true)}>
        <SeriesList
          visor={comparison.visor}
          picture={chosen.seriesPicture}
          kind="column"
          isNamed
          {...others}
          beside={t({ id: "visor.compare.exam", message: "Exam beside" })}
        />
      </div>
    </div>
  );
}

/** The series of the study; a series that is split shows each of its stacks. */
export const SeriesList = keptPart(["entries", "stack", "model", "study", "drawing"], AllSeries);

function AllSeries(props: SeriesListProps) {
  const {
    visor,
    picture: Picture,
    kind,
    isNamed = false,
    beside,
    documents,
    shownDocument,
    onDocument,
  } = props;
  const hasDocuments = visor.entries.some((entry) => entry.documents.length > 0);
  const { i18n, t } = useLingui();
  const { entries, stack, model, study, drawing } = visor;
  const date = study?.date ?? "";
  const label = isNamed
    ? t({ id: "visor.seriesOf", message: `Series of ${date}` })
    : t({ id: "visor.seriesList", message: "Series" });
  return (
    <nav className={`visor-${kind}`} aria-label={beside ? `${beside} · ${label}` : label}>
      {isNamed && (
        <h3>
          <b>{date}</b>
          {study?.title}
        </h3>
      )}
      {entries.flatMap((entry) =>
        itemsOf(entry).map(({ key, count, part, isPlayed, open }) => {
          const isCurrent =
            stack?.key === key ||
            (key === entry.series.seriesInstanceUID && entry.stacks[0] === stack && stack);
          const name = stackName(i18n, { ...entry, bValue: part?.bValue });
          const { seriesNumber: number, seriesInstanceUID, modality } = entry.series;
          const whole = Picture ? (
            <Picture seriesInstanceUID={seriesInstanceUID} />
          ) : (
            <span className="visor-series-kind">{modality}</span>
          );
          return (
            <button
              type="button"
              key={key}
              className="visor-series"
              aria-current={isCurrent ? "true" : undefined}
              aria-label={t({
                id: "visor.seriesItem",
                message: plural(count, { one: `${name}, # image`, other: `${name}, # images` }),
              })}
              onClick={() => open(model)}
            >
              <span className="visor-series-film">
                {part ? (
                  <StackPicture stack={part} drawing={drawing}>
                    {whole}
                  </StackPicture>
                ) : (
                  whole
                )}
                {kind === "column" && number !== null && (
                  <span className="visor-series-number">
                    <Trans id="visor.seriesNumber">Se {number}</Trans>
                  </span>
                )}
                {isPlayed && <PlayIcon small />}
                <span className="visor-series-count">{count}</span>
              </span>
              {kind === "column" && <span className="visor-series-name">{name}</span>}
            </button>
          );
        }),
      )}
      {documents && hasDocuments && (
        <documents.List entries={entries} kind={kind} shown={shownDocument} onOpen={onDocument} />
      )}
    </nav>
  );
}

function itemsOf({ series, stacks, documents, state }: SeriesEntry) {
  const uid = series.seriesInstanceUID;
  if (stacks.length === 0 && (state === "ready" || documents.length > 0)) return [];
  if (stacks.length <= 1) {
    const [only] = stacks;
    const count = only?.slices.length ?? series.instanceCount;
    const isPlayed = only ? isFilm(only) : false;
    const open = (model: Visor["model"]) => void model.showSeries(uid);
    return [{ key: uid, count, part: undefined, isPlayed, open }];
  }
  return stacks.map((stack) => ({
    key: stack.key,
    count: stack.slices.length,
    part: stack,
    isPlayed: isFilm(stack),
    open: (model: Visor["model"]) => model.show(stack),
  }));
}
