import { describe, expect, test } from "bun:test";
import { mayBeSamePerson } from "../../../src/shared/rules/shown-name.ts";

describe("the name of a request and the patient of the images", () => {
  test.each([
    ["Marina Gonçalves", "GONCALVES^MARINA"],
    ["Marina G.", "Gonçalves^Marina Souza"],
    ["Maria A. S.", "SILVA^MARIA APARECIDA"],
    ["marina  gonçalves", "Marina Gonçalves=マリナ"],
  ])("may be one person: %s, %s", (shown, patient) => {
    expect(mayBeSamePerson(shown, patient)).toBe(true);
  });

  test.each([
    ["Maria A. S.", "GONCALVES^JOAO A"],
    ["Marina G.", "Silva^Marina"],
    ["Marina G.", ""],
    ["", "Silva^Marina"],
    ["Ana", "Anabela"],
  ])("are two people: %s, %s", (shown, patient) => {
    expect(mayBeSamePerson(shown, patient)).toBe(false);
  });
});
