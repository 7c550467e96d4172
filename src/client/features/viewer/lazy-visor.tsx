import { type ComponentProps, type ComponentType, Suspense, useState } from "react";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import type { VisorProps } from "../../visor/view/visor-props.ts";
import { documentViews } from "../documents/lazy-document-views.ts";

let loaded: ComponentType<VisorProps> | undefined;

export async function loadVisor() {
  const chunk = await import("../../visor/view/visor.tsx");
  loaded = chunk.default;
  return chunk;
}

const Visor = lazyChunk(loadVisor);
const LaudoPages = lazyChunk(() => import("./laudo-pages.tsx"));

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
      <Shown documents={documentViews} {...props} />
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
