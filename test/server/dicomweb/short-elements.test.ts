import { expect, test } from "bun:test";
import { shortElements } from "../../../src/server/features/dicomweb/qido/short-elements.ts";
import { spentMs } from "../../support/spent-time.ts";

const LIMITS = { longest: 100, most: 300 };

function shortened(json: object | string, limits = LIMITS): unknown {
  const text = typeof json === "string" ? json : JSON.stringify(json);
  const short = shortElements(Buffer.from(text), limits);
  return short && JSON.parse(Buffer.from(short).toString());
}

const rows = { vr: "US", Value: [512] };
const awkward = { vr: "LO", Value: ['a"}],{[\\', "\\\\", "ç☃", ""] };
const frames = {
  vr: "SQ",
  Value: Array.from({ length: 9 }, () => ({ "00209111": { vr: "SQ", Value: [{}] } })),
};

test("what a data set says in short is kept, and its long elements are not", () => {
  expect(shortened({ "00081030": awkward, "00280010": rows, "52009230": frames })).toEqual({
    "00081030": awkward,
    "00280010": rows,
  });
  expect(shortened({ "00080008": frames, "00280010": rows })).toEqual({ "00280010": rows });
  expect(shortened({ "52009230": frames })).toEqual({});
  expect(shortened({})).toEqual({});
});

test("no more is kept than all elements together may have", () => {
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`0028001${n}`, awkward]));
  expect(Object.keys(shortened(many) as object)).toEqual(["00280010", "00280011", "00280012", "00280013"]);
});

test.each(['{"00280010":{"vr":"US"', '{"00280010":5}', '{ "00280010": {} }', '{"00280010":{"vr":"US}}'])(
  "a text that is not written as ours are (%s) is not guessed at",
  (text) => {
    expect(shortened(text)).toBeUndefined();
  },
);

test("a long text takes time that grows with it alone", () => {
  const hostile = JSON.stringify({
    "00081030": { vr: "LO", Value: ['\\"'.repeat(500_000)] },
    "00280010": rows,
  });
  const started = spentMs();
  expect(shortened(hostile)).toEqual({ "00280010": rows });
  expect(spentMs() - started).toBeLessThan(10_000);
});
