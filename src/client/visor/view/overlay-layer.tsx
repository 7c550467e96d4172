import { Trans } from "@lingui/react/macro";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { numberOf } from "../../../shared/dicom/json-values.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { type OverlayPlane, overlayPlanes, readOverlay } from "../core/overlay-planes.ts";
import type { BulkDataReader } from "../core/source.ts";
import type { Slice } from "../core/stacks.ts";
import { type Overlay, overlayPicture, overlayStep, type Size } from "../draw/overlay-picture.ts";
import type { Placement } from "../draw/placement.ts";

interface OverlayLayerProps {
  slice: Slice;
  /** Of the picture that is seen. */
  image: Size;
  placement: Placement;
  read: BulkDataReader;
  /** Has what is drawn, while there is something; its `data-step` says how many pixels of the image share one of it in each direction. */
  canvas: RefObject<HTMLCanvasElement | null>;
}

/** Nothing is asked for while a person scrolls past. */
const REST_MS = 120;
const MAX_KEPT_BYTES = 32 * 1024 * 1024;

/** What the exam's own overlays draw over the image. They are no part of it: neither windows nor values know of them. */
export function OverlayLayer({
  slice,
  image: { rows, columns },
  placement,
  read,
  canvas,
}: OverlayLayerProps) {
  const { metadata } = slice;
  const fits = numberOf(metadata[TagHex.Rows]) === rows && numberOf(metadata[TagHex.Columns]) === columns;
  const { overlays, isLost } = useOverlays(slice, read);
  const { a, b, c, d, e, f } = placement;
  const step = overlayStep({ rows, columns }, Math.hypot(a, b) * (window.devicePixelRatio || 1));
  useEffect(() => {
    const { current } = canvas;
    if (!current) return;
    Object.assign(current, { width: Math.ceil(columns / step), height: Math.ceil(rows / step) });
    const rgba = overlayPicture(overlays, { rows, columns }, step);
    current.getContext("2d")?.putImageData(new ImageData(rgba, current.width), 0, 0);
  }, [canvas, overlays, rows, columns, step]);
  return (
    <>
      {fits && overlays.length > 0 && (
        <div className="visor-overlays" aria-hidden="true">
          <canvas
            ref={canvas}
            data-step={step}
            style={{ transform: `matrix(${[a, b, c, d].map((part) => part * step).join()},${e},${f})` }}
          />
        </div>
      )}
      {!fits && overlays.length > 0 && (
        <p className="visor-cut" role="status">
          <Trans id="visor.overlays.otherSize">
            The annotations of this image do not fit it and are not shown
          </Trans>
        </p>
      )}
      {fits && isLost && (
        <p className="visor-cut" role="status">
          <Trans id="visor.overlays.lost">The annotations of this image did not arrive</Trans>
        </p>
      )}
    </>
  );
}

const NONE: Overlay[] = [];

function useOverlays(slice: Slice, read: BulkDataReader): { overlays: Overlay[]; isLost: boolean } {
  const kept = useRef(new Map<string, Overlay | undefined>());
  const [version, setVersion] = useState(0);
  const [lost, setLost] = useState<string>();
  const planes = useMemo(() => overlayPlanes(slice), [slice]);
  useEffect(() => {
    const missing = planes.filter(({ key }) => !kept.current.has(key));
    if (missing.length === 0) return;
    const left = new AbortController();
    const ask = async () => {
      try {
        for (const plane of missing) {
          const overlay = await readOverlay(plane, slice, { read, signal: left.signal });
          keep(kept.current, plane, overlay);
        }
      } catch {
        // Whatever the reason: the image stands without them, which the person is told.
      }
      const isWhole = planes.every(({ key }) => kept.current.has(key));
      if (!left.signal.aborted && !isWhole) setLost(slice.key);
      setVersion((now) => now + 1);
    };
    const timer = setTimeout(
      () => void ask(),
      missing.every(({ inline }) => inline !== undefined) ? 0 : REST_MS,
    );
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [planes, slice, read]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is kept changed
  const { overlays, isWhole } = useMemo(() => {
    const found = planes.flatMap(({ key }) => kept.current.get(key) ?? []);
    return {
      overlays: found.length > 0 ? found : NONE,
      isWhole: planes.every(({ key }) => kept.current.has(key)),
    };
  }, [planes, version]);
  return { overlays, isLost: lost === slice.key && !isWhole };
}

/** Keeps the overlays that were read last. */
function keep(
  kept: Map<string, Overlay | undefined>,
  { key }: OverlayPlane,
  overlay: Overlay | undefined,
): void {
  kept.delete(key);
  kept.set(key, overlay);
  let sizeBytes = 0;
  for (const [other, { bits } = { bits: new Uint8Array() }] of [...kept].reverse()) {
    sizeBytes += bits.length;
    if (sizeBytes > MAX_KEPT_BYTES && other !== key) kept.delete(other);
  }
}
