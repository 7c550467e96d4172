import { CT_INTERCEPT, toStoredCt } from "../../../../src/shared/phantom/ct-stored.ts";
import { addGrain, createRaster, soften } from "../../../../src/shared/phantom/raster.ts";
import { type SliceStack, stackSlices } from "../../../../src/shared/phantom/slice-stack.ts";
import { TISSUES } from "../../../../src/shared/phantom/tissue.ts";
import { CHEST_RANGE, type Chest, createChest, paintChest, paintChestTable } from "../chest-section.ts";
import {
  type PlanOptions,
  type RenderedInstance,
  type SeriesPlan,
  SOP_CLASS,
  type StudyPlan,
} from "../series-plan.ts";
import { axialGeometry } from "./axial-slices.ts";

const FIELD_MM = 380;
const MIDDLE_Y_MM = 14;
const SINGLE_Z = 20;

/** A chest CT without contrast: soft tissue and lung reconstructions of the same slices. */
export function planCtChest({ seed, size = 512, instances = 40 }: PlanOptions): StudyPlan {
  const chest = createChest(seed, size);
  const stack = stackSlices(instances, CHEST_RANGE.bottom, CHEST_RANGE.top, SINGLE_Z);
  return {
    modality: "CT",
    studyDescription: "TC de tórax sem contraste",
    sharesSpace: true,
    attributes: {
      Manufacturer: "Fantoma",
      ManufacturerModelName: "Espiral 64",
      BodyPartExamined: "CHEST",
      PatientPosition: "HFS",
      ProtocolName: "Tórax rotina",
      KVP: 120,
      XRayTubeCurrent: 190,
      ExposureTime: 500,
      Exposure: 95,
      ScanOptions: "HELICAL MODE",
      AcquisitionNumber: 1,
      RescaleIntercept: CT_INTERCEPT,
      RescaleSlope: 1,
      RescaleType: "HU",
      ReconstructionDiameter: FIELD_MM,
      GantryDetectorTilt: 0,
      RotationDirection: "CW",
    },
    series: [chestSeries(chest, size, stack, "soft"), chestSeries(chest, size, stack, "lung")],
  };
}

function chestSeries(chest: Chest, size: number, stack: SliceStack, kernel: "soft" | "lung"): SeriesPlan {
  const soft = kernel === "soft";
  return {
    seriesNumber: soft ? 1 : 2,
    seriesDescription: soft ? "Axial mediastino" : "Axial pulmão",
    sopClassUID: SOP_CLASS.ct,
    instances: stack.heights.length,
    attributes: {
      ConvolutionKernel: soft ? "B31f" : "B70f",
      WindowCenter: soft ? 40 : -550,
      WindowWidth: soft ? 400 : 1500,
    },
    render(index): RenderedInstance {
      const z = stack.heights[index] ?? 0;
      const raster = createRaster({
        columns: size,
        rows: size,
        fieldOfView: [FIELD_MM, FIELD_MM],
        middle: [0, MIDDLE_Y_MM],
        background: TISSUES.ct.air,
      });
      paintChest(raster, chest, z);
      paintChestTable(raster);
      if (soft) soften(raster);
      addGrain(raster, chest.grain, soft ? 9 : 30, Math.round(z * 8) + 4001);
      return {
        attributes: { ImageType: ["ORIGINAL", "PRIMARY", "AXIAL"], ...axialGeometry(raster, z, stack) },
        pixels: { rows: size, columns: size, samples: toStoredCt(raster), bitsStored: 16 },
      };
    },
  };
}
