import { type ComponentProps, Suspense } from "react";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import type { VisorProps } from "../../visor/view/visor-props.ts";

export const loadVisor = () => import("../../visor/view/visor.tsx");
const Visor = lazyChunk(loadVisor);
const LaudoPages = lazyChunk(() => import("./laudo-pages.tsx"));

/** Our own viewer; the study's picture in the place of the film until its code has come. */
export function LazyVisor(props: VisorProps) {
  const { preview, studies } = props;
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
      <Visor {...props} />
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
