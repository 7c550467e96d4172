import { useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { FileArchiveIcon, FolderOpenIcon } from "../../../ui/icons.tsx";
import type { ReadSource } from "../draft/read-source.ts";

interface SourceRowProps extends Pick<ReadSource, "kind" | "name"> {
  facts: ReactNode;
  isChosen: boolean;
  onTick: (isTicked: boolean) => void;
  children: ReactNode;
}

/** Files of a source that stand for no exam, with their box. */
export function SourceRow({ kind, name, facts, isChosen, onTick, children }: SourceRowProps) {
  const { t } = useLingui();
  const SourceIcon = kind === "zip" ? FileArchiveIcon : FolderOpenIcon;
  return (
    <li className="found-exam">
      <input
        type="checkbox"
        className="checkbox"
        aria-label={t({ id: "contents.tick", message: `Upload: ${name}` })}
        checked={isChosen}
        onChange={({ target }) => onTick(target.checked)}
      />
      <span className="film is-large found-exam-unread">
        <SourceIcon />
      </span>
      <span className="found-exam-text">
        <b>{name}</b>
        <span className="found-exam-facts">
          <span>{facts}</span>
        </span>
      </span>
      {children}
    </li>
  );
}
