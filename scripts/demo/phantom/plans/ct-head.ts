import { CT_INTERCEPT, toStoredCt } from "../../../../src/shared/phantom/ct-stored.ts";
import { createHead, HEAD_RANGE, paintHead } from "../../../../src/shared/phantom/head.ts";
import { renderCtHeadSlice } from "../../../../src/shared/phantom/head-ct.ts";
import type { Head } from "../../../../src/shared/phantom/head-section.ts";
import { HEAD_FIELD_MM, headSlices } from "../../../../src/shared/phantom/head-slices.ts";
import { addGrain, createRaster, type Raster, soften } from "../../../../src/shared/phantom/raster.ts";
import type { SliceStack } from "../../../../src/shared/phantom/slice-stack.ts";
import { TISSUES } from "../../../../src/shared/phantom/tissue.ts";
import {
  type PlanOptions,
  type RenderedInstance,
  type SeriesPlan,
  SOP_CLASS,
  type StudyPlan,
} from "../series-plan.ts";
import { axialGeometry } from "./axial-slices.ts";

const SCOUT_HEIGHT_MM = 164;
const SCOUT_TOP_Z = 112;

/** A head CT without contrast: a lateral scout, brain and bone reconstructions of the same slices. */
export function planCtHead({ seed, size = 512, instances = 28 }: PlanOptions): StudyPlan {
  const head = createHead(seed, size);
  const stack = headSlices(instances);
  return {
    modality: "CT",
    studyDescription: "TC de crânio sem contraste",
    sharesSpace: true,
    attributes: {
      Manufacturer: "Fantoma",
      ManufacturerModelName: "Espiral 64",
      BodyPartExamined: "HEAD",
      PatientPosition: "HFS",
      ProtocolName: "Crânio rotina",
      KVP: 120,
      RescaleIntercept: CT_INTERCEPT,
      RescaleSlope: 1,
      RescaleType: "HU",
      ReconstructionDiameter: HEAD_FIELD_MM,
      GantryDetectorTilt: 0,
      RotationDirection: "CW",
    },
    series: [
      scoutSeries(head, Math.max(16, Math.round(size / 2))),
      axialSeries({ head, size, stack, seriesNumber: 2, kernel: "brain" }),
      axialSeries({ head, size, stack, seriesNumber: 3, kernel: "bone" }),
    ],
  };
}

function axialSeries(options: {
  head: Head;
  size: number;
  stack: SliceStack;
  seriesNumber: number;
  kernel: "brain" | "bone";
}): SeriesPlan {
  const { head, size, stack, seriesNumber, kernel } = options;
  const brain = kernel === "brain";
  return {
    seriesNumber,
    seriesDescription: brain ? "Axial encéfalo" : "Axial osso",
    sopClassUID: SOP_CLASS.ct,
    instances: stack.heights.length,
    attributes: {
      ConvolutionKernel: brain ? "H31s" : "H70h",
      ScanOptions: "HELICAL MODE",
      XRayTubeCurrent: 280,
      ExposureTime: 1000,
      Exposure: 280,
      AcquisitionNumber: 2,
      WindowCenter: brain ? 40 : 500,
      WindowWidth: brain ? 80 : 2500,
    },
    render(index): RenderedInstance {
      const z = stack.heights[index] ?? 0;
      const raster = renderCtHeadSlice(head, size, z, kernel);
      return {
        attributes: {
          ImageType: ["ORIGINAL", "PRIMARY", "AXIAL"],
          ...axialGeometry(raster, z, stack),
        },
        pixels: { rows: size, columns: size, samples: toStoredCt(raster), bitsStored: 16 },
      };
    },
  };
}

/** A lateral localizer: the head summed from side to side, one row a height. */
function scoutSeries(head: Head, size: number): SeriesPlan {
  return {
    seriesNumber: 1,
    seriesDescription: "Escanograma",
    sopClassUID: SOP_CLASS.ct,
    instances: 1,
    attributes: {
      ConvolutionKernel: "T20f",
      ScanOptions: "SCOUT MODE",
      XRayTubeCurrent: 35,
      ExposureTime: 2000,
      Exposure: 70,
      AcquisitionNumber: 1,
      WindowCenter: 150,
      WindowWidth: 1000,
    },
    render(): RenderedInstance {
      const raster = renderScout(head, size);
      const { rows, columns } = raster;
      return {
        attributes: {
          ImageType: ["ORIGINAL", "PRIMARY", "LOCALIZER"],
          ImagePositionPatient: [0, raster.origin[0], SCOUT_TOP_Z],
          ImageOrientationPatient: [0, 1, 0, 0, 0, -1],
          PixelSpacing: [raster.spacing[1], raster.spacing[0]],
          SliceThickness: 1,
          SliceLocation: 0,
        },
        pixels: { rows, columns, samples: toStoredCt(raster), bitsStored: 16 },
      };
    },
  };
}

function renderScout(head: Head, columns: number): Raster {
  const rows = Math.round((columns * SCOUT_HEIGHT_MM) / HEAD_FIELD_MM);
  const scout = createRaster({
    columns,
    rows,
    fieldOfView: [HEAD_FIELD_MM, SCOUT_HEIGHT_MM],
    background: TISSUES.ct.air,
  });
  const across = Math.max(12, Math.round(columns / 8));
  for (let row = 0; row < rows; row++) {
    const z = SCOUT_TOP_Z - row * scout.spacing[1];
    if (z > HEAD_RANGE.top + 3.5) continue;
    // Each row samples the head at other places, so that coarse steps do not add up to rings.
    const jitter = ((row * 0.618) % 1) - 0.5;
    const section = createRaster({
      columns: across,
      rows: columns,
      fieldOfView: [HEAD_FIELD_MM, HEAD_FIELD_MM],
      middle: [(jitter * HEAD_FIELD_MM) / across, 0],
      background: TISSUES.ct.air,
    });
    paintHead(section, head, TISSUES.ct, Math.max(z, HEAD_RANGE.bottom));
    for (let column = 0; column < columns; column++) {
      const line = section.values.subarray(column * across, (column + 1) * across);
      const water = line.reduce((sum, hu) => sum + Math.max(0, hu - TISSUES.ct.air), 0) / 1000;
      const stopped = 1 - Math.exp((-water * section.spacing[0]) / 170);
      scout.values[row * columns + column] = TISSUES.ct.air + 1900 * stopped;
    }
  }
  soften(scout);
  addGrain(scout, head.grain, 9, 1);
  return scout;
}
