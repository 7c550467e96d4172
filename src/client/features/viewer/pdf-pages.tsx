import { useState } from "react";
import type { Zoom } from "../pdf/page-layout.ts";
import { PdfStage } from "../pdf/pdf-stage.tsx";

const NOTHING = { words: "", current: undefined };

/** The pages of a PDF beside the images. */
export default function PdfPages({ file }: { file: Blob }) {
  const [zoom, setZoom] = useState<Zoom>("auto");
  return (
    <div className="viewer-laudo">
      <PdfStage
        file={file}
        zoom={zoom}
        onZoom={setZoom}
        wanted={NOTHING}
        onOpen={() => undefined}
        onPlace={() => undefined}
      />
    </div>
  );
}
