import type { Activity } from "../../../shared/api/activity.ts";

type Event = Activity["events"][number];

/** One thing that was done, which may be about several exams: each of them has an event of its own. */
export interface Act extends Omit<Event, "exam"> {
  /** How many exams it was about, with those that have no name or are gone. */
  examCount: number;
  /** The names that are known, in the order of the events. */
  exams: string[];
}

/** What was done, in the order of the events: a link to five exams is one act. */
export function actsOf(events: readonly Event[]): Act[] {
  const acts: Act[] = [];
  for (const { exam, ...event } of events) {
    const before = acts.at(-1);
    const exams = exam ? [exam] : [];
    if (before && isSameAct(before, event)) {
      before.examCount++;
      before.exams.push(...exams);
    } else acts.push({ ...event, examCount: 1, exams });
  }
  return acts;
}

/** What is recorded by one act has one time, down to the millisecond. */
function isSameAct(act: Act, event: Omit<Event, "exam">): boolean {
  return (
    /^(study|link)\./.test(event.action) &&
    act.action === event.action &&
    act.at === event.at &&
    act.actorName === event.actorName &&
    act.address === event.address &&
    act.token?.name === event.token?.name
  );
}
