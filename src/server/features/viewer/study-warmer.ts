/** Copies what viewers read of studies to this machine while they load, where the store is elsewhere. */
export interface StudyWarmer {
  warm(studyIds: readonly string[]): void;
}
