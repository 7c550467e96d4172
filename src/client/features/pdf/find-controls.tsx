import { Trans, useLingui } from "@lingui/react/macro";
import type { KeyboardEvent, RefObject } from "react";
import { IconButton } from "../../ui/button.tsx";
import { CloseIcon } from "../../ui/entry-icons.tsx";
import { ChevronDownIcon, SearchIcon } from "../../ui/icons.tsx";
import { positionOf, totalOf } from "./found-hits.ts";
import { ChevronUpIcon } from "./pdf-icons.tsx";
import type { Find, Found } from "./use-find.ts";

interface FindControlsProps {
  find: Find;
  input: RefObject<HTMLInputElement | null>;
  /** Whether it was opened: by its button on a phone, or by a key. */
  isOpen: boolean;
  onClose: () => void;
}

/** Searches while the person types; Enter goes to the next hit, Shift+Enter to the previous one. */
export function FindControls({ find, input, isOpen, onClose }: FindControlsProps) {
  const { t } = useLingui();
  const { words, found, look, step } = find;
  const label = t({ id: "pdf.find", message: "Find in the document" });
  const close = () => {
    look("");
    onClose();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      // The first Escape leaves the search, the next one the document.
      if (words || isOpen) event.preventDefault();
      close();
    }
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    step(event.shiftKey ? -1 : 1);
  };
  return (
    <search className="pdf-find">
      <div className="input">
        <SearchIcon small />
        <input
          ref={input}
          type="search"
          enterKeyHint="search"
          value={words}
          maxLength={200}
          aria-label={label}
          placeholder={label}
          onChange={({ target }) => look(target.value)}
          onKeyDown={press}
        />
      </div>
      <span className="pdf-found" role="status">
        {found && <FoundText found={found} />}
      </span>
      <IconButton
        label={t({ id: "pdf.findPrevious", message: "Previous match" })}
        disabled={!found?.current}
        onClick={() => step(-1)}
      >
        <ChevronUpIcon />
      </IconButton>
      <IconButton
        label={t({ id: "pdf.findNext", message: "Next match" })}
        disabled={!found?.current}
        onClick={() => step(1)}
      >
        <ChevronDownIcon />
      </IconButton>
      <IconButton
        className="pdf-find-close"
        label={t({ id: "pdf.findClose", message: "Close search" })}
        onClick={close}
      >
        <CloseIcon />
      </IconButton>
    </search>
  );
}

function FoundText({ found: { counts, current, isDone, isPartial } }: { found: Found }) {
  const { i18n } = useLingui();
  if (!current) return isDone ? <Trans id="pdf.notFound">Not found</Trans> : null;
  const position = i18n.number(positionOf(counts, current));
  const total = `${i18n.number(totalOf(counts))}${isPartial || !isDone ? "+" : ""}`;
  return (
    <Trans id="pdf.found">
      {position} of {total}
    </Trans>
  );
}
