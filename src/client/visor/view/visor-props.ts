import type { ComponentType, ReactNode } from "react";
import type { SeriesEntry } from "../core/series-stacks.ts";
import type { DocumentReading, DocumentRecord, StackSource } from "../core/source.ts";

/** A study that the source can open. */
export interface VisorStudy {
  studyInstanceUID: string;
  title: string;
  /** Who and when: the second line of the header. */
  detail: string;
  date: string;
}

export interface DocumentListProps {
  entries: readonly SeriesEntry[];
  kind: "strip" | "column";
  /** The key of the one that is open. */
  shown: string | undefined;
  onOpen: (key: string) => void;
}

export interface DocumentProps {
  document: DocumentRecord;
  read(options: DocumentReading): Promise<Blob>;
  /** Whether it can be saved by a button beside it. */
  canDownload?: boolean;
  /** Access has ended, as the reading found. */
  onEnded?: (() => void) | undefined;
}

export interface DocumentSaveProps extends Pick<DocumentProps, "document" | "read"> {
  /** Parts of the file's name after its title. */
  name: readonly (string | null)[];
}

/** What shows the documents of a study. Its code comes with the first document. */
export interface DocumentViews {
  List: ComponentType<DocumentListProps>;
  Title: ComponentType<Pick<DocumentProps, "document">>;
  Detail: ComponentType<Pick<DocumentProps, "document">>;
  /** A button that saves it. */
  Save: ComponentType<DocumentSaveProps>;
  Pages: ComponentType<DocumentProps>;
}

/** What goes with an exam. */
export interface ExamProps {
  /** Draws the small picture of a series; without it the series shows its modality. */
  seriesPicture?: ComponentType<{ seriesInstanceUID: string }> | undefined;
  /** Absent: the study has no laudo, or the person may not see it. */
  laudo?: { render: () => ReactNode; detail?: ReactNode; onDownload?: () => void } | undefined;
  /** What names the files of its documents after their titles. Absent: the person may save neither them nor its images. */
  documentName?: readonly (string | null)[] | undefined;
  /** More about the study, for the information sheet. */
  information?: ReactNode;
}

/** An exam that can be shown beside the first one. */
export interface ComparedExam extends VisorStudy, ExamProps {
  open(): StackSource;
}

export interface VisorProps extends ExamProps {
  /** Another source is another opening: give the component a key that changes with it. */
  source: StackSource;
  /** The first one is shown. */
  studies: readonly VisorStudy[];
  /** Address of a small picture of the study, shown until the first image has come. */
  preview?: string | undefined;
  /** Lists the exams to compare with, the one to begin with first. */
  findOthers?: ((signal: AbortSignal) => Promise<readonly ComparedExam[]>) | undefined;
  onDownload?: (() => void) | undefined;
  /** Of what is downloaded, e.g. `38 MB`. */
  downloadSize?: string | undefined;
  onShare?: (() => void) | undefined;
  onOpenOhif?: (() => void) | undefined;
  /** A line for files that are on this device alone, with what to do about it. */
  localBar?: ReactNode;
  /** A button of its own in the head of a desktop, and in the menu of a phone. */
  action?: ReactNode;
  /** A source that reads documents wants it. */
  documents?: DocumentViews | undefined;
  /** More of the menu, such as what opens exams by default. */
  menu?: ReactNode;
  onBack: () => void;
  /** Access has ended while the visor was open. */
  onEnded?: (() => void) | undefined;
}
