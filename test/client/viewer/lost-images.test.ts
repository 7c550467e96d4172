import { describe, expect, test } from "bun:test";
import { createLostImages } from "../../../src/client/viewer/lost-images.ts";

function viewer() {
  const waiting: (() => void)[] = [];
  const told: (number | undefined)[] = [];
  const sight = { imageId: "" };
  const here = new Set<string>();
  const lost = createLostImages({
    isInSight: (imageId) => imageId === sight.imageId,
    hasCome: (imageId) => here.has(imageId),
    tell: (status) => void told.push(status),
    wait: (run) => waiting.push(run),
  });
  const pass = () => {
    for (const run of waiting.splice(0)) run();
  };
  return { lost, told, sight, here, pass };
}

describe("an image that failed to load", () => {
  test("is reported when the viewport reaches it after the failure", () => {
    const { lost, told, sight, pass } = viewer();
    lost.add("a", 0);
    sight.imageId = "a";
    pass();
    expect(new Set(told)).toEqual(new Set([0]));
  });

  test("is not reported while another one is visible", () => {
    const { lost, told, sight, pass } = viewer();
    sight.imageId = "b";
    lost.add("a", 500);
    pass();
    expect(told).toEqual([]);
  });

  test("is forgotten once it has loaded after all, and not because an empty viewport was drawn", () => {
    const { lost, told, sight, here, pass } = viewer();
    lost.add("a", 0);
    sight.imageId = "a";
    expect(lost.isInSight()).toBeTrue();
    here.add("a");
    expect(lost.isInSight()).toBeFalse();
    pass();
    expect(told).toEqual([]);
  });
});
