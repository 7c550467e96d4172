import type { Attributes } from "./keywords.ts";

/** Stored samples, little-endian in memory, interleaved by pixel and frame after frame. */
export interface Pixels {
  rows: number;
  columns: number;
  samples: Uint8Array | Uint16Array | Int16Array;
  samplesPerPixel?: 1 | 3;
  numberOfFrames?: number;
  bitsStored: number;
}

export interface RenderedInstance {
  /** What differs from instance to instance: geometry, window, type. */
  attributes: Attributes;
  pixels: Pixels;
}

/** One series of a study, rendered an instance at a time. */
export interface SeriesPlan {
  seriesNumber: number;
  seriesDescription: string;
  sopClassUID: string;
  instances: number;
  /** What all instances of the series share. */
  attributes: Attributes;
  render(index: number): RenderedInstance;
}

export interface StudyPlan {
  modality: string;
  studyDescription: string;
  /** What all instances of the study share: the machine, the body part. */
  attributes: Attributes;
  /** The series lie in one space, so that slices can be matched. */
  sharesSpace: boolean;
  series: readonly SeriesPlan[];
}

/** What a plan is made from; sizes are in pixels. */
export interface PlanOptions {
  seed: number;
  /** Columns of the main series. */
  size?: number;
  /** Instances of each main series. */
  instances?: number;
  frames?: number;
}

/** SOP classes of the phantoms (PS3.4 §B.5). */
export const SOP_CLASS = {
  ct: "1.2.840.10008.5.1.4.1.1.2",
  mr: "1.2.840.10008.5.1.4.1.1.4",
  cr: "1.2.840.10008.5.1.4.1.1.1",
  mammogram: "1.2.840.10008.5.1.4.1.1.1.2",
  ultrasound: "1.2.840.10008.5.1.4.1.1.6.1",
  ultrasoundMultiFrame: "1.2.840.10008.5.1.4.1.1.3.1",
} as const;
