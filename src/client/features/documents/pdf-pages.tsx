import { useState } from "react";
import type { Zoom } from "../pdf/page-layout.ts";
import { PdfStage } from "../pdf/pdf-stage.tsx";

const NOTHING = { words: "", current: undefined };

interface PdfPagesProps {
  file: Blob;
  /** Whether the file can be downloaded by itself. */
  canDownload?: boolean;
}

/** The pages of a PDF beside the images. */
export default function PdfPages({ file, canDownload = true }: PdfPagesProps) {
  const [zoom, setZoom] = useState<Zoom>("auto");
  return (
    <div className="document-pdf">
      <PdfStage
        file={file}
        canDownload={canDownload}
        zoom={zoom}
        onZoom={setZoom}
        wanted={NOTHING}
        onOpen={() => undefined}
        onPlace={() => undefined}
      />
    </div>
  );
}
