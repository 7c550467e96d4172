import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { FileArchiveIcon } from "../../ui/icons.tsx";
import { type LocalExam, LocalReaderNotLoaded, openLocalExam } from "../../visor/local/local-source.ts";
import { isCutZip } from "../pick/cut-zip.ts";
import { isLockedZip } from "../pick/locked-zip.ts";
import type { Picked } from "../pick/picked-files.ts";
import { type LocalPick, localFilesOf, nameOfPick } from "./local-pick.ts";
import { LocalVisor } from "./local-visor.tsx";

interface LocalOpeningProps {
  /** Undefined once there is nothing to open. */
  picked: Picked | Promise<Picked | undefined>;
  onClose: () => void;
  /** Asks for other files. */
  onAnother?: () => void;
  /** Absent where the files are being kept anyway. */
  keep?: { productName: string; onKeep: (picked: LocalPick) => void };
}

type State =
  | { step: "reading"; name: string; files: number; total: number }
  | { step: "none"; name: string; files: number }
  | { step: "cut"; name: string }
  | { step: "locked"; name: string }
  | { step: "failed" }
  | { step: "unloaded"; name: string }
  | { step: "open"; picked: LocalPick; exam: LocalExam };

/** Reads files of this device, says how far it is, and shows them. */
export default function LocalOpening(props: LocalOpeningProps) {
  const [tries, setTries] = useState(0);
  return <Opening key={tries} {...props} onRetry={() => setTries(tries + 1)} />;
}

function Opening({ picked, onClose, onAnother, keep, onRetry }: LocalOpeningProps & { onRetry: () => void }) {
  const state = useOpening(picked, onClose);
  useOnline(state.step === "unloaded", onRetry);
  if (state.step === "open") {
    return (
      <LocalVisor
        exam={state.exam}
        name={nameOfPick(state.picked)}
        onClose={onClose}
        onAnother={onAnother}
        keep={keep && { ...keep, onKeep: () => keep.onKeep(state.picked) }}
      />
    );
  }
  if (state.step === "reading") return <Reading {...state} onCancel={onClose} />;
  return (
    <div className="local-card is-bad" role="alert">
      <LocalFilm />
      <div>
        <NothingShown {...state} />
        <div className="local-actions">
          {state.step === "unloaded" && (
            <Button size="small" onClick={onRetry}>
              <Trans id="action.retry">Try again</Trans>
            </Button>
          )}
          <Button size="small" onClick={onAnother ?? onClose}>
            <Trans id="local.other">Choose another</Trans>
          </Button>
        </div>
      </div>
    </div>
  );
}

/** Why the files show nothing. */
function NothingShown(state: Extract<State, { step: "none" | "cut" | "locked" | "failed" | "unloaded" }>) {
  if (state.step === "failed") {
    return (
      <>
        <h2>
          <Trans id="local.failed.title">The files could not be read</Trans>
        </h2>
        <p>
          <Trans id="local.failed.text">Choose one ZIP, one folder, or images of the exam.</Trans>
        </p>
      </>
    );
  }
  const { name } = state;
  if (state.step === "unloaded") {
    return (
      <>
        <h2>
          <Trans id="local.unloaded.title">A part of this page could not be loaded</Trans>
        </h2>
        <p>
          <Trans id="local.unloaded.text">
            Check the connection. {name} stays chosen, and nothing is wrong with it.
          </Trans>
        </p>
      </>
    );
  }
  if (state.step === "cut") {
    return (
      <>
        <h2>
          <Trans id="local.cut.title">This ZIP seems incomplete</Trans>
        </h2>
        <p>
          <Trans id="local.cut.text">The end of {name} is missing. Copy or download it again.</Trans>
        </p>
      </>
    );
  }
  if (state.step === "locked") {
    return (
      <>
        <h2>
          <Trans id="local.locked.title">This ZIP has a password</Trans>
        </h2>
        <p>
          <Trans id="local.locked.text">
            Unpack {name} on your device and choose the folder that comes out.
          </Trans>
        </p>
      </>
    );
  }
  const { files } = state;
  return (
    <>
      <h2>
        <Trans id="local.none.title">There are no exam images here</Trans>
      </h2>
      <p>
        <Plural
          id="local.none.text"
          value={files}
          one={`${name} has # file, which is not DICOM.`}
          other={`${name} has # files, none of them DICOM.`}
        />
      </p>
    </>
  );
}

function useOpening(picked: LocalOpeningProps["picked"], onClose: () => void): State {
  const [state, setState] = useState<State>({ step: "reading", name: "", files: 0, total: 0 });
  const close = useEffectEvent(onClose);
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    let exam: LocalExam | undefined;
    let name = "";
    const open = async () => {
      const pick = await picked;
      if (signal.aborted) return;
      if (!pick) return close();
      if (pick.kind === "refused") return setState({ step: "failed" });
      name = nameOfPick(pick);
      setState({ step: "reading", name, files: 0, total: 0 });
      exam = await openLocalExam(localFilesOf(pick), {
        signal,
        onRead: (files, total) => !signal.aborted && setState({ step: "reading", name, files, total }),
      });
      if (signal.aborted) return exam.close();
      const { files, studies } = exam.exams;
      const hasImages = studies.length > 0;
      if (hasImages) return setState({ step: "open", picked: pick, exam });
      const why = pick.kind === "zip" ? await whyEmpty(pick.file) : undefined;
      if (!signal.aborted) setState(why ? { step: why, name } : { step: "none", name, files });
    };
    open().catch((error: unknown) => {
      if (signal.aborted) return;
      setState(error instanceof LocalReaderNotLoaded ? { step: "unloaded", name } : { step: "failed" });
    });
    return () => {
      ended.abort();
      exam?.close();
    };
  }, [picked]);
  return state;
}

/** Calls back once the browser is connected again, where that is waited for. */
function useOnline(isAwaited: boolean, onOnline: () => void): void {
  const goOn = useEffectEvent(onOnline);
  useEffect(() => {
    if (!isAwaited) return;
    const online = () => goOn();
    window.addEventListener("online", online);
    return () => window.removeEventListener("online", online);
  }, [isAwaited]);
}

/** Why a ZIP shows no images although it may hold some. */
async function whyEmpty(zip: File): Promise<"cut" | "locked" | undefined> {
  if (await isCutZip(zip)) return "cut";
  return (await isLockedZip(zip)) ? "locked" : undefined;
}

interface ReadingProps {
  name: string;
  files: number;
  total: number;
  onCancel: () => void;
}

function Reading({ name, files, total, onCancel }: ReadingProps) {
  const { i18n } = useLingui();
  const [read, all] = [i18n.number(files), i18n.number(total)];
  return (
    <div className="local-card is-reading">
      <LocalFilm />
      <div>
        <h2 className="local-name">
          <Trans id="local.reading">Reading {name}</Trans>
        </h2>
        <p>
          {total > 0 ? (
            <Trans id="local.counts">
              {read} of {all} files, on this device
            </Trans>
          ) : (
            <Trans id="local.stays">The files never leave this device.</Trans>
          )}
        </p>
        <progress className="progress-line" value={files} max={Math.max(1, total)} aria-label={name} />
        <div className="local-actions">
          <Button size="small" onClick={onCancel}>
            <Trans id="local.cancel">Cancel</Trans>
          </Button>
        </div>
      </div>
    </div>
  );
}

function LocalFilm(): ReactNode {
  return (
    <span className="light-box" aria-hidden="true">
      <FileArchiveIcon />
    </span>
  );
}
