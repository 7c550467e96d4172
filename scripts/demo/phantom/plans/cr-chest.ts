import { CASSETTE_MM, renderChestRadiograph, toFilm } from "../chest-radiograph.ts";
import { type PlanOptions, SOP_CLASS, type StudyPlan } from "../series-plan.ts";

const STORED_MAX = 4095;

/** A chest radiograph from the back to the front. */
export function planCrChest({ seed, size = 1024 }: PlanOptions): StudyPlan {
  return {
    modality: "CR",
    studyDescription: "RX de tórax PA",
    sharesSpace: false,
    attributes: {
      Manufacturer: "Fantoma",
      ManufacturerModelName: "Placa 40",
      BodyPartExamined: "CHEST",
      KVP: 110,
    },
    series: [
      {
        seriesNumber: 1,
        seriesDescription: "Tórax PA",
        sopClassUID: SOP_CLASS.cr,
        instances: 1,
        attributes: { ViewPosition: "PA", PatientOrientation: ["L", "F"] },
        render() {
          const raster = renderChestRadiograph(size, seed);
          const spacing = CASSETTE_MM / size;
          return {
            attributes: {
              ImageType: ["ORIGINAL", "PRIMARY"],
              ImagerPixelSpacing: [spacing, spacing],
              PixelSpacing: [spacing, spacing],
              WindowCenter: 2048,
              WindowWidth: 4096,
            },
            pixels: {
              rows: size,
              columns: size,
              samples: Uint16Array.from(raster.values, (water) => Math.round(toFilm(water) * STORED_MAX)),
              bitsStored: 12,
            },
          };
        },
      },
    ],
  };
}
