import { useLingui } from "@lingui/react/macro";
import { useIsMutating, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { NewLink } from "../../../shared/api/links.ts";
import type { Study } from "../../../shared/api/studies.ts";
import { failureText } from "../../calls/failure-text.ts";
import { showToast } from "../../ui/toast.tsx";
import { studiesApi } from "../studies/studies-api.ts";
import { linksApi } from "./links-api.ts";

const LINKS = "links";
const CREATE = [LINKS, "create"];
/** As many other exams of the patient as the dialog offers. */
const MAX_OTHERS = 20;

export function useLinks(studyId: string) {
  return useQuery({
    queryKey: [LINKS, studyId],
    queryFn: ({ signal }) => linksApi.list(studyId, signal),
    staleTime: 0,
  });
}

/** One's own links that still open something, of all exams. */
export function useActiveLinks() {
  return useQuery({
    queryKey: [LINKS, "active"],
    queryFn: async ({ signal }) => {
      const links = await linksApi.list(undefined, signal);
      return links.filter(({ state }) => state === "active");
    },
    staleTime: 0,
  });
}

export function useOpenings(linkId: string, openings: number) {
  return useQuery({
    queryKey: [LINKS, "openings", linkId, openings],
    queryFn: ({ signal }) => linksApi.openings(linkId, signal),
    enabled: openings > 0,
    staleTime: 0,
  });
}

export function useCreateLink() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationKey: CREATE,
    mutationFn: (link: NewLink) => linksApi.create(link),
    // The link is shown without waiting for the list. If the answer got lost, one may be there that nobody has seen.
    onSettled: () => void queryClient.invalidateQueries({ queryKey: [LINKS] }),
  });
}

/** While a link is made, the dialog around its form stays: the address and the passcode come only once. */
export function useIsCreatingLink(): boolean {
  return useIsMutating({ mutationKey: CREATE }) > 0;
}

export function useEndLink() {
  const { t } = useLingui();
  return useMutation({
    meta: { changes: [[LINKS]] },
    mutationFn: (id: string) => linksApi.end(id),
    onSuccess: () => showToast({ tone: "ok", title: t({ id: "link.ended", message: "Link ended" }) }),
    onError: (error) =>
      showToast({
        tone: "bad",
        title: t({ id: "link.endFailed", message: "The link was not ended" }),
        text: failureText(error),
      }),
  });
}

/** Other exams of the same patient and owner, those of the same modality first; undefined until they are known. */
export function useOtherExams(study: Study, areOffered: boolean): Study[] | undefined {
  const { patientName, modality } = study;
  const { data } = useQuery({
    queryKey: [LINKS, "others", study.id],
    queryFn: async ({ signal }) => {
      const { studies } = await studiesApi.list(
        { patientName: patientName ?? "", limit: MAX_OTHERS + 1, sort: "studyDate", order: "desc" },
        signal,
      );
      return studies;
    },
    enabled: areOffered && Boolean(patientName),
  });
  const isSame = (other: Study) => other.modality === modality;
  return data
    ?.filter((other) => other.id !== study.id && other.access.share && other.ownerName === study.ownerName)
    .filter((other) => other.patientName === patientName)
    .sort((a, b) => Number(isSame(b)) - Number(isSame(a)));
}
