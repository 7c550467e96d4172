import { describe, expect, test } from "bun:test";
import { isSamePatient, orderComparable } from "../../../src/client/features/viewer/comparable-studies.ts";

const person = (
  patientName: string | null,
  patientBirthDate: string | null = null,
  patientID: string | null = null,
) => ({ patientName, patientBirthDate, patientID });

describe("two studies are of one patient", () => {
  test("when the name is one, however it is written, and the birth dates do not differ", () => {
    const marina = person("Gonçalves^Marina", "1966-03-14", "1");
    expect(isSamePatient(marina, person("GONCALVES^MARINA", "1966-03-14", "2"))).toBe(true);
    expect(isSamePatient(marina, person("Gonçalves^Marina"))).toBe(true);
    expect(isSamePatient(marina, person("Marina Gonçalves"))).toBe(true);
    expect(isSamePatient(marina, person("Gonçalves^Marina", "1996-03-14", "1"))).toBe(false);
    expect(isSamePatient(marina, person("Gonçalves^Mariana", "1966-03-14", "1"))).toBe(false);
    expect(isSamePatient(marina, person(null, "1966-03-14", "1"))).toBe(false);
  });

  test("without a name only when they have one patient ID", () => {
    expect(isSamePatient(person(null, null, "7"), person("^", null, "7"))).toBe(true);
    expect(isSamePatient(person(null, null, "7"), person(null, null, "8"))).toBe(false);
    expect(isSamePatient(person(null), person(null))).toBe(false);
  });
});

describe("the studies to compare with", () => {
  test("begin with the newest earlier one of the same modality; what can't be opened is left out", () => {
    const study = (id: string, studyDate: string | null, modality: string, more = {}) => ({
      ...{ id, studyDate, modality, imagesReceived: 10, storageStatus: "b2" as const },
      ...more,
    });
    const shown = study("shown", "2026-08-17", "CT");
    const others = [
      study("later", "2026-10-01", "CT"),
      study("mr", "2026-01-01", "MR"),
      study("old", "2020-05-02", "CT"),
      shown,
      study("moving", "2025-05-02", "CT", { storageStatus: "transferring" }),
      study("report only", "2025-05-02", "CT", { imagesReceived: 0 }),
      study("undated", null, "CT"),
      study("newest", "2024-05-02", "CT"),
    ];
    expect(orderComparable(shown, others).map(({ id }) => id)).toEqual([
      "newest",
      "old",
      "undated",
      "mr",
      "later",
    ]);
  });
});
