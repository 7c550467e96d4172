import type { Family } from "./open-metrics.ts";

const OUTCOMES = ["stored", "refused", "interrupted", "failed"] as const;

/** `refused`: because of its content or limits; `interrupted`: by the sender; `failed`: by this server. */
export type UploadOutcome = (typeof OUTCOMES)[number];

/** Counts uploads, from the moment they get a place until they are answered. */
export class UploadMeter {
  #inFlight = 0;
  readonly #ended = new Map(OUTCOMES.map((outcome) => [outcome, { uploads: 0, bytes: 0, seconds: 0 }]));

  began(): void {
    this.#inFlight++;
  }

  ended(outcome: UploadOutcome, bytes: number, seconds: number): void {
    this.#inFlight--;
    const figures = this.#ended.get(outcome);
    if (!figures) return;
    figures.uploads++;
    figures.bytes += bytes;
    figures.seconds += seconds;
  }

  families(): Family[] {
    const samples = (figure: "uploads" | "bytes" | "seconds") =>
      [...this.#ended].map(([outcome, figures]) => ({ labels: { outcome }, value: figures[figure] }));
    return [
      {
        name: "exameteca_uploads",
        type: "counter",
        help: "Uploads that this node gave a place to and that have ended, by outcome.",
        samples: samples("uploads"),
      },
      {
        name: "exameteca_upload_bytes",
        type: "counter",
        unit: "bytes",
        help: "What came of those uploads, forms included.",
        samples: samples("bytes"),
      },
      {
        name: "exameteca_upload_seconds",
        type: "counter",
        unit: "seconds",
        help: "Time those uploads took, from the place they got to the answer.",
        samples: samples("seconds"),
      },
      {
        name: "exameteca_uploads_in_flight",
        type: "gauge",
        help: "Uploads under way on this node.",
        samples: [{ value: this.#inFlight }],
      },
    ];
  }
}
