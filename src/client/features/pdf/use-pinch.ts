import { type RefObject, useEffect, useRef } from "react";

/** A point of the desk, measured from its upper left corner. */
export interface DeskPoint {
  x: number;
  y: number;
}

const WHEEL_PAUSE_MS = 140;
const WHEEL_SPEED = 1 / 300;
const MAX_FACTOR = 16;

/**
 * Two fingers, or the wheel with Ctrl (which is how a touchpad's pinch arrives), stretch the desk's content as a picture.
 * When they rest, `onPinched` redraws it by that factor around that point.
 */
export function usePinch(
  desk: RefObject<HTMLElement | null>,
  onPinched: (factor: number, at: DeskPoint) => void,
): void {
  const pinched = useRef(onPinched);
  useEffect(() => {
    pinched.current = onPinched;
  });
  useEffect(() => {
    const element = desk.current;
    if (!element) return;
    const stretch = new Stretch(element, (factor, at) => pinched.current(factor, at));
    const controller = new AbortController();
    listenToFingers(element, stretch, controller.signal);
    listenToWheel(element, stretch, controller.signal);
    return () => controller.abort();
  }, [desk]);
}

/** The stretched picture that is shown during a pinch. */
class Stretch {
  #factor = 1;
  #at?: DeskPoint;

  constructor(
    private readonly desk: HTMLElement,
    private readonly onEnd: (factor: number, at: DeskPoint) => void,
  ) {}

  /** Multiplies the current scale by `factor` around a point of the window. */
  by(factor: number, clientX: number, clientY: number): void {
    const frame = this.desk.getBoundingClientRect();
    this.#at ??= { x: clientX - frame.left, y: clientY - frame.top };
    this.#factor = Math.min(MAX_FACTOR, Math.max(1 / MAX_FACTOR, this.#factor * factor));
    const roll = this.#roll();
    if (!roll) return;
    roll.style.transformOrigin = `${this.#at.x + this.desk.scrollLeft}px ${this.#at.y + this.desk.scrollTop}px`;
    roll.style.transform = `scale(${this.#factor})`;
  }

  end(): void {
    const at = this.#at;
    if (!at) return;
    const factor = this.#factor;
    const roll = this.#roll();
    if (roll) roll.style.transform = "";
    this.#factor = 1;
    this.#at = undefined;
    this.onEnd(factor, at);
  }

  #roll(): HTMLElement | null {
    return this.desk.firstElementChild as HTMLElement | null;
  }
}

function listenToFingers(desk: HTMLElement, stretch: Stretch, signal: AbortSignal): void {
  let before: number | undefined;
  const move = (event: TouchEvent) => {
    const [one, other] = event.touches;
    if (!one || !other || event.touches.length > 2) return;
    event.preventDefault();
    const apart = Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
    if (before !== undefined && before > 0 && apart > 0) {
      stretch.by(apart / before, (one.clientX + other.clientX) / 2, (one.clientY + other.clientY) / 2);
    }
    before = apart;
  };
  const end = (event: TouchEvent) => {
    if (event.touches.length > 1) return;
    before = undefined;
    stretch.end();
  };
  desk.addEventListener("touchstart", move, { passive: false, signal });
  desk.addEventListener("touchmove", move, { passive: false, signal });
  desk.addEventListener("touchend", end, { signal });
  desk.addEventListener("touchcancel", end, { signal });
}

function listenToWheel(desk: HTMLElement, stretch: Stretch, signal: AbortSignal): void {
  let rest: ReturnType<typeof setTimeout> | undefined;
  const turn = (event: WheelEvent) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    stretch.by(Math.exp(-event.deltaY * WHEEL_SPEED), event.clientX, event.clientY);
    clearTimeout(rest);
    rest = setTimeout(() => stretch.end(), WHEEL_PAUSE_MS);
  };
  desk.addEventListener("wheel", turn, { passive: false, signal });
  signal.addEventListener("abort", () => clearTimeout(rest));
}
