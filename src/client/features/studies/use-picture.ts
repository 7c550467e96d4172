import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { studiesApi } from "./studies-api.ts";
import { isViewable } from "./study-text.ts";

/** Pictures are made after the transfer: one that is not there yet is asked for again, less and less often. */
const FIRST_WAIT_MS = 1_500;
const MAX_ASKS = 6;

interface Pictured {
  study: Pick<Study, "id" | "storageStatus">;
  /** One series instead of the whole study. */
  seriesId?: string;
  /** Instances there are: with more of them it is another picture. */
  imagesReceived: number;
  /** Nothing is fetched before. */
  isSeen: boolean;
}

/** The address of a study's or series' small picture; undefined while there is none. */
export function usePicture({ study, seriesId, imagesReceived, isSeen }: Pictured): string | undefined {
  const { data } = useQuery({
    queryKey: ["picture", study.id, seriesId, imagesReceived],
    queryFn: ({ signal }) => studiesApi.picture({ studyId: study.id, seriesId, imagesReceived }, signal),
    enabled: isSeen && isViewable(study),
    refetchInterval: ({ state }) =>
      state.data === null && state.dataUpdateCount < MAX_ASKS
        ? FIRST_WAIT_MS * 2 ** (state.dataUpdateCount - 1)
        : false,
  });
  return useObjectUrl(data);
}

/** The session's token goes in a header, which an `<img>` can't send: its bytes are fetched and kept here. */
function useObjectUrl(picture: Blob | null | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!picture) return;
    const made = URL.createObjectURL(picture);
    setUrl(made);
    return () => {
      setUrl(undefined);
      URL.revokeObjectURL(made);
    };
  }, [picture]);
  return url;
}
