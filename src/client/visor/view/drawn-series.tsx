import { createContext, use, useEffect, useState } from "react";
import { whenIdle } from "../../ui/when-idle.ts";
import { createSeriesPictures } from "../core/series-pictures.ts";
import type { SeriesRecord, StackSource } from "../core/source.ts";
import { startDecodePool } from "../decode/start-worker.ts";
import type { Picture } from "../draw/picture.ts";
import { PictureCanvas } from "./picture-canvas.tsx";

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
  const [picture, setPicture] = useState<Picture>();
  useEffect(() => {
    if (!drawer || !series) return;
    let isGone = false;
    void drawer.pictureOf(series).then((made) => !isGone && setPicture(made));
    return () => {
      isGone = true;
    };
  }, [drawer, series]);
  if (!picture) return <span className="visor-series-kind">{series?.modality}</span>;
  return <PictureCanvas picture={picture} />;
}
