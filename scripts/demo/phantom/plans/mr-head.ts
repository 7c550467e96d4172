import { createHead, paintHead } from "../../../../src/shared/phantom/head.ts";
import type { Head } from "../../../../src/shared/phantom/head-section.ts";
import { HEAD_FIELD_MM, headSlices } from "../../../../src/shared/phantom/head-slices.ts";
import { clamp } from "../../../../src/shared/phantom/noise.ts";
import { addGrain, createRaster, soften } from "../../../../src/shared/phantom/raster.ts";
import type { SliceStack } from "../../../../src/shared/phantom/slice-stack.ts";
import { type Contrast, TISSUES } from "../../../../src/shared/phantom/tissue.ts";
import type { Attributes } from "../keywords.ts";
import {
  type PlanOptions,
  type RenderedInstance,
  type SeriesPlan,
  SOP_CLASS,
  type StudyPlan,
} from "../series-plan.ts";
import { axialGeometry } from "./axial-slices.ts";

interface Sequence {
  contrast: Exclude<Contrast, "ct">;
  seriesDescription: string;
  attributes: Attributes;
}

const SEQUENCES: readonly Sequence[] = [
  {
    contrast: "t1",
    seriesDescription: "AX T1 SE",
    attributes: {
      ScanningSequence: "SE",
      RepetitionTime: 520,
      EchoTime: 11,
      EchoTrainLength: 1,
      FlipAngle: 90,
    },
  },
  {
    contrast: "t2",
    seriesDescription: "AX T2 TSE",
    attributes: {
      ScanningSequence: "SE",
      RepetitionTime: 4200,
      EchoTime: 102,
      EchoTrainLength: 15,
      FlipAngle: 150,
    },
  },
  {
    contrast: "flair",
    seriesDescription: "AX FLAIR",
    attributes: {
      ScanningSequence: ["SE", "IR"],
      RepetitionTime: 9000,
      EchoTime: 118,
      InversionTime: 2500,
      EchoTrainLength: 21,
      FlipAngle: 150,
    },
  },
];

/** A head MR: T1, T2 and FLAIR of the same slices. */
export function planMrHead({ seed, size = 256, instances = 22 }: PlanOptions): StudyPlan {
  const head = createHead(seed, size);
  const stack = headSlices(instances);
  return {
    modality: "MR",
    studyDescription: "RM de encéfalo",
    sharesSpace: true,
    attributes: {
      Manufacturer: "Fantoma",
      ManufacturerModelName: "Campo 1.5",
      BodyPartExamined: "BRAIN",
      PatientPosition: "HFS",
      MagneticFieldStrength: 1.5,
      MRAcquisitionType: "2D",
      SequenceVariant: "SK",
      ScanOptions: null,
    },
    series: SEQUENCES.map((sequence, i) => mrSeries(sequence, i + 1, head, size, stack)),
  };
}

function mrSeries(
  { contrast, seriesDescription, attributes }: Sequence,
  seriesNumber: number,
  head: Head,
  size: number,
  stack: SliceStack,
): SeriesPlan {
  return {
    seriesNumber,
    seriesDescription,
    sopClassUID: SOP_CLASS.mr,
    instances: stack.heights.length,
    attributes: { ...attributes, ProtocolName: seriesDescription, WindowCenter: 430, WindowWidth: 860 },
    render(index): RenderedInstance {
      const z = stack.heights[index] ?? 0;
      const tissues = TISSUES[contrast];
      const raster = createRaster({
        columns: size,
        rows: size,
        fieldOfView: [HEAD_FIELD_MM, HEAD_FIELD_MM],
        background: tissues.air,
      });
      paintHead(raster, head, tissues, z);
      soften(raster);
      addGrain(raster, head.grain, 13, Math.round(z * 8) + seriesNumber * 1999);
      const samples = Uint16Array.from(raster.values, (signal) =>
        clamp(Math.round(Math.abs(signal)), 0, 4095),
      );
      return {
        attributes: {
          ImageType: ["ORIGINAL", "PRIMARY", "M", "ND"],
          ...axialGeometry(raster, z, stack),
        },
        pixels: { rows: size, columns: size, samples, bitsStored: 12 },
      };
    },
  };
}
