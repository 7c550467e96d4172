import { Trans, useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import { Suspense, useEffect, useRef, useState } from "react";
import { activateWholeLocale } from "../../i18n.ts";
import { Button } from "../../ui/button.tsx";
import { EyeIcon } from "../../ui/entry-icons.tsx";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import { FilesInput } from "../pick/files-input.tsx";
import { type Picked, pickDropped, pickFiles, pickFolder } from "../pick/picked-files.ts";
import { pickToKeepAtom } from "./kept-pick.ts";
import { takeSharedFiles } from "./shared-files.ts";
import { useFocusBack } from "./use-focus-back.ts";
import { usePageDrop } from "./use-page-drop.ts";

// All that reads and shows files is loaded with the first ones, and its texts with it.
const loadOpening = () => import("./local-opening.tsx");
/** Before anything is picked; failing, it is loaded then. */
const loadAhead = () => void loadOpening().catch(() => undefined);
const LocalOpening = lazyChunk(async () => {
  const [opening] = await Promise.all([loadOpening(), activateWholeLocale()]);
  return opening;
});

interface LocalBlockProps {
  /** Of the service that may keep the files. */
  productName: string;
  /** The person wants to keep what they see. */
  onKeep: () => void;
  /** Whether another app has shared files with this page. */
  isShared?: boolean | undefined;
  /** Files that are open from the beginning. */
  reopened?: Picked | undefined;
}

interface Opened {
  id: number;
  picked: Picked | Promise<Picked | undefined>;
}

/** "See an exam without an account": files of this device, which never leave it. The whole page takes a drop. */
export function LocalBlock({ productName, onKeep, isShared = false, reopened }: LocalBlockProps) {
  const { t } = useLingui();
  const [opened, setOpened] = useState<Opened | undefined>(() => reopened && { id: 1, picked: reopened });
  const keep = useSetAtom(pickToKeepAtom);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const open = (picked: Opened["picked"]) => setOpened((before) => ({ id: (before?.id ?? 0) + 1, picked }));
  const isOver = usePageDrop((transfer) => open(pickDropped(transfer)), loadAhead);
  const section = useRef<HTMLElement>(null);
  useFocusBack(section, opened !== undefined);
  useEffect(() => {
    if (isShared) setOpened({ id: 1, picked: takeSharedFiles() });
  }, [isShared]);
  const ask = () => files.current?.click();
  return (
    <section
      ref={section}
      className={`local ${isOver ? "is-over" : ""}`}
      aria-label={t({ id: "local.title", message: "View an exam without an account" })}
      onPointerEnter={loadAhead}
    >
      {opened ? (
        <Suspense fallback={<LocalChoice onFiles={ask} onFolder={() => folder.current?.click()} />}>
          <LocalOpening
            key={opened.id}
            picked={opened.picked}
            onClose={() => setOpened(undefined)}
            onAnother={ask}
            keep={{
              productName,
              onKeep: (picked) => {
                keep(picked);
                setOpened(undefined);
                onKeep();
              },
            }}
          />
        </Suspense>
      ) : (
        <LocalChoice onFiles={ask} onFolder={() => folder.current?.click()} />
      )}
      <FilesInput
        ref={files}
        aria-label={t({ id: "local.filesInput", message: "ZIP or images of the exam" })}
        onFiles={(chosen) => open(pickFiles(chosen))}
      />
      <FilesInput
        ref={folder}
        isFolder
        aria-label={t({ id: "local.folderInput", message: "Folder of the exam" })}
        onFiles={(chosen) => open(pickFolder(chosen))}
      />
      {isOver && (
        <div className="local-over" aria-hidden="true">
          <EyeIcon />
          <b>
            <Trans id="local.drop">Drop to view here</Trans>
          </b>
          <span>
            <Trans id="local.stays">The files never leave this device.</Trans>
          </span>
        </div>
      )}
    </section>
  );
}

function LocalChoice({ onFiles, onFolder }: { onFiles: () => void; onFolder: () => void }) {
  return (
    <div className="local-card">
      <span className="light-box" aria-hidden="true">
        <EyeIcon />
      </span>
      <div>
        <h2>
          <Trans id="local.title">View an exam without an account</Trans>
        </h2>
        <p>
          <Trans id="local.stays">The files never leave this device.</Trans>
        </p>
        <div className="local-actions">
          <Button size="small" onClick={onFiles}>
            <Trans id="local.pickFiles">Choose a ZIP</Trans>
          </Button>
          <Button size="small" onClick={onFolder}>
            <Trans id="local.pickFolder">Choose a folder</Trans>
          </Button>
        </div>
      </div>
    </div>
  );
}
