import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { readAgainAfterOutage } from "../../calls/read-again.ts";
import { studiesApi } from "./studies-api.ts";
import { isViewable } from "./study-text.ts";

/** The server draws pictures after the transfer, so a missing picture is requested again at growing intervals. */
const FIRST_WAIT_MS = 1_500;
const MAX_READS = 6;

/** How long an address outlives its element: the browser may begin to load an image after the element is gone. */
const KEPT_MS = 10_000;

interface Pictured {
  study: Pick<Study, "id" | "storageStatus">;
  /** One series instead of the whole study. */
  seriesId?: string;
  /** Number of instances; when it grows, the picture changes. */
  imagesReceived: number;
  /** While false nothing is fetched. */
  isSeen: boolean;
  /** The preview of the viewer's first image instead of the small picture; of a study only. */
  isLarge?: boolean;
}

/** How a picture is read and kept. */
export function pictureQuery({ study, seriesId, imagesReceived, isLarge = false }: Omit<Pictured, "isSeen">) {
  return queryOptions({
    queryKey: ["picture", study.id, seriesId, imagesReceived, isLarge],
    queryFn: ({ signal }) =>
      studiesApi.picture({ studyId: study.id, seriesId, imagesReceived, isLarge }, signal),
  });
}

/** The address of a study's or series' small picture; undefined while there is none. */
export function usePicture({ isSeen, ...pictured }: Pictured): string | undefined {
  const { data } = useQuery({
    ...pictureQuery(pictured),
    enabled: isSeen && isViewable(pictured.study),
    refetchInterval: (read) => readAgainAfterOutage(read) || untilDrawn(read),
  });
  return useObjectUrl(data);
}

function untilDrawn({ state: { data, dataUpdateCount } }: { state: PictureState }): number | false {
  return data === null && dataUpdateCount < MAX_READS ? FIRST_WAIT_MS * 2 ** (dataUpdateCount - 1) : false;
}

interface PictureState {
  data: Blob | null | undefined;
  dataUpdateCount: number;
}

/** An `<img>` can't send the session's token in a header, so the bytes are fetched and kept here. */
function useObjectUrl(picture: Blob | null | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!picture) return;
    const made = URL.createObjectURL(picture);
    setUrl(made);
    return () => {
      setUrl(undefined);
      setTimeout(() => URL.revokeObjectURL(made), KEPT_MS);
    };
  }, [picture]);
  return url;
}
