import { integrity } from "../../holdings/objects/stored-objects.table.ts";
import type { Family } from "../../metrics/open-metrics.ts";
import { storageStatus } from "../studies/studies.table.ts";
import type { countStudyStates } from "../studies/study-states.repo.ts";

type StudyState = Awaited<ReturnType<typeof countStudyStates>>[number];

/** How many studies are in those states. */
export function countStudies(states: readonly StudyState[], isOne: (state: StudyState) => boolean): number {
  return states.filter(isOne).reduce((sum, { studies }) => sum + studies, 0);
}

/** Of all nodes together. */
export function studyFamilies(states: readonly StudyState[]): Family[] {
  return [
    {
      name: "exameteca_studies",
      type: "gauge",
      help: "Studies of all nodes by where their bytes are: b2 is the archive store, whichever that is. Up to 30 s old.",
      samples: storageStatus.enumValues.map((status) => ({
        labels: { storage_status: status },
        value: countStudies(states, (state) => state.storageStatus === status),
      })),
    },
    {
      name: "exameteca_studies_by_integrity",
      type: "gauge",
      help: "Studies of all nodes by what is known of their bytes at rest. Up to 30 s old.",
      samples: integrity.enumValues.map((found) => ({
        labels: { integrity: found },
        value: countStudies(states, (state) => state.integrity === found),
      })),
    },
  ];
}
