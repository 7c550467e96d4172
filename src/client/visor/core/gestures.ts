import type { Point } from "../draw/placement.ts";

/** What fingers or a mouse ask for. Ways are in CSS pixels, y downward. */
export type Gesture =
  | { type: "scroll"; slices: number }
  | { type: "series"; step: 1 | -1 }
  | { type: "pan"; x: number; y: number }
  | { type: "zoom"; factor: number; at: Point }
  | { type: "window"; x: number; y: number }
  | { type: "tap"; at: Point }
  | { type: "doubleTap"; at: Point }
  | { type: "hold" }
  /** A line is drawn from where the finger came down to where it is. */
  | { type: "stroke"; from: Point; to: Point; isNew: boolean }
  /** A second finger came, or the system took the finger away: the line that was begun was none. */
  | { type: "strokeDropped" };

/** What one finger does when it is dragged. */
export type DragAction = "scroll" | "pan" | "window" | "stroke";

export interface GestureOptions {
  /** Asked when a pointer comes down and when a drag begins. */
  dragAction(): DragAction;
  /** Whether a drag sideways goes to the next series: only while the whole picture is seen. */
  turnsSeries(): boolean;
  onGesture(gesture: Gesture): void;
}

export interface PointerSample {
  id: number;
  at: Point;
  timeMs: number;
}

/** Follows the pointers on a film. Feed it their events. */
export interface GestureReader {
  down(sample: PointerSample, asked?: DragAction): void;
  move(sample: PointerSample): void;
  up(sample: PointerSample): void;
  cancel(): void;
}

export const HOLD_MS = 350;
const SLOP_PX = 8;
const SLICE_PX = 12;
/** Above this speed a finger moves several slices a step. */
const FAST_PX_PER_MS = 0.8;
const MAX_SPEED_UP = 6;
const SWIPE_PX = 60;
/** A second tap within this time makes a double one. */
export const DOUBLE_TAP_MS = 300;
const DOUBLE_TAP_PX = 30;

interface Held {
  start: Point;
  sinceMs: number;
  last: PointerSample;
}

export function createGestureReader({ dragAction, turnsSeries, onGesture }: GestureOptions): GestureReader {
  const held = new Map<number, Held>();
  let drag: DragAction | "series" | undefined;
  let asked: DragAction | undefined;
  let hadTwo = false;
  let rest = 0;
  let isStroked = false;
  let tapped: PointerSample | undefined;
  let holding: ReturnType<typeof setTimeout> | undefined;
  let isHeld = false;

  const stopHolding = () => {
    clearTimeout(holding);
    holding = undefined;
    isHeld = false;
  };

  /** A busy page may run the timer before it hears that the finger moved, or left, in time: the events' own times decide. */
  const wasTooEarly = (own: Held, { timeMs }: PointerSample) => isHeld && timeMs - own.sinceMs < HOLD_MS;

  function beginDrag({ start }: Held, { at }: PointerSample): void {
    stopHolding();
    const isSideways = Math.abs(at.x - start.x) > 1.5 * Math.abs(at.y - start.y);
    const action = asked ?? dragAction();
    drag = action === "scroll" && isSideways && turnsSeries() ? "series" : action;
    rest = 0;
    isStroked = false;
  }

  function follow({ start, last: from }: Held, { at, timeMs }: PointerSample): void {
    const [x, y] = [at.x - from.at.x, at.y - from.at.y];
    if (drag === "stroke") {
      onGesture({ type: "stroke", from: start, to: at, isNew: !isStroked });
      isStroked = true;
    }
    if (drag === "pan") onGesture({ type: "pan", x, y });
    if (drag === "window") onGesture({ type: "window", x, y });
    if (drag !== "scroll") return;
    const speed = Math.abs(y) / Math.max(1, timeMs - from.timeMs);
    rest += (y / SLICE_PX) * Math.min(MAX_SPEED_UP, Math.max(1, speed / FAST_PX_PER_MS));
    const slices = Math.trunc(rest);
    rest -= slices;
    if (slices !== 0) onGesture({ type: "scroll", slices });
  }

  function pinch(sample: PointerSample): void {
    const others = [...held.entries()].filter(([id]) => id !== sample.id);
    const [other] = others;
    const own = held.get(sample.id);
    if (!other || !own) return;
    const fixed = other[1].last.at;
    const before = distance(own.last.at, fixed);
    const after = distance(sample.at, fixed);
    const at = { x: (sample.at.x + fixed.x) / 2, y: (sample.at.y + fixed.y) / 2 };
    onGesture({ type: "pan", x: (sample.at.x - own.last.at.x) / 2, y: (sample.at.y - own.last.at.y) / 2 });
    if (before > 1 && after > 1) onGesture({ type: "zoom", factor: after / before, at });
  }

  function finish(sample: PointerSample, own: Held): void {
    if (wasTooEarly(own, sample)) drag = undefined;
    if (drag === undefined && !hadTwo) tap(sample);
    const { start } = own;
    if (drag === "series" && Math.abs(sample.at.x - start.x) > SWIPE_PX) {
      onGesture({ type: "series", step: sample.at.x < start.x ? 1 : -1 });
    }
  }

  function tap(sample: PointerSample): void {
    const isSecond =
      tapped &&
      sample.timeMs - tapped.timeMs < DOUBLE_TAP_MS &&
      distance(sample.at, tapped.at) < DOUBLE_TAP_PX;
    onGesture({ type: isSecond ? "doubleTap" : "tap", at: sample.at });
    tapped = isSecond ? undefined : sample;
  }

  return {
    down(sample, action) {
      if (held.size >= 2) return;
      held.set(sample.id, { start: sample.at, sinceMs: sample.timeMs, last: sample });
      stopHolding();
      if (held.size === 2) {
        hadTwo = true;
        if (drag === "stroke") onGesture({ type: "strokeDropped" });
        drag = undefined;
        return;
      }
      hadTwo = false;
      drag = undefined;
      asked = action;
      // A finger that aims before it draws does not set the window.
      if (action === undefined && dragAction() !== "stroke") {
        holding = setTimeout(() => {
          drag = "window";
          isHeld = true;
          onGesture({ type: "hold" });
        }, HOLD_MS);
      }
    },
    move(sample) {
      const own = held.get(sample.id);
      if (!own) return;
      if (held.size === 2) pinch(sample);
      else if (!hadTwo) {
        const isOpen = drag === undefined || wasTooEarly(own, sample);
        if (isOpen && distance(sample.at, own.start) > SLOP_PX) beginDrag(own, sample);
        if (!wasTooEarly(own, sample)) follow(own, sample);
      }
      own.last = sample;
    },
    up(sample) {
      const own = held.get(sample.id);
      if (own && held.size === 1) finish(sample, own);
      stopHolding();
      held.delete(sample.id);
      if (held.size === 0) drag = undefined;
    },
    cancel() {
      stopHolding();
      held.clear();
      if (drag === "stroke") onGesture({ type: "strokeDropped" });
      drag = undefined;
    },
  };
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
