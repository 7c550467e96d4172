import { createContext, use, useEffect, useRef, useState } from "react";
import { whenIdle } from "../../ui/when-idle.ts";
import { createSeriesPictures } from "../core/series-pictures.ts";
import type { SeriesRecord, StackSource } from "../core/source.ts";
import { startDecodePool } from "../decode/start-worker.ts";
import { createPaint } from "../draw/paint.ts";
import type { Picture } from "../draw/picture.ts";

/** Draws small pictures of series here, for a source that has none ready. */
export interface SeriesDrawer {
  /** By series instance UID. */
  records: ReadonlyMap<string, SeriesRecord>;
  pictureOf(series: SeriesRecord): Promise<Picture | undefined>;
  close(): void;
}

export function startSeriesDrawer(source: StackSource, series: readonly SeriesRecord[]): SeriesDrawer {
  const pool = startDecodePool({ size: 1 });
  const whenFree = () => new Promise<void>((resolve) => whenIdle(resolve));
  const pictures = createSeriesPictures({ source, decode: pool.decode, whenFree });
  return {
    records: new Map(series.map((record) => [record.seriesInstanceUID, record])),
    pictureOf: pictures.pictureOf,
    close() {
      pictures.close();
      pool.close();
    },
  };
}

export const SeriesDrawerContext = createContext<SeriesDrawer | undefined>(undefined);

/** The small picture of a series as the context draws it; its modality until then. */
export function DrawnSeriesPicture({ seriesInstanceUID }: { seriesInstanceUID: string }) {
  const drawer = use(SeriesDrawerContext);
  const series = drawer?.records.get(seriesInstanceUID);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [picture, setPicture] = useState<Picture>();
  useEffect(() => {
    if (!drawer || !series) return;
    let isGone = false;
    void drawer.pictureOf(series).then((made) => !isGone && setPicture(made));
    return () => {
      isGone = true;
    };
  }, [drawer, series]);
  useEffect(() => {
    if (!picture || !canvas.current) return;
    const { rows, columns } = picture.frame;
    const image = new ImageData(columns, rows);
    createPaint()(picture, new Uint32Array(image.data.buffer));
    canvas.current.getContext("2d", { alpha: false })?.putImageData(image, 0, 0);
  }, [picture]);
  if (!picture) return <span className="visor-series-kind">{series?.modality}</span>;
  return <canvas ref={canvas} width={picture.frame.columns} height={picture.frame.rows} />;
}
