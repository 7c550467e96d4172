import { laterChunk } from "../../ui/lazy-chunk.ts";
import type { DocumentViews } from "../../visor/view/visor-props.ts";

const load = () => import("./document-views.tsx");

const shared = {
  List: laterChunk(async () => ({ default: (await load()).DocumentList })),
  Title: laterChunk(async () => ({ default: (await load()).DocumentTitle })),
  Detail: laterChunk(async () => ({ default: (await load()).DocumentDetail })),
};

/** Of documents that the server keeps. Their code comes with the first of them. */
export const documentViews: DocumentViews = {
  ...shared,
  Save: laterChunk(async () => ({ default: (await load()).DocumentSave })),
  Pages: laterChunk(async () => ({ default: (await load()).DocumentPages })),
};

/** Of documents on this device. */
export const localDocumentViews: DocumentViews = {
  ...shared,
  Save: laterChunk(async () => ({ default: (await load()).LocalDocumentSave })),
  Pages: laterChunk(async () => ({ default: (await load()).LocalDocumentPages })),
};
