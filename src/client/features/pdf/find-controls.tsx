import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useRef, useState } from "react";
import { SearchIcon } from "../../ui/icons.tsx";
import { findText } from "./find-text.ts";
import type { OpenPdf } from "./pdf-stage.tsx";

interface FindControlsProps {
  pdf: OpenPdf;
  /** Where the reader is, counted from 1. */
  page: number;
  onFound: (page: number) => void;
}

/** Finds the next page with some words; Enter goes on to the one after it. */
export function FindControls({ pdf, page, onFound }: FindControlsProps) {
  const { t } = useLingui();
  const [words, setWords] = useState("");
  const [found, setFound] = useState<number | "none">();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const find = async () => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    try {
      const after = found === undefined ? page - 1 : page;
      const next = await findText(pdf, words, after, controller.signal);
      if (controller.signal.aborted) return;
      setFound(next ?? "none");
      if (next !== undefined) onFound(next);
    } catch (error) {
      if (!controller.signal.aborted) throw error;
    }
  };
  return (
    <search>
      <form
        className="pdf-find"
        onSubmit={(event) => {
          event.preventDefault();
          if (words.trim()) void find();
        }}
      >
        <div className="input">
          <SearchIcon small />
          <input
            type="search"
            value={words}
            maxLength={200}
            aria-label={t({ id: "pdf.find", message: "Find in the document" })}
            placeholder={t({ id: "pdf.find", message: "Find in the document" })}
            onChange={({ target }) => {
              setWords(target.value);
              setFound(undefined);
            }}
          />
        </div>
        <span className="pdf-found" role="status">
          {found === "none" ? (
            <Trans id="pdf.notFound">Not found</Trans>
          ) : (
            found !== undefined && <Trans id="pdf.foundOn">Page {found}</Trans>
          )}
        </span>
      </form>
    </search>
  );
}
