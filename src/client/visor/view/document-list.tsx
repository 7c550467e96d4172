import { Trans, useLingui } from "@lingui/react/macro";
import { FileTextIcon } from "../../ui/icons.tsx";
import type { DocumentRecord } from "../core/source.ts";
import { documentKinds } from "./document-texts.ts";
import type { DocumentListProps } from "./visor-props.ts";

const MARKS: Record<DocumentRecord["kind"], string> = { pdf: "PDF", report: "SR", cda: "CDA" };

/** The documents of a study, after its series of images. */
export function DocumentList({ entries, kind, shown, onOpen }: DocumentListProps) {
  const { i18n, t } = useLingui();
  const documents = entries.flatMap((entry) => entry.documents);
  const places = placesAmongNamesakes(documents);
  return documents.map((document) => {
    const kindText = i18n._(documentKinds[document.kind]);
    const place = places.get(document);
    const name = [document.title, place && `(${place})`].filter(Boolean).join(" ");
    const { seriesNumber: number } = document.series;
    return (
      <button
        type="button"
        key={document.key}
        className="visor-series visor-document"
        aria-current={document.key === shown ? "true" : undefined}
        aria-label={name ? t({ id: "visor.document", message: `${kindText}: ${name}` }) : kindText}
        onClick={() => onOpen(document.key)}
      >
        <span className="visor-document-film">
          <FileTextIcon />
          <span className="visor-series-kind">{MARKS[document.kind]}</span>
          {kind === "column" && number !== null && (
            <span className="visor-series-number">
              <Trans id="visor.seriesNumber">Se {number}</Trans>
            </span>
          )}
        </span>
        <span className="visor-document-name">
          <span className="visor-document-title">{name || kindText}</span>
          {kind === "column" && name && <small>{kindText}</small>}
        </span>
      </button>
    );
  });
}

/** Of documents with one title: which of them each is, counted from 1. */
function placesAmongNamesakes(documents: readonly DocumentRecord[]): Map<DocumentRecord, number> {
  const namesakes = new Map<string, DocumentRecord[]>();
  for (const document of documents) {
    const name = `${document.kind}/${document.title}`;
    namesakes.set(name, [...(namesakes.get(name) ?? []), document]);
  }
  const several = [...namesakes.values()].filter(({ length }) => length > 1);
  return new Map(several.flatMap((same) => same.map((document, at) => [document, at + 1] as const)));
}
