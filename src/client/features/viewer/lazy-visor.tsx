import { type ComponentProps, type ComponentType, Suspense, useState } from "react";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import type { DocumentViews, VisorProps } from "../../visor/view/visor-props.ts";

let loaded: ComponentType<VisorProps> | undefined;

export async function loadVisor() {
  const chunk = await import("../../visor/view/visor.tsx");
  loaded = chunk.default;
  return chunk;
}

const Visor = lazyChunk(loadVisor);
const LaudoPages = lazyChunk(() => import("./laudo-pages.tsx"));

/** Shown when it has come; a list or a title that is not there yet moves nothing. */
function later<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  const View = lazyChunk(load);
  return (props: Props) => (
    <Suspense>
      <View {...props} />
    </Suspense>
  );
}

const documents: DocumentViews = {
  List: later(async () => ({ default: (await import("./documents.tsx")).DocumentList })),
  Title: later(async () => ({ default: (await import("./documents.tsx")).DocumentTitle })),
  Detail: later(async () => ({ default: (await import("./documents.tsx")).DocumentDetail })),
  Pages: later(async () => ({ default: (await import("./documents.tsx")).DocumentPages })),
};

/** Our own viewer; the study's picture in the place of the film until its code has come. */
export function LazyVisor(props: VisorProps) {
  const { preview, studies } = props;
  // React draws what is lazy 0.3 s after what stands in its place, even if it was loaded long ago.
  const [Shown] = useState(() => loaded ?? Visor);
  return (
    <Suspense
      fallback={
        <div className="visor" data-theme="dark" aria-busy="true">
          {preview && <img className="visor-preview" src={preview} alt="" />}
          <p className="sr-only" role="status">
            {studies[0]?.title}
          </p>
        </div>
      }
    >
      <Shown documents={documents} {...props} />
    </Suspense>
  );
}

export function Laudo(props: ComponentProps<typeof LaudoPages>) {
  return (
    <Suspense>
      <LaudoPages {...props} />
    </Suspense>
  );
}
