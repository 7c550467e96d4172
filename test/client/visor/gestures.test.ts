import { describe, expect, jest, test } from "bun:test";
import {
  createGestureReader,
  type DragAction,
  type Gesture,
  HOLD_MS,
} from "../../../src/client/visor/core/gestures.ts";

function read({ action = "scroll" as DragAction, turnsSeries = true } = {}) {
  const gestures: Gesture[] = [];
  const reader = createGestureReader({
    dragAction: () => action,
    turnsSeries: () => turnsSeries,
    onGesture: (gesture) => gestures.push(gesture),
  });
  const finger = (id: number, timeMs: number, x: number, y: number) => ({ id, timeMs, at: { x, y } });
  return { gestures, reader, finger };
}

/** Does what begins a gesture, and lets time pass until the page's timer says that the finger is held. */
function hold(begin: () => void): void {
  jest.useFakeTimers();
  try {
    begin();
    jest.advanceTimersByTime(HOLD_MS + 50);
  } finally {
    jest.useRealTimers();
  }
}

const sum = (gestures: Gesture[]) =>
  gestures.reduce((slices, gesture) => slices + (gesture.type === "scroll" ? gesture.slices : 0), 0);

describe("fingers on a film", () => {
  test("one finger scrolls a slice each twelve pixels, and more when it is fast", () => {
    const slow = read();
    slow.reader.down(slow.finger(1, 0, 50, 0), "scroll");
    for (let y = 0; y <= 120; y += 4) slow.reader.move(slow.finger(1, y * 10, 50, y));
    expect(sum(slow.gestures)).toBeGreaterThanOrEqual(9);
    expect(sum(slow.gestures)).toBeLessThanOrEqual(10);
    const fast = read();
    fast.reader.down(fast.finger(1, 0, 50, 0), "scroll");
    for (let y = 0; y <= 120; y += 40) fast.reader.move(fast.finger(1, y / 4, 50, y));
    expect(sum(fast.gestures)).toBeGreaterThan(20);
  });

  test("a drag sideways goes to the next series, only while the whole picture is seen", () => {
    for (const [turnsSeries, expected] of [
      [true, [{ type: "series", step: 1 }]],
      [false, []],
    ] as const) {
      const { gestures, reader, finger } = read({ turnsSeries });
      reader.down(finger(1, 0, 200, 50), "scroll");
      for (let x = 200; x >= 100; x -= 20) reader.move(finger(1, 400 - x, x, 50));
      reader.up(finger(1, 400, 100, 50));
      expect(gestures).toEqual([...expected]);
    }
  });

  test("with a tool that measures a drag draws a line from where it began, however long it aimed, and turns no series", () => {
    const { gestures, reader, finger } = read({ action: "stroke" });
    hold(() => reader.down(finger(1, 0, 200, 50)));
    for (const x of [196, 150, 100]) reader.move(finger(1, 900 - x, x, 50));
    reader.up(finger(1, 800, 100, 50));
    const from = { x: 200, y: 50 };
    expect(gestures).toEqual([
      { type: "stroke", from, to: { x: 150, y: 50 }, isNew: true },
      { type: "stroke", from, to: { x: 100, y: 50 }, isNew: false },
    ]);
    gestures.length = 0;
    reader.down(finger(1, 900, 200, 50));
    reader.move(finger(1, 910, 180, 50));
    reader.down(finger(2, 920, 100, 50));
    expect(gestures.map(({ type }) => type)).toEqual(["stroke", "strokeDropped"]);
  });

  test("a line that the system takes from the finger is none, and another gesture drops none", () => {
    const { gestures, reader, finger } = read({ action: "stroke" });
    reader.down(finger(1, 0, 200, 50));
    reader.move(finger(1, 10, 150, 50));
    reader.cancel();
    expect(gestures.map(({ type }) => type)).toEqual(["stroke", "strokeDropped"]);
    gestures.length = 0;
    reader.down(finger(2, 20, 200, 50));
    reader.cancel();
    expect(gestures).toEqual([]);
  });

  test("two fingers move and enlarge, and lifting one scrolls nothing", () => {
    const { gestures, reader, finger } = read();
    reader.down(finger(1, 0, 100, 100));
    reader.down(finger(2, 5, 200, 100));
    reader.move(finger(2, 10, 300, 100));
    expect(gestures).toContainEqual({ type: "zoom", factor: 2, at: { x: 200, y: 100 } });
    expect(gestures).toContainEqual({ type: "pan", x: 50, y: 0 });
    reader.up(finger(2, 20, 300, 100));
    reader.move(finger(1, 30, 100, 300));
    reader.up(finger(1, 40, 100, 300));
    expect(gestures.map(({ type }) => type)).toEqual(["pan", "zoom"]);
  });

  test("a tap and a double tap are told apart from drags", () => {
    const { gestures, reader, finger } = read();
    for (const timeMs of [0, 150]) {
      reader.down(finger(1, timeMs, 50, 50));
      reader.up(finger(1, timeMs + 40, 51, 50));
    }
    expect(gestures.map(({ type }) => type)).toEqual(["tap", "doubleTap"]);
  });

  test("a finger that moved or left before it counts as held is no held one, though a busy page hears of it later", () => {
    const late = () => {
      const made = read();
      hold(() => made.reader.down(made.finger(1, 0, 50, 0)));
      expect(made.gestures.splice(0)).toEqual([{ type: "hold" }]);
      return made;
    };
    const [dragged, tapped, trembling] = [late(), late(), late()];
    for (let y = 4; y <= 40; y += 4) dragged.reader.move(dragged.finger(1, y * 5, 50, y));
    expect(sum(dragged.gestures)).toBe(2);
    expect(new Set(dragged.gestures.map(({ type }) => type))).toEqual(new Set(["scroll"]));
    tapped.reader.up(tapped.finger(1, 60, 50, 0));
    expect(tapped.gestures.map(({ type }) => type)).toEqual(["tap"]);
    trembling.reader.move(trembling.finger(1, 100, 52, 0));
    trembling.reader.move(trembling.finger(1, HOLD_MS + 80, 52, 40));
    trembling.reader.up(trembling.finger(1, HOLD_MS + 90, 52, 40));
    expect(trembling.gestures).toEqual([{ type: "window", x: 0, y: 40 }]);
  });

  test("a third finger does nothing, and a lost pointer ends everything", () => {
    const { gestures, reader, finger } = read();
    for (const id of [1, 2, 3]) reader.down(finger(id, 0, id * 50, 0));
    reader.move(finger(3, 10, 500, 500));
    reader.cancel();
    reader.move(finger(1, 20, 500, 500));
    expect(gestures).toEqual([]);
  });
});
