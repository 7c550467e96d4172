import type { Family, Labels } from "./open-metrics.ts";

const UPPER_BOUNDS = [0.01, 0.05, 0.25, 1, 5, 30];
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"];
/** More routes than the application has; it bounds the memory if a caller passes paths by mistake. */
const MAX_ROUTES = 256;

interface RouteFigures {
  /** By method, then by class of status. */
  byMethod: Map<string, number[]>;
  buckets: number[];
  seconds: number;
}

/** Counts answers. A request costs two look-ups and a few additions. */
export class RequestMeter {
  readonly #routes = new Map<string, RouteFigures>();
  #open = 0;

  /** Whether a request waits for its answer, an upload among them. */
  get isAnswering(): boolean {
    return this.#open > 0;
  }

  /** A request arrived; dispose it when its answer began. */
  begin(): Disposable {
    this.#open++;
    return { [Symbol.dispose]: () => void this.#open-- };
  }

  /** `route` is the pattern, never the path. */
  count(method: string, route: string, status: number, seconds: number): void {
    const figures = this.#figuresOf(route);
    const classes = classesOf(figures, METHODS.has(method) ? method : "other");
    const statusClass = Math.min(CLASSES.length, Math.max(1, Math.floor(status / 100))) - 1;
    classes[statusClass] = (classes[statusClass] ?? 0) + 1;
    let bucket = 0;
    while (seconds > (UPPER_BOUNDS[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    figures.buckets[bucket] = (figures.buckets[bucket] ?? 0) + 1;
    figures.seconds += seconds;
  }

  families(): Family[] {
    return [
      {
        name: "exameteca_http_requests",
        type: "counter",
        help: "Requests this node answered, by method, pattern of the route and class of the status.",
        samples: [...this.#routes].flatMap(([route, { byMethod }]) =>
          [...byMethod].flatMap(([method, classes]) => samplesOf(classes, { method, route })),
        ),
      },
      {
        name: "exameteca_http_request_duration_seconds",
        type: "histogram",
        unit: "seconds",
        help: "Time until this node's answer began, by pattern of the route. What is streamed afterwards is not in it.",
        upperBounds: UPPER_BOUNDS,
        samples: [...this.#routes].map(([route, { buckets, seconds }]) => ({
          labels: { route },
          counts: buckets,
          sum: seconds,
        })),
      },
    ];
  }

  #figuresOf(route: string): RouteFigures {
    const known = this.#routes.get(route);
    if (known) return known;
    if (this.#routes.size >= MAX_ROUTES && route !== "other") return this.#figuresOf("other");
    const fresh = { byMethod: new Map(), buckets: [...UPPER_BOUNDS, 0].map(() => 0), seconds: 0 };
    this.#routes.set(route, fresh);
    return fresh;
  }
}

function classesOf({ byMethod }: RouteFigures, method: string): number[] {
  const known = byMethod.get(method);
  if (known) return known;
  const fresh = CLASSES.map(() => 0);
  byMethod.set(method, fresh);
  return fresh;
}

function samplesOf(classes: readonly number[], labels: Labels) {
  return classes.flatMap((value, index) =>
    value > 0 ? [{ labels: { ...labels, status: CLASSES[index] ?? "" }, value }] : [],
  );
}
